/** The page of a run. */
import { derivedRunIdPrefix } from "./rule.ts";
import type { Run } from "./schema.ts";

/** An id that the service gave is unique; a sender's is unique within its project only. */
export const runUrl = ({ id, project }: Pick<Run, "id" | "project">): string =>
  `/runs/${encodeURIComponent(id)}${id.startsWith(derivedRunIdPrefix) ? "" : `?project=${project}`}`;
