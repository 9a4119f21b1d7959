/** Which kinds of events a log holds: the parameter `--mix` of the benchmarks. */

import { reportableKinds } from "../../../src/feed/kinds.ts";
import type { EventKind } from "../../../src/feed/schema.ts";

export type Mix = "agents" | "forge" | "equal";
export const usualMix: Mix = "agents";

/** Kinds of events in a row, which repeat. */
export const mixes: Record<Mix, readonly EventKind[]> = {
  /** Agents that report each step. */
  agents: [
    ...(["issue.opened", "run.started"] as const),
    ...Array<EventKind>(15).fill("step.usage"),
    ...(["run.finished", "pr.opened", "pr.merged"] as const),
  ],
  /** A forge and its pipelines, without steps. */
  forge: [
    ...(["issue.opened", "issue.labeled", "issue.labeled", "pr.opened", "workflow.run"] as const),
    ...(["preview.ready", "pr.review", "workflow.run", "preview.ready", "pr.review"] as const),
    ...(["workflow.run", "pr.merged", "issue.closed", "issue.opened", "pr.opened"] as const),
    ...(["workflow.run", "preview.failed", "pr.closed", "workflow.run", "issue.closed"] as const),
  ],
  /** Every kind that can be reported. */
  equal: reportableKinds,
};

export const isMix = (name: string): name is Mix => Object.hasOwn(mixes, name);

export function kindAt(mix: Mix, index: number): EventKind {
  const list = mixes[mix];
  return list[index % list.length] as EventKind;
}
