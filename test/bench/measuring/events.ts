/** Events as a team of agents leaves them: the same ones in every run. */
import { Database } from "bun:sqlite";
import { getTableColumns } from "drizzle-orm";
import { openData } from "../../../db/open.ts";
import { sqliteTables, type Tables } from "../../../db/schema/sqlite-tables.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import type { ProjectLink } from "../../../src/feed/projects/schema.ts";
import { renderEvent } from "../../../src/feed/render-event.ts";
import { type Event, type EventKind, type EventRow, eventFields } from "../../../src/feed/schema.ts";
import { copyDatabase } from "./copied-database.ts";
import { kindAt, type Mix, usualMix } from "./mixes.ts";

export const projects: ProjectLink[] = ["atlas", "beacon", "cargo"].map((slug) => ({
  slug,
  repo: `acme/${slug}`,
}));
const models = ["claude-opus-5", "gpt-6-codex", "gemini-4-pro", null];
const lanes = ["lane_a", "lane_b", "lane_c"];
const steps = [
  "read the failing test and its fixtures",
  "ran the suite: 2 of 318 fail",
  "rewrote the parser of time stamps",
  "edited 4 files",
];

/** The event number `index`, without `ts`, which the feed gives. */
export function eventOf(
  index: number,
  mix: Mix = usualMix,
  kind: EventKind = kindAt(mix, index),
): Omit<Event, "id" | "ts"> {
  const dice = Math.imul(index ^ 0x9e3779b9, 0x85ebca6b) >>> 8;
  const task = 1 + (dice % 900);
  const { slug, repo } = projects[dice % 3] as ProjectLink;
  const model = models[dice % 4] as string | null;
  const summary = summaryOf(kind, task, steps[dice % steps.length] as string);
  const working = kind === "step.usage" || kind === "run.finished";
  return {
    ...{ kind, actor: working ? `agent:${slug}-${dice % 7}` : "human:maria", summary, project: slug, repo },
    ...{ issue: task, pr: kind.startsWith("pr.") ? task + 1 : null, lane: lanes[dice % 3] as string, model },
    ...{
      subscription: model && "team-plan",
      tokens_in: working ? dice % 90_000 : 0,
      tokens_out: working ? dice % 4_000 : 0,
    },
    ...{
      cache_read: working ? dice % 60_000 : 0,
      cache_write: 0,
      cost_equiv: working ? (dice % 4_000) / 10_000 : 0,
    },
    ...{ duration_ms: working ? dice % 300_000 : null, url: `https://github.com/${repo}/issues/${task}` },
  };
}

function summaryOf(kind: EventKind, task: number, step: string): string {
  if (kind === "step.usage") return `Run ${task}: ${step}`;
  if (kind === "issue.opened") return `#${task} Import stops at an empty line`;
  if (kind === "run.started") return `Run ${task} started on #${task}`;
  if (kind === "run.finished") return `Run ${task} finished: 12 files changed, suite green`;
  if (kind === "pr.opened") return `Pull request ${task + 1}: read empty lines as ends of records`;
  if (kind === "pr.merged") return `Pull request ${task + 1} merged`;
  return `${kind.replace(".", " ")} for #${task}: import stops at an empty line`;
}

/** The columns of an event from no webhook. */
export const columns = Object.keys(getTableColumns(sqliteTables().events)).filter(
  (name) => name !== "delivery_id" && name !== "payload",
) as (keyof StoredEvent)[];
type StoredEvent = Tables["events"]["$inferSelect"];

type Value = string | number | null;

const insertInto = (names: readonly string[]) =>
  `insert into events (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`;

const rowOf = (index: number, ts: number, mix: Mix): EventRow => ({
  ...{
    task: null,
    run_id: null,
    cost_source: null,
    team: null,
    person: null,
    ...eventOf(index, mix),
    id: index + 1,
    ts,
  },
});

/** The values of one row. */
export function valuesOf(index: number, ts: number, mix: Mix = usualMix): Value[] {
  const row = rowOf(index, ts, mix);
  const stored = {
    ...row,
    dedupe_key: `bench:${index}`,
    wire: renderEvent(row),
    delivery_id: null,
    payload: null,
  };
  return columns.map((name) => stored[name]);
}

/** `ts` of event `index` of a database that `makeDatabase` filled. */
export const timeOf = (index: number): number =>
  Date.UTC(2026, 0, 1) * 1000 + index * 7 * secondMicros + (index % 999);

/** Smaller ones are made sooner than copied. */
const copiedMin = 100_000;

/** A database as `svc` leaves it, with `count` events. A large one is made once, and copied from then on. */
export const makeDatabase = (path: string, count: number, mix: Mix = usualMix): Promise<void> =>
  count < copiedMin
    ? fillDatabase(path, count, mix)
    : copyDatabase(path, `${count}-${mix}`, (source) => fillDatabase(source, count, mix));

/** Written around the data layer, which would take minutes. */
async function fillDatabase(path: string, count: number, mix: Mix): Promise<void> {
  const data = await openData(`sqlite:${path}`, { now: () => Date.now() * 1000, log() {} });
  await data.atomically(async (writes) => {
    for (const link of projects) await writes.linkProject(link, timeOf(0));
  });
  await data.close();
  if (count === 0) return;
  const database = new Database(path);
  database.exec(
    "pragma synchronous = off; pragma journal_mode = off; pragma cache_size = -500000; begin immediate",
  );
  const insert = database.prepare(insertInto(columns));
  for (let index = 0; index < count; index++) insert.run(...valuesOf(index, timeOf(index), mix));
  database.run("update feed_head set id = ?, ts = ?, derived = ?", [count, timeOf(count - 1), count]);
  database.exec("commit; pragma journal_mode = wal");
  database.close();
}

/** The same events in a table of a plain program: a column for each field of an event. */
export function makePlainDatabase(path: string, count: number, mix: Mix = usualMix): void {
  using database = new Database(path);
  database.exec("pragma synchronous = off; pragma journal_mode = off; begin");
  const fields = eventFields.map((name) => (name === "ts" ? "ts integer primary key" : name));
  database.exec(`create table events (${fields.join(", ")})`);
  const insert = database.prepare(insertInto(eventFields));
  for (let index = 0; index < count; index++) {
    const row = rowOf(index, timeOf(index), mix);
    insert.run(...eventFields.map((field) => row[field]));
  }
  database.exec("commit; pragma journal_mode = wal");
}
