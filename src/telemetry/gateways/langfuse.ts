/**
 * Langfuse's ingestion API, as far as usage goes: `generation-create` and `generation-update`. Everything
 * else is accepted and dropped, and so are inputs, outputs and metadata.
 */
import { boundedByCount, Cache } from "../../lib/cache.ts";
import { parseMicros } from "../../lib/time.ts";
import type { Mapped } from "../sources/source.ts";
import { failedStep, type Tokens, toActor, usageStep } from "../sources/step.ts";
import { toAmount, toName } from "../sources/values.ts";
import { costOfDetails, type Fields, isFields, tokensOfDetails, tokensOfUsage } from "./usage-details.ts";

/** What the events of one generation say together: numbers, and a short name. */
interface Generation {
  id: string;
  model?: string;
  /** Microseconds since 1970. */
  start?: number;
  end?: number;
  isError?: boolean;
  /** Of `usageDetails`, which come before `usage`; null where they say nothing. */
  details?: Tokens | null;
  usage?: Tokens | null;
  /** USD, of `costDetails`, which come before the cost in `usage`. */
  cost?: number;
  usageCost?: number;
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

/**
 * What earlier requests said of generations: SDKs create a generation with its model in one request, and
 * update it with its usage in another.
 */
type Known = Cache<string, Generation>;
export const openGenerations = (): Known => new Cache({ max: 4096, bytesOf: boundedByCount });

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
  known.set(key, { ...known.get(key), ...readGeneration(id, fields) });
  return key;
}

/** Reads what a body says, without what it leaves out. */
function readGeneration(id: string, fields: Fields): Generation {
  const { usage, usageDetails, costDetails, level } = fields;
  const read = {
    model: toName(fields.model),
    start: microsOf(fields.startTime),
    end: microsOf(fields.endTime),
    isError: typeof level === "string" ? level === "ERROR" : undefined,
    details: isFields(usageDetails) ? tokensOfDetails(usageDetails) : undefined,
    usage: isFields(usage) ? tokensOfUsage(usage) : undefined,
    cost: costOfDetails(costDetails),
    usageCost: isFields(usage) ? toAmount(usage.totalCost) : undefined,
  };
  const given = Object.entries(read).filter(([, value]) => value !== undefined);
  return { id, ...Object.fromEntries(given) };
}

/** Null as long as nothing says what the generation used, or that it failed. */
function mapGeneration(generation: Generation, sender: string): Mapped | null {
  const { id, model, start, end, cost = generation.usageCost } = generation;
  const step = {
    ...{ actor: toActor(sender), model, cost },
    duration:
      start !== undefined && end !== undefined ? Math.max(0, Math.round((end - start) / 1000)) : undefined,
    nanos: BigInt(Math.max(0, end ?? start ?? 0)) * 1000n,
  };
  const { details, usage } = generation;
  const tokens = details === undefined ? usage : details;
  const common = { source: "langfuse", place: {} };
  if (tokens) return { ...usageStep({ ...step, key: `langfuse:${id}` }, tokens), ...common };
  if (!generation.isError || end === undefined) return null;
  return { ...failedStep({ ...step, key: `langfuse:${id}:failed` }, undefined), ...common };
}

const microsOf = (time: unknown): number | undefined =>
  typeof time === "string" ? (parseMicros(time) ?? undefined) : undefined;
