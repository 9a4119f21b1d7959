/** Of which project the events of telemetry are, and what they cost. */
import type { Caller, Viewer } from "../../core/auth/caller.ts";
import { toMicros } from "../../core/lib/time.ts";
import { TimeSlices } from "../../core/lib/time-slices.ts";
import type { RunPlace } from "../../feed/rows.ts";
import type { IntegrationsContext } from "../context.ts";
import type { UnplacedReason } from "../rows.ts";
import { findPlace, type Place, placeByRun, type RunPlaces } from "./placement.ts";
import { type CostOf, loadPrices } from "./prices.ts";
import type { Mapped } from "./sources/source.ts";
import { dollars } from "./sources/step.ts";
import { countUnplaced, explanations } from "./unplaced.ts";

/** Where an event belongs and, if its sender named no cost, what it costs; or why it has no place. */
export type PlacedEvent = (Place & Partial<Mapped["event"]>) | { reason: string };

/**
 * The different places that a request names, and its different models in an hour: each is looked up, in up to
 * a millisecond. Those of further records are not.
 */
const distinctMax = 2_000;

const modelOf = ({ event, provider }: Mapped): string =>
  `${provider} ${event.model} ${event.ts?.slice(0, "2026-01-02T03".length)}`;

const runIdsOf = ({ event: { run_id, parent_run_id } }: Mapped): string[] =>
  [run_id, parent_run_id].filter((id) => id != null);

/** Run ids in a statement. */
const runIdsMax = 1_000;

/** The runs with these ids that are known. */
export async function readRunPlaces(
  { data }: Pick<IntegrationsContext, "data">,
  { projects }: Viewer,
  named: readonly string[],
): Promise<RunPlaces> {
  const ids = [...new Set(named)];
  const found: RunPlace[] = [];
  for (let first = 0; first < ids.length; first += runIdsMax)
    found.push(...(await data.runPlaces(projects, ids.slice(first, first + runIdsMax))));
  return Map.groupBy(found, ({ id }) => id);
}

/** Places events and computes their costs. What fits no project is counted. */
export async function placeRecords(
  ctx: IntegrationsContext,
  caller: Caller,
  mapped: readonly Mapped[],
  slices = new TimeSlices(),
): Promise<PlacedEvent[]> {
  const places = new Map<string, Place | { reason: UnplacedReason }>();
  const misses: { source: string; reason: UnplacedReason }[] = [];
  const placed: PlacedEvent[] = [];
  const [names, models] = [new Set<string>(), new Set<string>()];
  const runs = await readRunPlaces(ctx, caller, mapped.flatMap(runIdsOf));
  let costOf: CostOf | undefined;
  for (const one of mapped) {
    if (slices.isOver) await slices.next();
    const named = JSON.stringify(one.place);
    if (names.size < distinctMax) names.add(named);
    if (!names.has(named)) {
      placed.push({ reason: `the request names more than ${distinctMax} repositories, branches and tasks` });
      continue;
    }
    const found = places.get(named) ?? (await findPlace(ctx, caller, one.place));
    places.set(named, found);
    const place = placeByRun(found, one.place, runIdsOf(one), runs);
    if ("reason" in place) {
      misses.push({ source: one.source, reason: place.reason });
      placed.push({ reason: explanations[place.reason].problem });
      continue;
    }
    const isUnpriced = one.event.kind === "step.usage" && one.event.cost_equiv === undefined;
    if (isUnpriced) costOf ??= await loadPrices(ctx.config.prices);
    if (models.size < distinctMax) models.add(modelOf(one));
    const isListed = isUnpriced && models.has(modelOf(one));
    placed.push({ ...place, ...(isListed && costOf && computedCost(one, costOf, ctx.now())) });
  }
  await countUnplaced(ctx, caller, misses);
  return placed;
}

/** The cost of a call whose sender named none; nothing if no list has its model. */
export function computedCost(
  { event, provider, apart }: Mapped,
  costOf: CostOf,
  now: number,
): Partial<Pick<Mapped["event"], "cost_equiv" | "cost_source" | "summary">> {
  const { model, tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0, ts } = event;
  if (!model || tokens_in + tokens_out + cache_read + cache_write === 0) return {};
  const at = new Date((ts === undefined ? now : toMicros(ts)) / 1000);
  const cost = costOf({ model, provider, tokens_in, tokens_out, cache_read, cache_write, at, apart });
  if (cost === null) return {};
  return {
    cost_equiv: cost,
    cost_source: "computed",
    summary: `${event.summary}, ~${dollars(cost)}`,
  };
}
