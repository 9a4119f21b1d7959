/**
 * Langfuse's ingestion API, as far as usage goes: `generation-create` and `generation-update`. Everything
 * else is accepted and dropped, and so are inputs, outputs and metadata.
 */
import { boundedByCount, Cache } from "../../../core/lib/cache.ts";
import { parseMicros } from "../../../core/lib/time.ts";
import { inSlices, TimeSlices } from "../../../core/lib/time-slices.ts";
import { badRequest } from "../../../core/problem.ts";
import { indexJson } from "../otlp/json-index.ts";
import { type FieldNames, type JsonTape, readFields } from "../otlp/json-tape.ts";
import { costOfDetails } from "../sources/costs.ts";
import type { Mapped } from "../sources/source.ts";
import { failedStep, toActor, usageStep } from "../sources/step.ts";
import { readUsage, type Usage } from "../sources/usage.ts";
import { addCounts, type Fields, isFields } from "../sources/usage-counts.ts";
import { toAmount, toName } from "../sources/values.ts";

/** What the events of one generation say together: numbers, and a short name. */
interface Generation {
  id: string;
  model?: string;
  /** Microseconds since 1970. */
  start?: number;
  end?: number;
  isError?: boolean;
  /** When the newest of its events was made. */
  at?: number;
  /** Of `usageDetails`, which come before `usage`; null where they say nothing. */
  details?: Usage | null;
  usage?: Usage | null;
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

const names = {
  id: true,
  type: true,
  timestamp: true,
  body: {
    id: true,
    type: true,
    model: true,
    startTime: true,
    endTime: true,
    level: true,
    usage: true,
    usageDetails: true,
    costDetails: true,
  },
} as const satisfies FieldNames;

/** Langfuse's SDKs send 15 to 100 events at a time. */
const batchMax = 1000;

/**
 * Reads a batch. @param sender the name of the token, which is the actor
 * @throws {Problem} 400 if the body is no batch
 */
export async function readBatch(
  body: Buffer,
  sender: string,
  known: Known,
): Promise<{ events: IngestionEvent[]; errors: IngestionError[] }> {
  const tape = await inSlices(indexJson(body));
  const errors: IngestionError[] = [];
  const valid: Fields[] = [];
  const slices = new TimeSlices();
  let index = 0;
  for (const entry of entriesOfBatch(tape)) {
    if (index === batchMax) throw badRequest(`A batch can have at most ${batchMax} events.`);
    const event = readFields(tape, entry, names);
    if (typeof event?.id === "string" && isFields(event.body)) valid.push(event);
    else {
      const id = typeof event?.id === "string" ? event.id : `batch[${index}]`;
      errors.push({ id, status: 400, message: "An event needs an id and a body." });
    }
    index++;
    if (slices.isOver) await slices.next();
  }
  // Merged before any is mapped: an update can come before what it updates.
  const generations = valid.map((event) => mergeGeneration(event, sender, known));
  const events = valid.map(({ id }, index) => {
    const key = generations[index];
    const generation = key === null || key === undefined ? undefined : known.get(key);
    return { id: id as string, generation: generation ? mapGeneration(generation, sender) : null };
  });
  return { events, errors };
}

function entriesOfBatch(tape: JsonTape): Iterable<number> {
  for (const name of tape.isObject(0) ? tape.names(0) : [])
    if (tape.name(name) === "batch" && tape.isArray(name + 2)) return tape.elements(name + 2);
  throw badRequest("The body needs a batch: a list of events.");
}

/** Returns the key of the event's generation; null for an event about anything else. */
function mergeGeneration(event: Fields, sender: string, known: Known): string | null {
  const fields = event.body as Fields;
  if (!isOfGeneration(event.type, fields.type)) return null;
  // Without an id, it is a generation that nothing updates.
  const id = toName(fields.id) ?? `event:${toName(event.id)}`;
  const key = `${sender} ${id}`;
  const [before, read] = [known.get(key), readGeneration(id, fields)];
  const at = microsOf(event.timestamp) ?? before?.at ?? 0;
  const isOlder = before?.at !== undefined && at < before.at;
  known.set(key, isOlder ? { ...read, ...before } : { ...before, ...read, at });
  return key;
}

function isOfGeneration(event: unknown, observation: unknown): boolean {
  const [, subject] = /^(\w+)-(?:create|update)$/.exec(String(event)) ?? [];
  const type = subject === "observation" ? String(observation).toLowerCase() : subject;
  return type === "generation" || type === "embedding";
}

/** Reads what a body says, without what it leaves out. */
function readGeneration(id: string, fields: Fields): Generation {
  const { usage, usageDetails, costDetails, level } = fields;
  const read = {
    model: toName(fields.model),
    start: microsOf(fields.startTime),
    end: microsOf(fields.endTime),
    isError: typeof level === "string" ? level === "ERROR" : undefined,
    details: isFields(usageDetails) ? readUsage(addCounts(new Map(), usageDetails)) : undefined,
    usage: isFields(usage) && isOfTokens(usage) ? readUsage(addCounts(new Map(), usage)) : undefined,
    cost: costOfDetails(costDetails),
    usageCost: isFields(usage) ? costOfUsage(usage) : undefined,
  };
  const given = Object.entries(read).filter(([, value]) => value !== undefined);
  return { id, ...Object.fromEntries(given) };
}

/** Usage can also be of characters, images, requests or seconds. */
const isOfTokens = ({ unit }: Fields): boolean => typeof unit !== "string" || unit.toUpperCase() === "TOKENS";

/** USD. OpenRouter names its cost in the usage, too. */
const costOfUsage = ({ inputCost, outputCost, totalCost, cost }: Fields): number | undefined =>
  toAmount(totalCost) ?? costOfDetails({ inputCost, outputCost }) ?? toAmount(cost);

/** Null as long as nothing says what the generation used, or that it failed. */
function mapGeneration(generation: Generation, sender: string): Mapped | null {
  const { id, model, start, end, cost = generation.usageCost } = generation;
  const step = {
    actor: toActor(sender),
    model,
    cost,
    duration:
      start !== undefined && end !== undefined ? Math.max(0, Math.round((end - start) / 1000)) : undefined,
    nanos: BigInt(Math.max(0, end ?? start ?? 0)) * 1000n,
  };
  const { details, usage } = generation;
  const tokens = details ?? usage;
  const common = { source: "langfuse", place: {} };
  if (tokens || cost !== undefined)
    return { ...usageStep({ ...step, key: `langfuse:${id}` }, tokens ?? {}), ...common };
  if (!generation.isError || end === undefined) return null;
  return { ...failedStep({ ...step, key: `langfuse:${id}:failed` }, undefined), ...common };
}

const microsOf = (time: unknown): number | undefined =>
  typeof time === "string" ? (parseMicros(time) ?? undefined) : undefined;
