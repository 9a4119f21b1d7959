/**
 * OpenAI Codex. Its logs name the place in its source code as `eventName`, so the attribute decides. Its
 * traces repeat the usage of the logs.
 */
import type { LogRecord } from "../records.ts";
import type { Source, Unplaced } from "./source.ts";
import { excludingCache, failedStep, runEvent, type Step, toRunId, usageStep } from "./step.ts";
import { readCount, readName } from "./values.ts";

const actor = "agent:codex";

function mapLog({ attributes, timeNanos }: LogRecord): Unplaced | null {
  const event = attributes.get("event.name");
  if (event !== "codex.conversation_starts" && event !== "codex.sse_event") return null;
  const session = readName(attributes, "conversation.id");
  const model = readName(attributes, "model");
  const step: Step = { actor, run: session, nanos: timeNanos, model, key: `${session}:${timeNanos}` };
  if (event === "codex.conversation_starts") {
    if (session === undefined) return null;
    // The key of the hook, so that a session starts once with both.
    const start = { ...step, key: `hook:codex:${toRunId(session)}:start` };
    return runEvent("run.started", start, `Codex started with ${model ?? "a model"}`);
  }
  const kind = attributes.get("event.kind");
  if (kind === "response.failed") return failedStep(step, undefined);
  const input = readCount(attributes, "input_token_count");
  // The same kind is logged twice: once with a duration, once with the tokens.
  if (kind !== "response.completed" || input === undefined) return null;
  const cache_read = readCount(attributes, "cached_token_count") ?? 0;
  const cache_write = readCount(attributes, "cache_write_token_count") ?? 0;
  const tokens_out = readCount(attributes, "output_token_count") ?? 0;
  return usageStep(
    { ...step, provider: "openai", key: `${step.key}:${input}:${tokens_out}` },
    { tokens_in: excludingCache(input, cache_read, cache_write), tokens_out, cache_read, cache_write },
  );
}

export const codex: Source = {
  label: "Codex",
  sends: "Logs `codex.conversation_starts`, `codex.sse_event`",
  tokens: "Input includes the cache: taken out",
  cost: "computed",
  runs: "Start; the end by its hooks",
  owns: (scope, service) => scope.startsWith("codex_") || service.startsWith("codex"),
  map: (record) => (record.signal === "log" ? mapLog(record) : null),
};
