/** Results from memory: decisions, preferences, notes of reviews, and guidance. */
import type { MemoryHit } from "../../memory/recall/search.ts";
import type { SearchHit } from "../../memory/rows.ts";
import { rejectedPath, reviewSource } from "../../memory/set-ref.ts";
import { analyzeTitle, type Query, relevanceOf } from "./relevance.ts";
import type { Found } from "./result.ts";
import type { ResultType } from "./schema.ts";

/** @param canReadAssets whether a review can link to its asset */
export function foundInMemory(
  { row, matched, coverage }: MemoryHit,
  query: Query,
  canReadAssets: boolean,
): Found {
  const { id, project, head, text, source, valid_from } = row;
  const isTitled = head !== "";
  return {
    type: typeOf(row),
    id: String(id),
    project,
    matched,
    relevance: relevanceOf(query, { coverage }, analyzeTitle(isTitled ? head : text)),
    at: valid_from,
    title: isTitled ? head : text,
    text: isTitled ? text : "",
    path: pathOf(row, canReadAssets),
    ...(row.kind === "guidance" && { source }),
  };
}

function typeOf({ kind, source }: SearchHit): ResultType {
  if (kind === "note") return "review";
  return kind === "decision" && source === reviewSource ? "review" : kind;
}

/**
 * A review leads to its asset or set, a decision to its page, a preference to the memory page, and a note to
 * its project. Guidance leads to its source.
 */
function pathOf(row: SearchHit, canReadAssets: boolean): string | null {
  const { id, kind, project, source_ref } = row;
  if (typeOf(row) === "review" && canReadAssets && source_ref) return rejectedPath(project, source_ref);
  if (kind === "decision") return `/memory/decisions/${id}`;
  if (kind === "preference")
    return `/memory?${new URLSearchParams({ view: "preferences", ...(project !== null && { project }) })}`;
  return project === null ? null : `/projects/${project}`;
}
