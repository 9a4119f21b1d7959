/** The reads that are compared on a small log and a large one. */
import type { Database } from "bun:sqlite";
import type { Context } from "../../../src/api/context.ts";
import type { Data } from "../../../src/api/port.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { readConfig } from "../../../src/core/config.ts";
import { dayMicros, dayOf } from "../../../src/core/lib/time.ts";
import { type GroupedQuery, groupedPage } from "../../../src/feed/grouped.ts";
import { streamBatchMax } from "../../../src/feed/port.ts";
import { listRuns } from "../../../src/feed/runs/runs.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import { brief } from "../../../src/overview/brief/brief.ts";
import { loadInbox } from "../../../src/overview/inbox/inbox.ts";
import { getProject } from "../../../src/overview/projects/project-detail.ts";
import { getRun } from "../../../src/overview/runs/run-detail.ts";
import { loadToday } from "../../../src/overview/today/today.ts";
import { inactive, slugOf, timeOf } from "./long-log.ts";

/** Calls of each read. */
export const calls = 200;

export interface Log {
  data: Data;
  count: number;
  /** How many were appended since it was filled. */
  appended?: number;
  /** Times of the newest events, the newest first. */
  recent?: number[];
  /** The same file without us. */
  plain?: Database;
}

export type Read = (log: Log, call: number) => Promise<unknown>;

/** An instant of the log, another one for each call. */
const recently = ({ recent = [] }: Log, back: number): number => recent[back] as number;

const instant = ({ count }: Log, call: number): number =>
  timeOf(Math.floor((((call * 7919) % calls) / calls) * 0.8 * count + 0.2 * count), count);

/** What SQLite alone takes for it. */
const plainly = ({ plain }: Log, field: "kind" | "project", value: string, before: number) =>
  plain
    ?.query(`select wire from events where ${field} = ? and ts < ? order by ts desc limit ?`)
    .all(value, before, limit);

const [busy, also, third] = [slugOf(0), slugOf(1), slugOf(2)];
const agent = `agent:${busy}-1`;
/** Of those who are in one lane the busiest: the small log has whole pages of them as well. */
const [resident, lane] = [`agent:${also}-1`, "lane_b"];
const limit = 50;

const config = readConfig({});
/** It is the moment after the newest event. */
const now = ({ count }: Log) => timeOf(count, count);
/** safe because: these reads ask for nothing else */
export const ctx = (log: Log) =>
  ({ data: log.data, config, now: () => now(log), secret: "bench" }) as Context;
const grouped = ({ data }: Log, query: Omit<GroupedQuery, "limit">) =>
  groupedPage({ data, config }, { ...query, limit }, adminCaller);

/** What the API sends of it. */
const page = (
  { data }: Log,
  query: Omit<Parameters<Data["feed"]>[1], "limit">,
  projects: string[] | null = null,
) => data.feed(projects, { ...query, limit: limit + 1 });

export const reads: Record<string, Read> = {
  "feed, newest page": (log) => page(log, {}),
  "feed, any page": (log, call) => page(log, { before: instant(log, call) }),
  "feed, what is new": (log) => page(log, { after: recently(log, 20) }),
  "feed with runs, newest page": (log) => grouped(log, {}),
  "feed with runs, any page": (log, call) => grouped(log, { before: instant(log, call) }),
  "feed with runs of a project, any page": (log, call) =>
    grouped(log, { project: busy, before: instant(log, call) }),
  "runs, newest page": (log) => listRuns(ctx(log), { limit }, adminCaller),
  "runs of an actor": (log) => listRuns(ctx(log), { actor: agent, limit }, adminCaller),
  "runs that failed, any page": (log, call) =>
    log.data.runs(null, { status: "failed", before: instant(log, call), limit }),
  "a run": (log, call) => getRun(ctx(log), { id: `run-${call}` }, adminCaller),
  Today: (log) => loadToday(ctx(log), adminCaller),
  Inbox: (log) => loadInbox(ctx(log), {}, adminCaller),
  project: (log) => page(log, { project: busy }),
  "project, any page": (log, call) => page(log, { project: busy, before: instant(log, call) }),
  "project, any page, SQLite alone": async (log, call) => plainly(log, "project", busy, instant(log, call)),
  "inactive project": (log) => page(log, { project: inactive }),
  kind: (log) => page(log, { kind: "step.usage" }),
  "kind, any page": (log, call) => page(log, { kind: "run.finished", before: instant(log, call) }),
  "kind, any page, SQLite alone": async (log, call) =>
    plainly(log, "kind", "run.finished", instant(log, call)),
  actor: (log) => page(log, { actor: agent }),
  "lane, any page": (log, call) => page(log, { lane: "lane_b", before: instant(log, call) }),
  "project and kind": (log) => page(log, { project: busy, kind: "step.usage" }),
  "project and a rarer kind": (log) => page(log, { project: also, kind: "pr.review" }),
  "project and a kind it never had": (log) => page(log, { project: busy, kind: "preview.failed" }),
  "project and another's actor": (log) => page(log, { project: also, actor: agent }),
  "kind and lane": (log) => page(log, { kind: "step.usage", lane: "lane_a" }),
  "kind and lane, any page": (log, call) =>
    page(log, { kind: "pr.merged", lane: "lane_a", before: instant(log, call) }),
  "actor and lane, any page": (log, call) => page(log, { actor: resident, lane, before: instant(log, call) }),
  "all four": (log) => page(log, { project: busy, kind: "step.usage", actor: agent, lane: "lane_a" }),
  "three projects": (log) => page(log, {}, [busy, also, inactive]),
  "three projects and a kind": (log) => page(log, { kind: "run.finished" }, [busy, inactive, third]),
  "stream, from a place": (log) =>
    log.data.feed(null, { order: "oldest first", after: recently(log, 30), limit: streamBatchMax }),
  brief: (log, call) => brief(ctx(log), { project: busy, issue: 1 + call }, adminCaller),
  "page of a project": (log) => getProject(ctx(log), busy, adminCaller),
  "page of an inactive project": (log) => getProject(ctx(log), inactive, adminCaller),
  "usage since yesterday": (log) => log.data.usage(busy, dayOf(now(log) - dayMicros)),
  projects: ({ data }) => data.projects(null, { limit }),
  decisions: ({ data }) => data.currentDecisions(busy, limit),
  "recall, words that are everywhere": (log) => recall(ctx(log), { query: "parser tested" }, adminCaller),
  "recall, a word that is everywhere": (log) => recall(ctx(log), { query: "parser" }, adminCaller),
  "recall, the beginning of a word": (log) => recall(ctx(log), { query: "importer ren" }, adminCaller),
  "recall, a typing error": (log) => recall(ctx(log), { query: "schedulre" }, adminCaller),
  "recall, a rare word": (log) => recall(ctx(log), { query: "heliograph" }, adminCaller),
  "recall, a rare word and one that is everywhere": (log) =>
    recall(ctx(log), { query: "heliograph ledger" }, adminCaller),
  "recall, two that are everywhere and never meet, asked again": (log) =>
    recall(ctx(log), { query: "renderer queue" }, adminCaller),
  "recall, of a project": (log) =>
    recall(ctx(log), { query: "decision on the tide table", project: busy }, adminCaller),
};
