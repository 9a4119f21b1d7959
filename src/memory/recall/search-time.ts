/** What happened and was decided in the time that a query names. */
import type { Projects } from "../../core/rows.ts";
import { isPipeline } from "../../feed/runs/pipelines.ts";
import type { Event, EventKind } from "../../feed/schema.ts";
import type { RecallReads } from "../port.ts";
import type { SearchHit } from "../rows.ts";
import { searchableEventKinds } from "../schema.ts";
import type { NamedTime } from "./named-time.ts";
import { parseQuery } from "./query-terms.ts";
import { type MemoryHit, type MemorySearch, searchTerms } from "./search.ts";
import { outcomeWords } from "./time-words.ts";

/** Decisions that are read to find those of a time: the newest. */
const decisionsMax = 500;

/** Hits of the time that have the other words of the query; without other words the newest first. */
export async function searchTime(
  data: RecallReads,
  projects: Projects,
  time: NamedTime,
  search: Omit<MemorySearch, "query">,
): Promise<MemoryHit[]> {
  const [outcome, rest] = outcomeIn(time.rest);
  const terms = await parseQuery(data, projects, rest);
  const { from, until } = time;
  const worded = terms.length > 0 ? await searchTerms(data, projects, terms, { ...search, from, until }) : [];
  if (outcome === null) return terms.length > 0 ? worded : newestOf(data, projects, time, search);
  const ofOutcome = await newestOf(data, projects, time, { ...search, kinds: ["event"] }, outcome);
  // Without any, the word says what the text is about.
  if (ofOutcome.length === 0) {
    const named = await parseQuery(data, projects, time.rest);
    return searchTerms(data, projects, named, { ...search, from, until });
  }
  const ids = new Set(worded.map(({ row }) => `${row.kind} ${row.id}`));
  const both = ofOutcome.filter(({ row }) => ids.has(`${row.kind} ${row.id}`));
  return both.length > 0 ? both : [...ofOutcome, ...(terms.length > 0 ? worded : [])];
}

const outcomes = Object.entries(outcomeWords).map(
  ([name, words]) =>
    [
      name as keyof typeof outcomeWords,
      new RegExp(`(?<![\\p{Script=Latin}\\p{Script=Cyrillic}])(?:${words})(?!\\p{Script=Latin})`, "giu"),
    ] as const,
);
const kindsOfOutcome: Record<keyof typeof outcomeWords, EventKind[]> = {
  failed: ["run.failed", "preview.failed"],
  merged: ["pr.merged"],
};

/** The kinds of events that a query asks for by what became of them, and the query without the word. */
function outcomeIn(query: string): [EventKind[] | null, string] {
  for (const [name, pattern] of outcomes) {
    const rest = query.replace(pattern, " ");
    if (rest !== query) return [kindsOfOutcome[name], rest];
  }
  return [null, query];
}

/** What happened and was decided in a time, the newest first. @param eventKinds all that recall finds, if undefined */
async function newestOf(
  data: RecallReads,
  projects: Projects,
  { from, until, written }: NamedTime,
  search: Omit<MemorySearch, "query">,
  eventKinds: readonly EventKind[] = [...searchableEventKinds],
): Promise<MemoryHit[]> {
  const { kinds = [], project, limit, accept = () => true } = search;
  const [events, decisions] = await Promise.all([
    kinds.includes("event")
      ? data.feed(projects, {
          kind: [...eventKinds],
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
