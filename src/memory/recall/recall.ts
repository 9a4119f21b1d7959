/** Recall: answers `svc_recall` and renders its hits as text. */
import type { Viewer } from "../../core/auth/caller.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { dayMicros, fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { MemoryContext } from "../context.ts";
import type { RecallReads } from "../port.ts";
import { preferencesOf } from "../preferences-of-project.ts";
import type { SearchHit } from "../rows.ts";
import type { MemoryKind } from "../schema.ts";
import { reviewSource } from "../set-ref.ts";
import { namedTime } from "./named-time.ts";
import { type Hit, type HitKind, hitKinds, hitsDefault, type Recalled, type RecallQuery } from "./schema.ts";
import { type MemoryHit, searchMemory } from "./search.ts";
import { searchTime } from "./search-time.ts";

type RecallContext = Pick<MemoryContext, "now"> & { data: RecallReads };

/** The kinds of memory in which each kind of hit is stored. */
const memoryKindsOf: Record<HitKind, readonly MemoryKind[]> = {
  decision: ["decision"],
  review: ["decision", "note"],
  preference: ["preference"],
  guidance: ["guidance"],
  event: ["event"],
};

/** Searches the project memory. Throws a 404 problem if the caller may not see the project. */
export async function recall(ctx: RecallContext, input: RecallQuery, caller: Viewer): Promise<Recalled> {
  const { query, project, kinds = hitKinds, as_of, limit = hitsDefault } = input;
  if (project !== undefined) await requireProject(ctx.data, project, caller);
  // A limited caller that names a project gets exactly what a caller limited to that project alone would.
  const projects = caller.projects && project !== undefined ? [project] : caller.projects;
  const accept = await preferenceFilter(ctx, project, kinds);
  const search = {
    kinds: [...new Set(kinds.flatMap((kind) => memoryKindsOf[kind]))],
    ...(project !== undefined && { project }),
    ...(as_of !== undefined && { asOf: toMicros(as_of) }),
    ...(kinds.includes("decision") !== kinds.includes("review") && { reviews: kinds.includes("review") }),
    limit,
    accept,
  };
  const now = ctx.now();
  const time = namedTime(query, search.asOf ?? now);
  const found = await searchMemory(ctx.data, projects, { ...search, query });
  const ofTime = time ? await searchTime(ctx.data, projects, time, search) : [];
  const hits = withTime(found, ofTime)
    .slice(0, limit)
    .map((hit) => hitOf(hit, now));
  return { hits, count: hits.length };
}

/** What a hit of the time that the query names counts, compared with others. */
const timeWeight = 2;

/** All hits, best first. Where the query names nothing but a time, what is of it comes before all others. */
function withTime(found: readonly MemoryHit[], ofTime: readonly MemoryHit[]): readonly MemoryHit[] {
  if (ofTime.length === 0) return found;
  const keyOf = ({ row }: MemoryHit) => `${row.kind} ${row.id}`;
  const keys = new Set(ofTime.map(keyOf));
  const best = found[0]?.score ?? 0;
  const raised = ofTime.map((hit) => ({
    ...hit,
    score: hit.matched.length > 0 ? hit.score * timeWeight : best + hit.score,
  }));
  return [...raised, ...found.filter((hit) => !keys.has(keyOf(hit)))].sort((a, b) => b.score - a.score);
}

/** Keeps hits of the requested kinds, without global preferences that the project overrides. */
async function preferenceFilter(
  { data }: RecallContext,
  project: string | undefined,
  kinds: readonly HitKind[],
): Promise<(row: SearchHit) => boolean> {
  const wanted = new Set(kinds);
  const own = project === undefined || !wanted.has("preference") ? [] : await preferencesOf(data, project);
  const overridden = new Set(own.filter((preference) => preference.project !== null).map(({ key }) => key));
  return (row) =>
    wanted.has(kindOf(row)) &&
    !(row.kind === "preference" && row.project === null && overridden.has(row.head));
}

function kindOf({ kind, source }: SearchHit): HitKind {
  if (kind === "note") return "review";
  return kind === "decision" && source === reviewSource ? "review" : kind;
}

const roundToHundredths = (value: number): number => Math.round(value * 100) / 100;

function hitOf({ row, why, score, coverage }: MemoryHit, now: Micros): Hit {
  const { id, project, head, text, source, source_ref, actor, valid_from, valid_until } = row;
  return {
    kind: kindOf(row),
    id,
    project,
    heading: head || null,
    text,
    source,
    source_ref,
    actor,
    decision: row.kind === "decision" ? id : null,
    valid_from: fromMicros(valid_from),
    valid_until: valid_until === null ? null : fromMicros(valid_until),
    age_days: Math.max(0, Math.floor((now - valid_from) / dayMicros)),
    gone: row.kind === "decision" && (row.gone_at ?? null) !== null,
    why,
    score: roundToHundredths(score),
    coverage: roundToHundredths(coverage),
  };
}

/** Renders hits as text; what others wrote is enclosed in <data-…> tags that name the author. */
export function recalledText({ hits }: Recalled, enclose: TagData): string {
  if (hits.length === 0)
    return "No matches. Try fewer or different words, or omit the project to search all projects.";
  return hits
    .map((hit, index) => `${index + 1}. ${headOf(hit)}\n${enclose(hit.actor, bodyOf(hit))}`)
    .join("\n\n");
}

function headOf({ kind, id, project, valid_from, valid_until, age_days, gone }: Hit): string {
  const name = kind === "decision" || kind === "review" ? `${kind} ${id}` : kind;
  const until = valid_until === null ? "" : ` until ${valid_until.slice(0, 10)}`;
  const age = age_days === 0 ? "today" : age_days === 1 ? "yesterday" : `${age_days} days ago`;
  const place = project === null ? ", all projects" : ` in ${project}`;
  const lost = gone ? ", its files are gone" : "";
  return `${name}${place}, from ${valid_from.slice(0, 10)}${until}, ${age}${lost}`;
}

/** Everything that others wrote, which includes the matched words. */
const bodyOf = ({ heading, text, source, source_ref, why }: Hit): string =>
  [
    ...(heading ? [heading] : []),
    text,
    `(source: ${[source, source_ref].filter(Boolean).join(", ")}; matched: ${why.join(", ")})`,
  ].join("\n");
