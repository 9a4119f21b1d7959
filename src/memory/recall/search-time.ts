/** What happened and was decided in the time that a query names. */
import type { Projects } from "../../core/rows.ts";
import { isPipeline } from "../../feed/runs/pipelines.ts";
import type { Event } from "../../feed/schema.ts";
import type { MemoryData } from "../port.ts";
import type { SearchHit } from "../rows.ts";
import { searchableEventKinds } from "../schema.ts";
import type { NamedTime } from "./named-time.ts";
import { parseQuery } from "./query-terms.ts";
import { type MemoryHit, type MemorySearch, searchTerms } from "./search.ts";

/** Decisions that are read to find those of a time: the newest. */
const decisionsMax = 500;

/** Hits of the time that have the other words of the query; without other words the newest first. */
export async function searchTime(
  data: MemoryData,
  projects: Projects,
  { from, until, written, rest }: NamedTime,
  search: Omit<MemorySearch, "query">,
): Promise<MemoryHit[]> {
  const terms = await parseQuery(data, projects, rest);
  if (terms.length > 0) return searchTerms(data, projects, terms, { ...search, from, until });
  const { kinds = [], project, limit, accept = () => true } = search;
  const [events, decisions] = await Promise.all([
    kinds.includes("event")
      ? data.feed(projects, {
          kind: [...searchableEventKinds],
          ...(project !== undefined && { project }),
          after: from - 1,
          before: until,
          limit: 2 * limit,
        })
      : [],
    kinds.includes("decision") ? data.decisions(projects, { status: "current", limit: decisionsMax }) : [],
  ]);
  const rows: SearchHit[] = [
    ...events.map(({ ts, wire }) => eventHit(ts, JSON.parse(wire) as Event)).filter((row) => row !== null),
    ...decisions
      .filter((row) => row.valid_from >= from && row.valid_from < until)
      .filter((row) => project === undefined || row.project === project)
      .map((row): SearchHit => ({ ...row, kind: "decision", head: "", about: "" })),
  ];
  return rows
    .filter(accept)
    .toSorted((a, b) => b.valid_from - a.valid_from)
    .slice(0, limit)
    .map((row) => ({ row, score: 1, coverage: 1, why: [written], matched: [] }));
}

function eventHit(ts: number, { id, kind, project, actor, summary, url, run_id }: Event): SearchHit | null {
  if (isPipeline(run_id)) return null;
  return {
    kind: "event",
    id: Number(id),
    project,
    head: "",
    about: "",
    text: summary,
    source: kind,
    source_ref: url,
    actor,
    valid_from: ts,
    valid_until: null,
  };
}
