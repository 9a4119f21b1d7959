/**
 * OpenAI Codex. Its logs name the place in its source code as `eventName`, so the attribute decides. Its
 * traces repeat the usage of the logs. Its hooks report runs: the log of a start, which would arrive before
 * theirs, names neither the repository nor the branch.
 */
import { Cache } from "../../../core/lib/cache.ts";
import type { Attributes, LogRecord } from "../records.ts";
import type { Source, Unplaced } from "./source.ts";
import { failedStep, keyOf, type Step, usageStep } from "./step.ts";
import { excludingCache } from "./usage.ts";
import { readCount, readName, toCode } from "./values.ts";

const actor = "agent:codex";

/**
 * Conversations that the terminal interface starts on its own, for example to find the title of a session:
 * they cost tokens, and are no runs. Only their start tells, and their usage can come in a later request.
 */
const ownConversations = new Cache<string, true>({ max: 10_000 });

/** A session of a user always has the interface's own MCP server, `codex_tui` (0.171.0). */
function rememberOwn(attributes: Attributes): void {
  const session = readName(attributes, "conversation.id");
  const isOwn = attributes.get("originator") === "codex-tui" && attributes.get("mcp_servers") === "";
  if (isOwn && session) ownConversations.set(session, true);
}

function mapLog({ attributes, timeNanos }: LogRecord): Unplaced | null {
  const event = attributes.get("event.name");
  if (event === "codex.conversation_starts") rememberOwn(attributes);
  if (event !== "codex.api_request" && event !== "codex.sse_event") return null;
  const session = readName(attributes, "conversation.id");
  const model = readName(attributes, "model");
  const run = session && ownConversations.get(session) ? undefined : session;
  const step: Step = { actor, run, nanos: timeNanos, model, key: keyOf(session, timeNanos) };
  if (event === "codex.api_request") {
    const status = readCount(attributes, "http.response.status_code");
    // The stream of an answer has the tokens. Without a status, no answer came.
    const hasFailed = status === undefined ? attributes.get("error.message") !== undefined : status >= 400;
    if (!hasFailed) return null;
    return failedStep({ ...step, duration: readCount(attributes, "duration_ms") }, toCode(status));
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
    { ...step, provider: "openai", key: keyOf(step.key, `${input}:${tokens_out}`) },
    { tokens_in: excludingCache(input, cache_read + cache_write), tokens_out, cache_read, cache_write },
  );
}

export const codex: Source = {
  label: "Codex",
  sends: "Logs `codex.sse_event`, `codex.api_request`",
  tokens: "Input includes the cache: taken out",
  cost: "computed",
  runs: "By its hooks",
  owns: (scope, service) => scope.startsWith("codex_") || service.startsWith("codex"),
  map: (record) => (record.signal === "log" ? mapLog(record) : null),
};
