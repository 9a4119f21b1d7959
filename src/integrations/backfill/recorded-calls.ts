/**
 * Calls of a run that telemetry and the files of an agent both report, for agents whose telemetry names no id
 * that their files have: the same tokens at about the same time are the same call.
 */
import { type AgentId, agents, allAgents } from "../../core/agents/agents.ts";
import { type Micros, minuteMicros, toMicros } from "../../core/lib/time.ts";
import type { RunPlace, RunRow } from "../../feed/rows.ts";
import { readPayload } from "../../feed/runs/payload.ts";
import type { Event } from "../../feed/schema.ts";
import type { IntegrationsContext } from "../context.ts";
import type { Pending } from "../telemetry/corrections.ts";
import type { BackfillRun, BackfillStep } from "./schema.ts";

/** Their telemetry names the request as their files do, so the key of the event tells. */
const agentsWithSharedKeys: ReadonlySet<AgentId> = new Set(["claude-code"]);
const actorsWithoutSharedKeys: ReadonlySet<string> = new Set(
  allAgents.filter((agent) => !agentsWithSharedKeys.has(agent)).map((agent) => agents[agent].actor),
);
/** Telemetry tells when a call began or ended; files, when it was written. */
const apartMax = 10 * minuteMicros;
/** A backfill leaves out what is newer than two minutes: telemetry of this age comes before it. */
const liveMax = minuteMicros;
const pageLength = 1_000;

/** The times of calls by their tokens. */
type Calls = Map<string, Micros[]>;

/** @returns those that telemetry has reported of the run; null if keys tell */
export async function recordedCalls(
  { data }: Pick<IntegrationsContext, "data">,
  place: RunPlace,
  run: BackfillRun,
): Promise<{ take(step: BackfillStep): boolean } | null> {
  if (agentsWithSharedKeys.has(run.agent)) return null;
  const row = await data.run(null, place.project, place.id);
  const calls: Calls = row ? await readCalls({ data }, row, {}) : new Map();
  return { take: (step) => takeCall(calls, step, toMicros(step.at)) };
}

/** The events of telemetry that came late, without calls that a backfill has added meanwhile. */
export async function withoutBackfilled(
  ctx: Pick<IntegrationsContext, "data" | "now">,
  pending: readonly Pending[],
): Promise<readonly Pending[]> {
  const newest = ctx.now() - liveMax;
  const late = new Map<Pending, Micros>();
  for (const one of pending) {
    const { kind, actor, run_id } = one.event;
    const at = one.mapped.event.ts === undefined ? newest : toMicros(one.mapped.event.ts);
    if (kind === "step.usage" && run_id && actorsWithoutSharedKeys.has(actor) && at < newest)
      late.set(one, at);
  }
  const known = new Set<Pending>();
  for (const calls of Map.groupBy(late, ([{ event }]) => `${event.project} ${event.run_id}`).values()) {
    const [first] = calls[0] ?? [];
    const { project, run_id } = first?.event ?? {};
    const row = project && run_id ? await ctx.data.run(null, project, run_id) : null;
    if (!row) continue;
    const times = calls.map(([, at]) => at);
    const span = { after: Math.min(...times) - apartMax, before: Math.max(...times) + apartMax };
    const backfilled = await readCalls(ctx, row, { ...span, isBackfilled: true });
    for (const [one, at] of calls) if (takeCall(backfilled, one.event, at)) known.add(one);
  }
  return known.size === 0 ? pending : pending.filter((one) => !known.has(one));
}

/** How the payload of a backfilled event begins. */
const pastMark = '{"past":true';

interface Wanted {
  after?: Micros;
  before?: Micros;
  /** Only those that a backfill added. */
  isBackfilled?: boolean;
}

async function readCalls(
  { data }: Pick<IntegrationsContext, "data">,
  row: RunRow,
  { after, before, isBackfilled = false }: Wanted,
): Promise<Calls> {
  const calls: Calls = new Map();
  for (let since = after; ; ) {
    const span = { ...(since !== undefined && { after: since }), ...(before !== undefined && { before }) };
    const page = await data.runEvents(row, { limit: pageLength, ...span });
    for (const { ts, wire, payload } of page) {
      const event = JSON.parse(wire) as Event; // safe because: the API returns the same text
      if (event.kind !== "step.usage" || (isBackfilled && !payload?.startsWith(pastMark))) continue;
      const at = readPayload(payload && JSON.parse(payload)).at ?? ts;
      const key = tokensOf(event);
      const known = calls.get(key);
      if (known) known.push(at);
      else calls.set(key, [at]);
    }
    since = page.at(-1)?.ts;
    if (page.length < pageLength) return calls;
  }
}

/** Whether the call is among these; each counts once. */
function takeCall(calls: Calls, tokens: Tokens, at: Micros): boolean {
  const times = calls.get(tokensOf(tokens)) ?? [];
  const found = times.findIndex((time) => Math.abs(time - at) <= apartMax);
  if (found < 0) return false;
  times.splice(found, 1);
  return true;
}

type Tokens = Partial<Pick<Event, "tokens_in" | "tokens_out" | "cache_read" | "cache_write">>;

const tokensOf = ({ tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0 }: Tokens): string =>
  `${tokens_in} ${tokens_out} ${cache_read} ${cache_write}`;
