/** A log of several years: uneven, with a project that became inactive half-way, and the same in every run. */
import { Database } from "bun:sqlite";
import { getTableColumns } from "drizzle-orm";
import { toRow } from "../../../db/feed/runs/states.ts";
import { sqliteTables } from "../../../db/schema/sqlite-tables.ts";
import type { Data } from "../../../src/api/port.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { renderEvent } from "../../../src/feed/render-event.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import { emptyRun, foldEvent, type RunState } from "../../../src/feed/runs/fold.ts";
import { type EventKind, type EventRow, eventFields } from "../../../src/feed/schema.ts";
import { columns } from "../measuring/events.ts";

export const projectCount = 50;
export const slugOf = (number: number): string => `project-${number}`;
/** Had a fifth of all events, and has had none since the first half. */
export const inactive = slugOf(projectCount - 1);

export const firstAt = Date.UTC(2020, 0, 1) * 1000;
/** A log of twenty million events or more is six years long. */
const longest = 200_000_000 * secondMicros;
/** Between two events of a log that will have `count`. Days have a whole number of them. */
export const apartOf = (count: number): number =>
  secondMicros * ([10, 5, 2].find((seconds) => seconds * secondMicros * count <= longest) ?? 1);
export const timeOf = (index: number, count: number): number => firstAt + index * apartOf(count);

export const verbs = ["read", "rewrote", "measured", "reverted", "split", "renamed", "tested", "documented"];
export const things = [
  "parser",
  "scheduler",
  "harbor map",
  "importer",
  "gateway",
  "ledger",
  "renderer",
  "tide table",
  "queue",
  "session",
];
/** How summaries begin. */
export const phrases = verbs.flatMap((verb) => things.map((thing) => `${verb} the ${thing}`));
/** What happens during a run; its start and its end make a sixth of all events. */
const usual: [EventKind, number][] = [
  ...([
    ["step.usage", 60],
    ["issue.opened", 5],
    ["issue.closed", 4],
    ["pr.opened", 5],
  ] as const),
  ...([
    ["pr.merged", 4],
    ["pr.review", 3],
    ["workflow.run", 2],
  ] as const),
].map(([kind, share]) => [kind, share]);
export const kinds = usual.flatMap(([kind, share]) => Array.from({ length: share }, () => kind));

function dice(index: number, salt: number): number {
  let hash = Math.imul(index ^ (salt * 0x9e3779b9), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Runs go on beside each other, so many at once, each of so many events: neighbours in the log have much in
 * common.
 */
export const runsAtOnce = 8;
export const runLength = 12;
/** One run of so many fails. */
export const failing = 9;
/** Tasks of a project: a log of more than a million events has more of them, not longer ones. */
export const tasksOf = (count: number): number => Math.max(5_000, Math.ceil(count / 200));
export const people = ["human:maria", "human:noor", "human:tomas"];
export const lanes = ["lane_a", "lane_b", "lane_c"];
export const models = ["model-0", "model-1"];
/** One event of so many is a rare one. */
export const rareEvery = (count: number): number => Math.ceil(count / 5);

function kindOf(index: number, run: number): EventKind {
  const place = Math.floor((index % (runsAtOnce * runLength)) / runsAtOnce);
  if (place === 0) return "run.started";
  if (place === runLength - 1) return run % failing === 0 ? "run.failed" : "run.finished";
  return kinds[dice(index, 2) % kinds.length] as EventKind;
}

/** Event number `index` of a log that will have `count`. */
export function longLogEvent(index: number, count: number): Appendable {
  const block = Math.floor(index / (runsAtOnce * runLength));
  const run = block * runsAtOnce + (index % runsAtOnce);
  const kind = kindOf(index, run);
  const share = dice(run, 1) % 100;
  // More than half of what happens does in two projects; the others share the rest.
  const number = share < 60 ? share % 2 : 2 + (dice(run, 3) % (projectCount - 3));
  const project = block * runsAtOnce * runLength < count / 2 && share >= 80 ? inactive : slugOf(number);
  const [verb, thing] = [verbs[dice(index, 4) % verbs.length], things[dice(index, 5) % things.length]];
  const working = kind === "step.usage" || kind.startsWith("run.");
  const task = 1 + (dice(run, 6) % tasksOf(count));
  const isRare = index % rareEvery(count) === 7;
  return {
    ...{
      ts: timeOf(index, count),
      kind: isRare ? "run.failed" : kind,
      project,
      repo: `acme/${project}`,
      issue: task,
    },
    ...(working && !isRare && { run_id: `run-${run}` }),
    ...{
      pr: kind.startsWith("pr.") && !isRare ? task : null,
      lane: lanes[dice(run, 10) % lanes.length] as string,
    },
    actor: working
      ? `agent:${project}-${dice(run, 7) % 4}`
      : (people[dice(run, 8) % people.length] as string),
    summary: `${verb} the ${thing} for #${task}${isRare ? ", as the heliograph reported" : ""}`,
    model: working ? (models[dice(run, 11) % models.length] as string) : null,
    ...{
      tokens_in: working ? dice(index, 12) % 90_000 : 0,
      tokens_out: working ? dice(index, 13) % 4_000 : 0,
    },
    ...{
      cost_equiv: working ? (dice(index, 13) % 4_000) / 10_000 : 0,
      duration_ms: working ? dice(index, 14) % 300_000 : null,
    },
    ...{ url: `https://github.com/acme/${project}/issues/${task}`, dedupe_key: `grown:${index}` },
  };
}

/** As an append leaves it, with fields that have no columns. */
function rowOf(index: number, count: number): Record<string, unknown> {
  const { ts, dedupe_key, ...said } = longLogEvent(index, count);
  const bare = Object.fromEntries(eventFields.map((field) => [field, field in counted ? 0 : null]));
  // safe because: every field is there
  const row = { ...bare, ...said, id: index + 1, ts } as unknown as EventRow;
  return { ...row, dedupe_key, wire: renderEvent(row) };
}

/**
 * The runs of a log that is filled in its order, as appends leave them: each once its last event was there,
 * the rest at the end.
 */
class LongLogRuns {
  readonly #open = new Map<string, RunState>();

  /** Folds an event. @returns the run that it ends, if it does */
  add(row: EventRow): RunState | null {
    if (row.run_id === null) return null;
    const event = {
      ...row,
      at: row.ts,
      parent: null,
      branch: null,
      token: null,
      isHook: false,
      turn: null,
      isCorrection: false,
      files: [],
    };
    const run = this.#open.get(row.run_id) ?? emptyRun(row.run_id, null, event);
    foldEvent(run, event);
    if (run.status === "running") this.#open.set(run.id, run);
    else this.#open.delete(run.id);
    return run.status === "running" ? null : run;
  }

  rest = (): RunState[] => [...this.#open.values()];
}

const runColumns = Object.keys(getTableColumns(sqliteTables().runs));
const runValues = (state: RunState): (string | number | null)[] => {
  const row: Record<string, unknown> = toRow({ state, listed: null });
  return runColumns.map((column) => row[column] as string | number | null);
};
const counted = { tokens_in: 0, tokens_out: 0, cache_read: 0, cache_write: 0, cost_equiv: 0 };

/**
 * Fills a new file of SQLite around the appends of the data layer, which would take hours. The data layer
 * derives terms and sums of usage, as it does behind appends.
 * @param data of the same file
 */
export async function fillFile(data: Data, path: string, count: number): Promise<void> {
  const database = new Database(path);
  database.exec("pragma synchronous = off; pragma cache_size = -1000000; pragma busy_timeout = 60000");
  const insert = database.prepare(
    `insert into events (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
  );
  const insertRun = database.prepare(
    `insert into runs (${runColumns.join(", ")}) values (${runColumns.map(() => "?").join(", ")})`,
  );
  const runs = new LongLogRuns();
  for (let first = 0; first < count; first += filledAtOnce) {
    const end = Math.min(count, first + filledAtOnce);
    database.exec("begin immediate");
    for (let index = first; index < end; index++) {
      const row = rowOf(index, count);
      insert.run(...columns.map((column) => row[column] as string | number | null));
      const ended = runs.add(row as unknown as EventRow);
      if (ended) insertRun.run(...runValues(ended));
    }
    database.run(moveHead, [end, timeOf(end - 1, count)]);
    database.exec("commit");
    await data.rebuildDerivedRows([]);
  }
  for (const run of runs.rest()) insertRun.run(...runValues(run));
  for (const statement of fillFacets) database.run(statement);
  database.close();
  await data.rebuildDerivedRows(["counters", "issues", "pulls"]);
}

const fillFacets = [
  `insert into facets (project, kind, actor, lane, team, person)
    select distinct project, kind, actor, lane, '', '' from events`,
  // `cross` keeps the order: for each facet, SQLite would read all events of its lane.
  `insert into facet_events (facet, ts) select f.id, e.ts from events as e
    cross join facets as f using (project, kind, actor, lane) order by 1, 2`,
];

const filledAtOnce = 50_000;
/** Events up to here are pending then, so that the data layer indexes and sums them. */
const moveHead = "update feed_head set id = ?, ts = ?";

const putAtOnce = 1_000;

/** Live events by the usual way, a thousand at once. @returns how many in a second */
export async function appendMore(data: Data, from: number, more: number, count: number): Promise<number> {
  const start = performance.now();
  for (let first = from; first < from + more; first += putAtOnce) {
    const batch = Array.from({ length: putAtOnce }, (_, index) => {
      const { ts, ...event } = longLogEvent(first + index, count);
      return { ...event, dedupe_key: `more:${ts}` };
    });
    await data.atomically((writes) => writes.append(batch));
  }
  return (more / (performance.now() - start)) * 1000;
}
