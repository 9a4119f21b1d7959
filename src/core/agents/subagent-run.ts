/** The runs of subagents, which hooks and telemetry report. */

/** An id that an agent gives its subagent. */
export const subagentId = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.:@+-]{1,64}$/.test(value) ? value : undefined;

/** Characters of the id of a run. */
export const runIdMax = 128;

/** The run of a subagent whose id is unique within its session only: at most 128 characters. */
export const subagentRunId = (session: string, id: string): string =>
  `${session.slice(0, runIdMax - id.length - 1)}/${id}`;
