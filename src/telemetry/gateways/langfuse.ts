/**
 * Langfuse's ingestion API, as far as usage goes: `generation-create` and `generation-update`. Everything
 * else is accepted and dropped, and so are inputs, outputs and metadata.
 */
import { Cache } from "../../lib/cache.ts";
import { parseMicros } from "../../lib/time.ts";
import type { Mapped } from "../sources/source.ts";
import { failedStep, toActor, usageStep } from "../sources/step.ts";
import { toAmount, toName } from "../sources/values.ts";
import { costOfDetails, type Fields, isFields, tokensOfGeneration } from "./usage-details.ts";

/** What the events of one generation say together. */
interface Generation extends Fields {
  id: string;
}

export interface IngestionEvent {
  id: string;
  /** Null for an event that is not about a generation. */
  generation: Mapped | null;
}
export interface IngestionError {
  id: string;
  status: number;
  message: string;
}

const fieldNames = [
  "model",
  "startTime",
  "endTime",
  "level",
  "usage",
  "usageDetails",
  "costDetails",
] as const;

/**
 * What earlier requests said of generations: SDKs create a generation with its model in one request, and
 * update it with its usage in another.
 */
type Known = Cache<string, Generation>;
export const openGenerations = (): Known => new Cache({ max: 4096 });

/** Reads a batch. @param sender the name of the token, which is the actor */
export function readBatch(
  batch: readonly unknown[],
  sender: string,
  known: Known,
): { events: IngestionEvent[]; errors: IngestionError[] } {
  const errors: IngestionError[] = [];
  const valid = batch.flatMap((event, index) => {
    if (isFields(event) && typeof event.id === "string" && isFields(event.body)) return [event];
    const id = isFields(event) && typeof event.id === "string" ? event.id : `batch[${index}]`;
    errors.push({ id, status: 400, message: "An event needs an id and a body." });
    return [];
  });
  // Merged before any is mapped: an update can come before what it updates.
  const generations = valid.map((event) => mergeGeneration(event, sender, known));
  const events = valid.map(({ id }, index) => {
    const key = generations[index];
    const generation = key === null || key === undefined ? undefined : known.get(key);
    return { id: id as string, generation: generation ? mapGeneration(generation, sender) : null };
  });
  return { events, errors };
}

/** Returns the key of the event's generation; null for an event about anything else. */
function mergeGeneration({ type, body }: Fields, sender: string, known: Known): string | null {
  const fields = body as Fields;
  const id = toName(fields.id);
  if ((type !== "generation-create" && type !== "generation-update") || id === undefined) return null;
  const key = `${sender} ${id}`;
  const merged: Generation = { ...known.get(key), id };
  for (const name of fieldNames)
    if (fields[name] !== undefined && fields[name] !== null) merged[name] = fields[name];
  known.set(key, merged);
  return key;
}

/** Null as long as nothing says what the generation used, or that it failed. */
function mapGeneration(generation: Generation, sender: string): Mapped | null {
  const { id, usage, costDetails, level } = generation;
  const start = microsOf(generation.startTime);
  const end = microsOf(generation.endTime);
  const step = {
    actor: toActor(sender),
    model: toName(generation.model),
    duration: start !== null && end !== null ? Math.max(0, Math.round((end - start) / 1000)) : undefined,
    nanos: BigInt(Math.max(0, end ?? start ?? 0)) * 1000n,
    cost: costOfDetails(costDetails) ?? (isFields(usage) ? toAmount(usage.totalCost) : undefined),
  };
  const tokens = tokensOfGeneration(generation);
  const common = { source: "langfuse", place: {} };
  if (tokens) return { ...usageStep({ ...step, key: `langfuse:${id}` }, tokens), ...common };
  if (level !== "ERROR" || end === null) return null;
  return { ...failedStep({ ...step, key: `langfuse:${id}:failed` }, undefined), ...common };
}

const microsOf = (time: unknown): number | null => (typeof time === "string" ? parseMicros(time) : null);
