/** Which events search covers. */
import type { EventRow } from "../feed/schema.ts";
import { isPipeline } from "../runs/pipelines.ts";
import { searchableEventKinds } from "./schema.ts";

/** The ends of pipelines are left out: so many of them tell the same that work could not be found among them. */
export const isSearchable = ({ kind, run_id }: Pick<EventRow, "kind" | "run_id">): boolean =>
  searchableEventKinds.has(kind) && !isPipeline(run_id);
