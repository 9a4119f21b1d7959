/**
 * Later usage of a call that is recorded: senders report a count while an answer streams, and the final one
 * after it. Events are never changed, so an event for the difference follows, which can be negative.
 */
import type { Appendable } from "../../feed/rows.ts";
import type { EventRow } from "../../feed/schema.ts";
import type { IntegrationsContext } from "../context.ts";
import { computedCost } from "./mapping.ts";
import { loadPrices } from "./prices.ts";
import type { Mapped } from "./sources/source.ts";
import { toKey } from "./sources/step.ts";

/** An event to append, and what it was made of. */
export interface Pending {
  event: Appendable;
  mapped: Mapped;
}

/** Corrections of a call whose keys are read together. Senders that count while they stream make a few. */
const readTogether = 60;

const counts = ["tokens_in", "tokens_out", "cache_read", "cache_write"] as const;

/** The key of a call's correction; the first has the number 1. */
const correctionKey = ({ dedupe_key }: Appendable, number: number): string =>
  toKey(`${dedupe_key}#${number}`);

const numbers = Array.from({ length: readTogether }, (_, index) => index + 1);

/** For each of these calls, its corrections that are recorded, in order: their numbers have no gaps. */
async function recordedCorrections(
  { data }: Pick<IntegrationsContext, "data">,
  events: readonly Appendable[],
  before = 0,
): Promise<EventRow[][]> {
  if (events.length === 0) return [];
  const keyed = events.flatMap((event) =>
    numbers.map((number) => ({ ...event, dedupe_key: correctionKey(event, before + number) })),
  );
  const rows = await data.recordedEvents(keyed);
  const found = events.map((_, index) =>
    rows.slice(index * readTogether, (index + 1) * readTogether).filter((row) => row !== null),
  );
  const isFull = (_: unknown, index: number) => found[index]?.length === readTogether;
  const more = await recordedCorrections({ data }, events.filter(isFull), before + readTogether);
  return found.map((rows) => (rows.length === readTogether ? [...rows, ...(more.shift() ?? [])] : rows));
}

/**
 * The corrections that make what is recorded of these calls what was sent last.
 * @param sent in the order in which it was sent
 */
export async function findCorrections(
  ctx: IntegrationsContext,
  sent: readonly Pending[],
): Promise<Pending[]> {
  const steps = sent.filter(({ event }) => event.kind === "step.usage" && differs(event, []));
  const firsts = await ctx.data.recordedEvents(steps.map(({ event }) => event));
  const changed = steps.filter(({ event }, index) => {
    const first = firsts[index];
    return first && differs(event, [first]);
  });
  if (changed.length === 0) return [];
  const later = await recordedCorrections(
    ctx,
    changed.map(({ event }) => event),
  );
  const costOf = await loadPrices(ctx.config.prices);
  const chains = new Map<string, EventRow[]>();
  return changed.flatMap((pending, index) => {
    const id = `${pending.event.key_scope} ${pending.event.dedupe_key}`;
    const chain = chains.get(id) ?? [firsts[steps.indexOf(pending)] as EventRow, ...(later[index] ?? [])];
    chains.set(id, chain);
    const priced = withModelOf(chain, pending, (mapped) => computedCost(mapped, costOf, ctx.now()));
    if (!isLater(priced, chain)) return [];
    const event = correctionOf(priced, chain);
    chain.push(event as EventRow);
    return [{ event, mapped: pending.mapped }];
  });
}

/** An update can name the usage without the model; its price is that of the model of what is recorded. */
function withModelOf(
  chain: readonly EventRow[],
  { event, mapped }: Pending,
  costOf: (mapped: Mapped) => ReturnType<typeof computedCost>,
): Appendable {
  const model = chain.find((row) => row.model)?.model;
  if (event.model != null || model == null) return event;
  const named = { ...mapped, event: { ...mapped.event, model } };
  return { ...event, model, ...(event.cost_equiv === undefined && costOf(named)) };
}

const sumOf = (chain: readonly EventRow[], field: (typeof counts)[number] | "cost_equiv"): number =>
  chain.reduce((sum, row) => sum + row[field], 0);

/** A cost that the sender named stays, and so does one at the price of then, unless the tokens are others. */
function costDifference(event: Appendable, chain: readonly EventRow[]): number {
  const { cost_equiv: cost, cost_source } = event;
  if (cost === undefined) return 0;
  const recorded = new Set(chain.map((row) => row.cost_source));
  if (cost_source === "computed" && recorded.has("reported")) return 0;
  if (cost_source === "computed" && recorded.has("computed") && !hasOtherTokens(event, chain)) return 0;
  return Number((cost - sumOf(chain, "cost_equiv")).toFixed(9));
}

const hasOtherTokens = (event: Appendable, chain: readonly EventRow[]): boolean =>
  counts.some((field) => event[field] !== undefined && event[field] !== sumOf(chain, field));

/** Whether an event has other usage than what is recorded. */
const differs = (event: Appendable, chain: readonly EventRow[]): boolean =>
  hasOtherTokens(event, chain) || costDifference(event, chain) !== 0;

/**
 * Whether an event says more than what is recorded: it is none of what was said before, which is sent again,
 * and not older than that. The duration of a call ends with it.
 */
function isLater(event: Appendable, chain: readonly EventRow[]): boolean {
  const took = Math.max(...chain.map(({ duration_ms }) => duration_ms ?? 0));
  return (
    chain.every((_, index) => differs(event, chain.slice(0, index + 1))) &&
    (event.duration_ms ?? took) >= took
  );
}

function correctionOf(event: Appendable, chain: readonly EventRow[]): Appendable {
  const difference = Object.fromEntries(
    counts.map((field) => [field, (event[field] ?? sumOf(chain, field)) - sumOf(chain, field)]),
  );
  return {
    ...event,
    ...difference,
    cost_equiv: costDifference(event, chain),
    dedupe_key: correctionKey(event, chain.length),
    summary: `${event.summary} (corrected)`,
    payload: { ...(event.payload as object | undefined), correction: true },
  };
}
