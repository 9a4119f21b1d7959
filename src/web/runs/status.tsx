/** The status of a run, and its facts in one line. */
import type { Run } from "../../feed/runs/schema.ts";
import { formatCost, formatDuration } from "../format.ts";
import { type IconName, StatusLabel, type Tone } from "../icons/icons.tsx";

const styles: Record<Run["status"], [IconName, Tone]> = {
  running: ["run", "info"],
  waiting: ["person", "warn"],
  idle: ["clock", "info"],
  finished: ["check", "good"],
  failed: ["cross", "bad"],
  lost: ["clock", "warn"],
};

export function RunStatus({ status }: Pick<Run, "status">) {
  const [icon, tone] = styles[status];
  return <StatusLabel icon={icon} tone={tone} text={status} />;
}

/** 3 min · $0.42; a run without an end has no duration yet. */
export const runFacts = ({ duration_ms, cost_equiv }: Pick<Run, "duration_ms" | "cost_equiv">): string =>
  [duration_ms === null ? null : formatDuration(duration_ms), cost_equiv > 0 ? formatCost(cost_equiv) : null]
    .filter((fact) => fact !== null)
    .join(" · ");
