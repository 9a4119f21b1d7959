/**
 * Claude Code. Its logs have all that its metrics and traces have. `input_tokens` leaves the cache out. Its
 * hooks report runs, so an error of a request is a step, not the end of one.
 */
import { subagentId, subagentRunId } from "../../../core/agents/subagent-run.ts";
import type { LogRecord } from "../records.ts";
import type { Source, Unplaced } from "./source.ts";
import { failedStep, keyOf, type Step, toRunId, usageStep } from "./step.ts";
import { readCount, readName, toAmount, toCode } from "./values.ts";

const actor = "agent:claude-code";

function mapLog({ attributes, name, timeNanos }: LogRecord): Unplaced | null {
  const event = name.replace("claude_code.", "");
  if (event !== "api_request" && event !== "api_error") return null;
  const session = readName(attributes, "session.id");
  // A resumed session counts its events from 0 again, so the time is part of the key.
  const sequence = timeNanos && `${readCount(attributes, "event.sequence") ?? ""}:${timeNanos}`;
  const step: Step = {
    actor,
    nanos: timeNanos,
    model: readName(attributes, "model"),
    ...runOf(session, subagentId(attributes.get("agent_id"))),
    duration: readCount(attributes, "duration_ms"),
    key: readName(attributes, "request_id") ?? keyOf(session, sequence),
  };
  if (event === "api_error") return failedStep(step, toCode(attributes.get("status_code")));
  const cost = toAmount(attributes.get("cost_usd"));
  return usageStep(
    { ...step, provider: "anthropic", cost },
    {
      tokens_in: readCount(attributes, "input_tokens") ?? 0,
      tokens_out: readCount(attributes, "output_tokens") ?? 0,
      cache_read: readCount(attributes, "cache_read_tokens") ?? 0,
      cache_write: readCount(attributes, "cache_creation_tokens") ?? 0,
    },
  );
}

/** The run of a call: that of the subagent that made it, else that of the session. */
const runOf = (session: string | undefined, agent: string | undefined): Pick<Step, "run" | "parent"> =>
  session !== undefined && agent !== undefined
    ? { run: subagentRunId(toRunId(session), agent), parent: session }
    : { run: session };

export const claudeCode: Source = {
  label: "Claude Code",
  sends: "Logs `api_request`, `api_error`",
  tokens: "Input without the cache, as sent",
  cost: "reported or computed",
  runs: "By its hooks",
  owns: (scope, service) =>
    scope.startsWith("com.anthropic.claude_code") || service.startsWith("claude-code"),
  map: (record) => (record.signal === "log" ? mapLog(record) : null),
};
