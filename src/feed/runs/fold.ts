/**
 * The state of a run, folded from its events. Each value is the maximum, minimum, union or sum over the
 * events, so their order does not matter, and folding a part of them later gives the same state.
 */

import type { Micros } from "../../core/lib/time.ts";
import type { RunRow } from "../rows.ts";
import type { EventRow } from "../schema.ts";
import { boundedAdd } from "../usage/sums.ts";
import type { ReadPayload, Turn } from "./payload.ts";
import { foldPosition } from "./position.ts";
import type { StoredRunStatus } from "./schema.ts";
import { foldFiles, type TouchedFile } from "./touched-files.ts";

/** The times that decide between the values of two events. */
export interface RunMarks {
  /** Time and rank of the newest start or end; absent before the first. */
  state?: Mark;
  /** Whether `listed_at` is a start or an end. */
  listed?: boolean;
  /** What the newest end says it took, in milliseconds. */
  reported?: number;
  /** Of the summary; its first number is 1 for the kinds of a run and 0 for all others, which yield. */
  summary?: [isOfRun: number, ...Mark];
  lane?: Micros;
  branch?: Micros;
  /** Of the actor: 0 for a step, whose actor does the work, 1 for a start or end, 2 for other kinds. */
  actor?: [yields: number, at: Micros];
  issue?: Micros;
  pr?: Micros;
  parent?: Micros;
  person?: Micros;
  team?: Micros;
  /** Time and rank of the newest turn of a session; of one that waits for an answer, its time in the feed, too. */
  turn?: Mark | [...Mark, ts: Micros];
  /** Of the token; its first number is 1 for what hooks report and 0 for all others, which yield. */
  token?: [isHook: number, ...Mark];
}
/** A time, and the rank that decides between events of the same time. */
type Mark = [at: Micros, rank: number];

export interface RunState extends Omit<RunRow, "opened_task" | "brief" | "issue_of_pr" | "task"> {
  /** The token that reports it, until its end; see join-run.ts. */
  token: string | null;
  files: readonly TouchedFile[];
  marks: RunMarks;
}

/** An event of a run: when it happened by its sender's clock if known, else its time in the feed. */
export interface RunEvent extends EventRow, Omit<ReadPayload, "at"> {
  at: Micros;
}

/** The most models of a run: the first by name. */
const modelsMax = 16;

/** The kinds of a run; of two events at one time, that of the higher rank is the newer. */
const ranks: Partial<Record<EventRow["kind"], number>> = {
  "run.started": 0,
  "step.usage": 1,
  "run.finished": 2,
  "run.failed": 3,
};
const turnRanks: Record<Turn, number> = { working: 0, idle: 1, waiting: 2 };
/** What an agent does that waits for no answer. What people do with its work is no sign of it. */
const signsOfLife = new Set<EventRow["kind"]>([
  "run.started",
  "step.usage",
  "asset.uploaded",
  "decision.captured",
  "run.lost", // after a day without an answer, its agent is gone
]);
/** By the rank of an end. */
const endedStatuses: Partial<Record<number, "finished" | "failed">> = { 2: "finished", 3: "failed" };

/** The state before the first event. @param event any event of the run */
export const emptyRun = (id: string, rule_key: string | null, event: RunEvent): RunState => ({
  id,
  project: event.project as string,
  rule_key,
  issue: null,
  pr: null,
  actor: event.actor,
  models: [],
  lane: null,
  status: "running",
  started_at: event.at,
  ended_at: null,
  last_event_at: event.ts,
  waiting_since: null,
  listed_at: event.ts,
  duration_ms: null,
  steps: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read: 0,
  cache_write: 0,
  cost_equiv: 0,
  summary: "",
  parent: null,
  branch: null,
  assets: 0,
  decisions: 0,
  token: null,
  person: null,
  team: null,
  files: [],
  marks: {},
});

/** Adds an event to the state. */
export function foldEvent(run: RunState, event: RunEvent): void {
  const { kind, at } = event;
  if (kind === "run.waiting") return; // tells of it, as `run.lost` does of the silence, and does not end it
  endWait(run, event);
  if (kind === "run.lost") return;
  run.started_at = Math.min(run.started_at, at);
  run.last_event_at = Math.max(run.last_event_at, event.ts);
  foldPosition(run, event);
  if (kind === "step.usage") run.steps += Number(isStep(event));
  else if (kind === "asset.uploaded") run.assets++;
  else if (kind === "decision.captured") run.decisions++;
  addUsage(run, event);
  foldState(run, event);
  foldTurn(run, event);
  setStatus(run);
  foldToken(run, event);
  foldSummary(run, event);
  foldNames(run, event);
  run.files = foldFiles(run.files, event);
  const { reported } = run.marks;
  run.duration_ms =
    run.ended_at === null
      ? null
      : (reported ?? Math.max(0, Math.round((run.ended_at - run.started_at) / 1000)));
}

/** What hooks say of turns and of files is no step of the work. */
const isStep = ({ turn, isCorrection, isHook, files }: RunEvent): boolean =>
  turn === null && !isCorrection && !(isHook && files.length > 0);

const usageFields = ["tokens_in", "tokens_out", "cache_read", "cache_write"] as const;

function addUsage(run: RunState, event: RunEvent): void {
  for (const field of usageFields) if (event[field] !== 0) run[field] = boundedAdd(run[field], event[field]);
  run.cost_equiv += event.cost_equiv;
}

function setStatus(run: RunState): void {
  run.status = statusOf(run.marks);
  run.waiting_since = run.status === "waiting" ? (run.marks.turn?.[2] ?? null) : null;
}

/**
 * A session that has started is idle once its agent waits for a prompt, until the next start or prompt, and
 * waiting once it waits for an answer, until the next sign of life.
 */
function statusOf({ state, turn }: RunMarks): StoredRunStatus {
  const ended = state && endedStatuses[state[1]];
  if (ended) return ended;
  if (!turn || (state && turn[0] < state[0])) return "running";
  return turn[1] === turnRanks.waiting ? "waiting" : turn[1] === turnRanks.idle ? "idle" : "running";
}

function foldTurn({ marks }: RunState, { at, ts, turn }: RunEvent): void {
  if (turn === null) return;
  const mark: RunMarks["turn"] = turn === "waiting" ? [at, turnRanks.waiting, ts] : [at, turnRanks[turn]];
  if (!marks.turn || compare(mark, marks.turn) > 0) marks.turn = mark;
}

/**
 * Ends a wait for an answer at a later sign of life. The clocks of the agent and of this service are never
 * compared: a step that its machine reports late, with an earlier time, is none.
 */
function endWait(run: RunState, { kind, at, ts, turn }: RunEvent): void {
  const [waitAt = 0, rank, waitTs = 0] = run.marks.turn ?? [];
  if (rank !== turnRanks.waiting || turn !== null || !signsOfLife.has(kind) || ts <= waitTs) return;
  if (at !== ts && at <= waitAt) return;
  run.marks.turn = [waitAt, turnRanks.working];
  setStatus(run);
}

/** The newest start or end decides when the run ended. */
function foldState(run: RunState, { kind, at, duration_ms }: RunEvent): void {
  const rank = ranks[kind];
  if (rank === undefined || kind === "step.usage") return;
  const { marks } = run;
  const mark: Mark = [at, rank];
  const order = marks.state ? compare(mark, marks.state) : 1;
  if (order < 0) return;
  if (order > 0) delete marks.reported;
  marks.state = mark;
  run.ended_at = endedStatuses[rank] ? at : null;
  if (run.ended_at !== null && duration_ms !== null)
    marks.reported = Math.max(marks.reported ?? 0, duration_ms);
}

/**
 * The newest start sets the token, and the newest end removes it. Where hooks report, theirs decide: a
 * session goes on after its agent has reported that it finished.
 */
function foldToken(run: RunState, { kind, at, token, isHook }: RunEvent): void {
  const rank = ranks[kind];
  if (rank === undefined || kind === "step.usage") return;
  const mark: [number, ...Mark] = [Number(isHook), at, rank];
  const order = run.marks.token ? compare(mark, run.marks.token) : 1;
  if (order < 0 || (order === 0 && (token ?? "") <= (run.token ?? ""))) return;
  run.token = token;
  run.marks.token = mark;
}

/** The newest summary of a start, step or end; without one, of any event. */
function foldSummary(run: RunState, { kind, at, summary }: RunEvent): void {
  const rank = ranks[kind];
  const mark: [number, ...Mark] = [Number(rank !== undefined), at, rank ?? 0];
  const order = run.marks.summary ? compare(mark, run.marks.summary) : 1;
  if (order < 0 || (order === 0 && summary <= run.summary)) return;
  run.summary = summary;
  run.marks.summary = mark;
}

/** Actor, task, parent, person and team: what the first event said; the actor, the first step. Lane, branch: the newest. Models: all. */
function foldNames(run: RunState, event: RunEvent): void {
  const { kind, at, actor, lane, branch, model } = event;
  const { marks } = run;
  const mark: [number, Micros] = [kind === "step.usage" ? 0 : ranks[kind] === undefined ? 2 : 1, at];
  const order = marks.actor ? compare(mark, marks.actor) : -1;
  if (order < 0 || (order === 0 && actor < run.actor)) {
    run.actor = actor;
    marks.actor = mark;
  }
  foldFirst(run, "issue", event.issue, at);
  foldFirst(run, "pr", event.pr, at);
  foldFirst(run, "person", event.person, at);
  foldFirst(run, "team", event.team, at);
  if (event.parent !== run.id) foldFirst(run, "parent", event.parent, at);
  if (lane !== null && isNewer(at, lane, marks.lane, run.lane)) {
    run.lane = lane;
    marks.lane = at;
  }
  if (branch !== null && isNewer(at, branch, marks.branch, run.branch)) {
    run.branch = branch;
    marks.branch = at;
  }
  if (model !== null && !run.models.includes(model))
    run.models = [...run.models, model].sort().slice(0, modelsMax);
}

function foldFirst<F extends "issue" | "pr" | "parent" | "person" | "team">(
  run: RunState,
  field: F,
  value: RunState[F],
  at: Micros,
): void {
  if (value === null) return;
  const before = run.marks[field];
  if (before !== undefined && (at > before || (at === before && value >= (run[field] as typeof value))))
    return;
  run[field] = value;
  run.marks[field] = at;
}

const isNewer = (at: Micros, value: string, before: Micros | undefined, old: string | null): boolean =>
  before === undefined || at > before || (at === before && value > (old as string));

/** Below 0 when `a` comes before `b`. */
function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index < 0 ? 0 : (a[index] as number) - (b[index] as number);
}
