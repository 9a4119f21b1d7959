/** The kinds of events that are a run: its start, its steps, and its end. All others stand for themselves. */

import { kinds } from "../kinds.ts";
import type { EventKind } from "../schema.ts";

export const runKinds = [
  "run.started",
  "run.finished",
  "run.failed",
  "step.usage",
] as const satisfies EventKind[];

const isRunKind = (kind: EventKind): boolean => (runKinds as readonly EventKind[]).includes(kind);
export const otherKinds: readonly EventKind[] = kinds.filter((kind) => !isRunKind(kind));
