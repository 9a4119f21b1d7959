/**
 * Which events search covers. The ends of pipelines are left out: so many of them say the same that work
 * could not be found among them.
 */
import { and, inArray, not, type SQL } from "drizzle-orm";
import { isPipeline } from "../../../src/feed/runs/pipelines.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import { searchableEventKinds } from "../../../src/memory/schema.ts";
import type { Session } from "../../engine/session.ts";
import { isPipelineId } from "../../feed/runs/pipelines.ts";

/** Whether recall finds the event. */
export const isSearchable = ({ kind, run_id }: Pick<EventRow, "kind" | "run_id">): boolean =>
  searchableEventKinds.has(kind) && !isPipeline(run_id);

/** The same as a condition of SQL. */
export const searchableEvents = ({ t: { events } }: Session): SQL | undefined =>
  and(inArray(events.kind, [...searchableEventKinds]), not(isPipelineId(events.run_id)));
