/** The rows of the table for a fleet of agents. */
import type { Result } from "../measuring/measure.ts";
import { limitedResult } from "../measuring/targets.ts";
import type { Driven } from "./driver.ts";
import { type Action, actions, type Plan, type Timed } from "./sessions.ts";

export interface Used {
  /** Peak memory of the server. */
  megabytes: number;
  /** Share of its core: while sessions start, and once all of them run. */
  cpuOfStarts: number;
  cpuOfAll: number;
  /** After the first session began. */
  killedAtMs: number;
  /** From the kill until the next server listened. */
  outageMs: number;
}

const limitMs = 250;
const limitMegabytes = 600;

const labels: Record<Action, string> = {
  start: "start of a run",
  brief: "brief",
  report: "usage event",
  review: "review",
  wait: "review until the agent that waits has it",
  finish: "end of a run",
};

export function fleetRows(plan: Plan, driven: Driven, used: Used, lost: number): Result[] {
  const { sessions, timeoutMs } = plan;
  const row = (what: string, svc: string, amount: number, limit: readonly [number, string]): Result =>
    limitedResult(`${sessions} agents, ${what}`, svc, amount, limit);
  const { acknowledged, missing, repeated, refused, busy } = driven;
  const share = (value: number) => `${Math.round(value * 100)} %`;
  const unfinished = acknowledged.filter(({ finish }) => finish === 0).length;
  return [
    ...actions.map((action) => {
      const times = driven.times[action];
      const p99 = slowest(times, timeoutMs);
      return row(labels[action], textOf(times, plan, used), p99, [limitMs, "ms"]);
    }),
    row(
      "peak memory",
      `${Math.round(used.megabytes)} MB, ${share(used.cpuOfStarts)} CPU while they start, ${share(used.cpuOfAll)} once all run (load tool ${share(busy)} busy)`,
      used.megabytes,
      [limitMegabytes, "MB"],
    ),
    row(
      "sessions that did not finish",
      `${unfinished} of ${sessions}; ${refused} requests refused or without an answer, and sent again; outage ${Math.round(used.outageMs)} ms`,
      unfinished,
      [0, "sessions"],
    ),
    row(
      "events lost over a kill and restart",
      `${lost} of the feed, ${missing.length} of webhooks (${repeated} repeated)`,
      lost + missing.length,
      [0, "events"],
    ),
  ];
}

/** The slowest percent; `timeoutMs` without any answer. */
function slowest(times: readonly Timed[], timeoutMs: number, share = 0.99): number {
  const sorted = times.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? timeoutMs;
}

/** `p99 12 ms, p50 3.1 ms of 10000 (p99 10 ms while sessions start, 14 ms once all run, …)` */
function textOf(times: readonly Timed[], { rampMs, timeoutMs }: Plan, { killedAtMs }: Used): string {
  const phases: [string, readonly Timed[]][] = [
    ["while sessions start", times.filter(({ sentAtMs }) => sentAtMs < rampMs)],
    ["once all run", times.filter(({ sentAtMs }) => sentAtMs >= rampMs && sentAtMs < killedAtMs)],
    ["after the kill", times.filter(({ sentAtMs }) => sentAtMs >= killedAtMs)],
  ];
  const texts = phases.flatMap(([phase, part]) =>
    part.length > 0 && part.length < times.length ? `${slowest(part, timeoutMs).toFixed(0)} ms ${phase}` : [],
  );
  const all = `p99 ${slowest(times, timeoutMs).toFixed(0)} ms, p50 ${slowest(times, timeoutMs, 0.5).toFixed(1)} ms of ${times.length}`;
  return texts.length > 0 ? `${all} (p99 ${texts.join(", ")})` : all;
}
