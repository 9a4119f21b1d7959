/** Rows of LiteLLM's callback `generic_api`: one for each call. Prompts and answers in them are not read. */
import { badRequest } from "../../problem.ts";
import type { Mapped, Placement } from "../sources/source.ts";
import { excludingCache, failedStep, toActor, usageStep } from "../sources/step.ts";
import { toAmount, toCode, toCount, toName } from "../sources/values.ts";
import { type Fields, isFields } from "./usage-details.ts";

/** LiteLLM sends batches of 512. */
const rowsMax = 10_000;

/**
 * Reads a body in any of the three formats: an array, a row on each line, a single row.
 * @throws {Problem} 400 if it is none of them
 */
export function readRows(text: string): Fields[] {
  const rows = parseRows(text.trim());
  if (rows.length > rowsMax) throw badRequest(`A request can have at most ${rowsMax} rows.`);
  const wrong = rows.findIndex((row) => !isFields(row));
  if (wrong >= 0) throw badRequest(`Row ${wrong + 1} is not a JSON object.`);
  return rows as Fields[];
}

function parseRows(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(line, index)]));
  }
}

function parseLine(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw badRequest(
      `Line ${index + 1} is not JSON. Set log_format to json_array, ndjson or single in LiteLLM.`,
    );
  }
}

/** @param sender the name of the token, for rows without the alias of a key */
export function mapRow(row: Fields, sender: string): Mapped | null {
  const id = toName(row.id) ?? toName(row.litellm_call_id);
  // An answer from LiteLLM's own cache used nothing.
  if (id === undefined || row.cache_hit === true) return null;
  const metadata = isFields(row.metadata) ? row.metadata : {};
  const provider = toName(row.custom_llm_provider);
  const [start, end] = [toAmount(row.startTime), toAmount(row.endTime)];
  const step = {
    actor: toActor(toName(metadata.user_api_key_alias) ?? sender),
    model: toName(row.model),
    provider,
    duration:
      start !== undefined && end !== undefined ? Math.max(0, Math.round((end - start) * 1000)) : undefined,
    nanos: BigInt(Math.round((end ?? 0) * 1e6)) * 1000n,
    key: `litellm:${id}`,
  };
  const error = isFields(row.error_information) ? toCode(row.error_information.error_code) : undefined;
  const mapped =
    row.status === "failure"
      ? failedStep(step, error)
      : usageStep({ ...step, cost: toAmount(row.response_cost) }, tokensOf(row, metadata));
  return { ...mapped, source: "litellm", place: placeOf(row.request_tags) };
}

/** `prompt_tokens` includes the cache. */
function tokensOf(row: Fields, { usage_object }: Fields) {
  const usage = isFields(usage_object) ? usage_object : {};
  const details = isFields(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const cache_read = toCount(usage.cache_read_input_tokens) ?? toCount(details.cached_tokens) ?? 0;
  const cache_write =
    toCount(usage.cache_creation_input_tokens) ?? toCount(details.cache_creation_tokens) ?? 0;
  return {
    tokens_in: excludingCache(toCount(row.prompt_tokens) ?? 0, cache_read, cache_write),
    tokens_out: toCount(row.completion_tokens) ?? 0,
    ...{ cache_read, cache_write },
  };
}

/** Tags such as `svc.project=atlas` and `svc.issue=42` place a row. */
function placeOf(tags: unknown): Placement {
  const place: Placement = {};
  for (const tag of Array.isArray(tags) ? tags : []) {
    const [, name, value = ""] = /^svc\.(project|issue|pr)=(.{1,128})$/.exec(String(tag)) ?? [];
    const number = toCount(value);
    if (name === "project") place.project = value;
    else if ((name === "issue" || name === "pr") && number && number <= 2_147_483_647) place[name] = number;
  }
  return place;
}
