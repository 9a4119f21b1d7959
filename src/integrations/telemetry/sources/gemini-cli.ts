/**
 * Gemini CLI. It sends prompts, answers and system instructions unasked: none of them is read. The event
 * `gen_ai.client.inference.operation.details` and its traces repeat `gemini_cli.api_response`.
 */
import type { LogRecord } from "../records.ts";
import type { Source, Unplaced } from "./source.ts";
import { failedStep, keyOf, type Step, usageStep } from "./step.ts";
import { excludingCache } from "./usage.ts";
import { readCount, readName, toCode } from "./values.ts";

const actor = "agent:gemini-cli";

function mapLog({ attributes, resource, timeNanos }: LogRecord): Unplaced | null {
  const event = attributes.get("event.name");
  if (event !== "gemini_cli.api_response" && event !== "gemini_cli.api_error") return null;
  const session = readName(attributes, "session.id") ?? readName(resource, "session.id");
  const step: Step = {
    actor,
    run: session,
    nanos: timeNanos,
    provider: "google",
    model: readName(attributes, "model", "model_name"),
    duration: readCount(attributes, "duration_ms"),
    key: keyOf(session, timeNanos),
  };
  if (event === "gemini_cli.api_error")
    return failedStep(step, toCode(attributes.get("status_code") ?? attributes.get("error.type")));
  const input = readCount(attributes, "input_token_count") ?? 0;
  const cache_read = readCount(attributes, "cached_content_token_count") ?? 0;
  // Results of tools that the provider runs are counted beside the prompt, thoughts beside the answer.
  const fromTools = readCount(attributes, "tool_token_count") ?? 0;
  const answer = readCount(attributes, "output_token_count") ?? 0;
  const thoughts = readCount(attributes, "thoughts_token_count") ?? 0;
  return usageStep(
    { ...step, key: keyOf(step.key, `${input}:${answer}`) },
    {
      tokens_in: excludingCache(input, cache_read) + fromTools,
      tokens_out: answer + thoughts,
      cache_read,
      cache_write: 0,
    },
  );
}

export const geminiCli: Source = {
  label: "Gemini CLI",
  sends: "Logs `gemini_cli.api_response`, `gemini_cli.api_error`",
  tokens: "Input includes the cache: taken out. Thoughts are added to the output",
  cost: "computed",
  runs: "By its hooks",
  owns: (scope, service) => scope === "gemini-cli" || service === "gemini-cli",
  map: (record) => (record.signal === "log" ? mapLog(record) : null),
};
