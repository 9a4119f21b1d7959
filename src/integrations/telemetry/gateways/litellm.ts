/** Rows of LiteLLM's callback `generic_api`: one for each call. Prompts and answers in them are not read. */

import { inSlices, TimeSlices } from "../../../core/lib/time-slices.ts";
import { badRequest, Problem } from "../../../core/problem.ts";
import { isTaskKey } from "../../../core/task-key.ts";
import { indexJson } from "../otlp/json-index.ts";
import { type FieldNames, readFields } from "../otlp/json-tape.ts";
import type { Mapped, Placement } from "../sources/source.ts";
import { failedStep, toActor, usageStep } from "../sources/step.ts";
import { readUsage, type Usage } from "../sources/usage.ts";
import { addCounts, type Fields, isFields } from "../sources/usage-counts.ts";
import { toAmount, toCode, toCount, toName } from "../sources/values.ts";

/** LiteLLM sends batches of 512. */
const rowsMax = 10_000;

const names = {
  id: true,
  litellm_call_id: true,
  cache_hit: true,
  status: true,
  request_tags: true,
  model: true,
  custom_llm_provider: true,
  startTime: true,
  endTime: true,
  response_cost: true,
  prompt_tokens: true,
  completion_tokens: true,
  total_tokens: true,
  error_information: { error_code: true },
  metadata: { user_api_key_alias: true, usage_object: true },
} as const satisfies FieldNames;

/**
 * Reads a body in any of the three formats: an array, a row on each line, a single row.
 * @throws {Problem} 400 if it is none of them
 */
export async function readRows(body: Buffer): Promise<Fields[]> {
  if (body.every((byte) => byte <= space)) return [];
  const tape = await inSlices(indexJson(body, true)).catch(explainFormat);
  const rows: Fields[] = [];
  const slices = new TimeSlices();
  for (const entry of tape.isArray(0) ? tape.elements(0) : tape.texts()) {
    if (rows.length === rowsMax) throw badRequest(`A request can have at most ${rowsMax} rows.`);
    const row = readFields(tape, entry, names);
    if (!row) throw badRequest(`Row ${rows.length + 1} is not a JSON object.`);
    rows.push(row);
    if (slices.isOver) await slices.next();
  }
  return rows;
}

const space = 0x20;

function explainFormat(error: unknown): never {
  if (!(error instanceof Problem && error.status === 400)) throw error;
  throw badRequest(`${error.detail} Set log_format to json_array, ndjson or single in LiteLLM.`);
}

/** @param sender the name of the token, for rows without the alias of a key */
export function mapRow(row: Fields, sender: string): Mapped | null {
  const id = toName(row.id) ?? toName(row.litellm_call_id);
  // An answer from LiteLLM's own cache used nothing.
  if (row.cache_hit === true || row.cache_hit === "True") return null;
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
    key: id === undefined ? undefined : `litellm:${id}`,
  };
  const error = isFields(row.error_information) ? toCode(row.error_information.error_code) : undefined;
  const mapped =
    row.status === "failure"
      ? failedStep(step, error)
      : usageStep({ ...step, cost: toAmount(row.response_cost) }, usageOf(row, metadata));
  return { ...mapped, source: "litellm", place: placeOf(row.request_tags) };
}

/** `prompt_tokens` includes the cache. The row's own counts come before those of the provider. */
function usageOf(
  { prompt_tokens, completion_tokens, total_tokens }: Fields,
  { usage_object }: Fields,
): Usage {
  const counts = addCounts(new Map(), { prompt_tokens, completion_tokens, total_tokens });
  return (
    readUsage(addCounts(counts, usage_object), { cache: "inside" }) ?? {
      tokens_in: 0,
      tokens_out: 0,
      cache_read: 0,
      cache_write: 0,
    }
  );
}

/** Tags such as `svc.project=atlas`, `svc.issue=42`, or `svc.task=PROJ-123` place a row. */
function placeOf(tags: unknown): Placement {
  const place: Placement = {};
  for (const tag of Array.isArray(tags) ? tags : []) {
    const [, name, value = ""] = /^svc\.(project|issue|pr|task)=(.{1,128})$/.exec(String(tag)) ?? [];
    const number = toCount(value);
    if (name === "project") place.project = value;
    else if (name === "task" && isTaskKey(value)) place.task = value;
    else if ((name === "issue" || name === "pr") && number && number <= 2_147_483_647) place[name] = number;
  }
  return place;
}
