/** Sends the next message of a lane: reads events that it lacks, plans the message, and makes one attempt. */
import { outgoingDoor } from "../../../core/auth/persons.ts";
import { fromMicros, type Micros, toMicros } from "../../../core/lib/time.ts";
import { version } from "../../../core/version.ts";
import type { Event } from "../../../feed/schema.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { NewDeliveryRow, WebhookRow } from "../../rows.ts";
import { DestinationRefused } from "../destination/destination.ts";
import { post } from "../destination/post.ts";
import { signedHeaders } from "../destination/sign.ts";
import type { Answer, Format, Message } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import { sampleEvents } from "../formats/samples.ts";
import type { WebhookDelivery } from "../schema.ts";
import { slowAfterMs } from "./dispatcher.ts";
import type { Lane } from "./lane.ts";
import { type LogReader, parseEvent } from "./scan.ts";
import type { Source } from "./source.ts";

/** How long a receiver has to answer. */
const timeoutMs = 15_000;
/** Parts of the log that one step reads, looking for events of its project. */
const partsMax = 16;
/** Events that a detached lane holds. */
const fillMax = 100;
/** Events that a format plans at once. */
const plannedMax = 200;
const requestBytesMax = 4_096;
const responseBytesMax = 2_048;
const errorLengthMax = 300;

interface SendDependencies {
  ctx: IntegrationsContext;
  read: LogReader;
  /** Aborts the request. */
  signal: AbortSignal;
}

/** A message that was sent, or that failed. */
export interface Sent {
  row: NewDeliveryRow;
  /** When the newest event of the message was appended. */
  appendedAt: Micros;
  /** Why the webhook is to be paused; null if it is not. */
  pauseReason: string | null;
}

/**
 * Does the next step of a lane that is ready, and changes the lane's state.
 * @returns null if it sent nothing
 * @throws if the log cannot be read, or the message not be made
 */
export async function sendNext(deps: SendDependencies, source: Source, lane: Lane): Promise<Sent | null> {
  const { ctx, read, signal } = deps;
  const { webhook, replay } = source;
  if (lane.queue.length === 0) await fillFromLog(read, source, lane);
  if (lane.queue.length === 0) {
    lane.settle(ctx.now());
    return null;
  }
  const pending = lane.queue.slice(0, plannedMax);
  const door = await outgoingDoor(ctx);
  const planned = door ? pending.map((event) => door.hide(event)) : pending;
  const plan = await formats[webhook.format].plan(ctx, planned, lane);
  if (plan.action === "wait") lane.wait(plan.until, ctx.now());
  else if (plan.action === "skip") lane.skipped(plan.covers, ctx.now());
  if (plan.action !== "send") return null;
  const events = planned.slice(0, plan.covers);
  const [project, attempt] = [lane.project || null, lane.attempts + 1];
  const about = { events, project, attempt, is_test: false, is_replay: replay !== null };
  const { row, isGone, retryAfterMs } = await attemptOnce(ctx, webhook, plan.message, about, signal);
  const isDelivered = row.outcome === "delivered";
  if (signal.aborted && !isDelivered) return null;
  source.isSlow = row.duration_ms >= slowAfterMs;
  let isGivenUp = false;
  if (isDelivered) {
    source.isProven = true;
    lane.delivered(plan.covers, ctx.now(), webhook.format !== "json");
  } else isGivenUp = lane.failed(ctx.now(), retryAfterMs, Math.random());
  const appendedAt = toMicros((events.at(-1) as Event).ts);
  return { row, appendedAt, pauseReason: isGone ? goneReason : isGivenUp ? giveUpReason(row) : null };
}

const goneReason = "The receiver answered that it is gone. Resume the webhook if it is back, or remove it.";
const giveUpReason = ({ project, error }: NewDeliveryRow): string =>
  `Project ${project ?? "none"}: no attempt succeeded for three days. ${error ?? ""}`.trim();

/** Reads matching events after those that the lane has, up to where the log is scanned. */
async function fillFromLog(read: LogReader, source: Source, lane: Lane): Promise<void> {
  for (let part = 0; part < partsMax && lane.queue.length === 0; part++) {
    const end = source.position.id;
    if (lane.isAttached || lane.readTo >= end) return lane.fill([], lane.readTo, end);
    const rows = await read(lane.readTo, end);
    const ofLane = rows.filter(({ project }) => (project ?? "") === lane.project);
    const own = ofLane.map(parseEvent).filter((event) => source.accepts(event));
    const taken = own.slice(0, fillMax);
    const readTo = taken.length < own.length ? (taken.at(-1)?.id as number) : (rows.at(-1)?.id ?? end);
    lane.fill(taken, readTo, source.position.id);
  }
}

/** What a message is about. `attempt` is 1 for the first. */
type About = Pick<NewDeliveryRow, "project" | "attempt" | "is_test" | "is_replay"> & {
  events: readonly Pick<Event, "id">[];
};

interface Attempt {
  row: NewDeliveryRow;
  /** No attempt can succeed. */
  isGone: boolean;
  retryAfterMs: number | null;
}

/** Sends a message once. Never throws: a failure is a result. */
async function attemptOnce(
  ctx: IntegrationsContext,
  webhook: WebhookRow,
  message: Message,
  { events, ...about }: About,
  signal?: AbortSignal,
): Promise<Attempt> {
  const [at, startedAt] = [ctx.now(), performance.now()];
  const format = formats[webhook.format];
  const id = about.is_test ? `evt_test_${crypto.randomUUID()}` : `evt_${events.at(-1)?.id}`;
  const { url } = webhook;
  const headers = {
    ...message.headers,
    "content-type": message.contentType,
    "user-agent": `svc/${version}`,
    ...(format.isSigned && signedHeaders(secretsOf(webhook, at), id, at, message.body)),
  };
  const options = { allow: ctx.config.webhookAllow, timeoutMs, ...(signal && { signal }) };
  const result = await post({ url, headers, body: message.body }, options).then(
    (answer) => resultOf(answer, format),
    (error: Error) => failureOf(error, url),
  );
  const { answer, outcome, error, isGone, retryAfterMs } = result;
  const row: NewDeliveryRow = {
    ...about,
    webhook: webhook.id,
    first_event: about.is_test ? null : (events[0]?.id ?? null),
    last_event: about.is_test ? null : (events.at(-1)?.id ?? null),
    at,
    duration_ms: Math.round(performance.now() - startedAt),
    status: answer?.status ?? null,
    outcome,
    error: error?.slice(0, errorLengthMax).toWellFormed() ?? null,
    request: cut(message.body, requestBytesMax),
    response: answer ? cut(answer.body, responseBytesMax) : null,
  };
  return { row, isGone, retryAfterMs };
}

type Result = Pick<NewDeliveryRow, "outcome" | "error"> & Omit<Attempt, "row"> & { answer: Answer | null };

function resultOf(answer: Answer, { outcome }: Format): Result {
  const read = outcome?.(answer);
  const isOk = read?.ok ?? (answer.status >= 200 && answer.status < 300);
  return {
    answer,
    outcome: isOk ? "delivered" : "failed",
    error: isOk ? null : `The receiver answered ${answer.status}.`,
    isGone: !isOk && (answer.status === 410 || read?.isPermanent === true),
    retryAfterMs: read?.retryAfterMs ?? answer.retryAfterMs,
  };
}

/** URLs of chat services are secrets: only the host may be shown. */
const failureOf = (error: Error, url: string): Result => ({
  answer: null,
  outcome: error instanceof DestinationRefused ? "refused" : "failed",
  error: error.message.replaceAll(url, URL.parse(url)?.host ?? "the URL"),
  isGone: false,
  retryAfterMs: null,
});

const secretsOf = ({ secret, previous_secret, previous_secret_until }: WebhookRow, now: number): string[] =>
  previous_secret !== null && (previous_secret_until ?? 0) > now ? [secret, previous_secret] : [secret];

/** The first bytes of a text, whole characters only. NUL is left out: Postgres cannot store it. */
function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(0, bytesMax).replaceAll("\0", ""));
  return new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true });
}

/** Of a kind that the webhook is for, if there is a sample of one. */
function sampleEvent(ctx: IntegrationsContext, { filters }: WebhookRow): Event {
  const samples = sampleEvents(ctx, filters.project?.[0] ?? "sample");
  const matching = samples.find(({ kind }) => (filters.kind as string[] | undefined)?.includes(kind));
  return matching ?? (samples[0] as Event);
}

/** Sends a sample now, whatever the webhook's filters and status are. A failure is a delivery that failed. */
export async function sendTest(ctx: IntegrationsContext, webhook: WebhookRow): Promise<WebhookDelivery> {
  const events = [sampleEvent(ctx, webhook)];
  const plan = await formats[webhook.format].plan(ctx, events, { lastSentAt: null });
  if (plan.action !== "send") throw new Error(`the format ${webhook.format} has no message for a test`);
  const { project } = events[0] as Event;
  const about = { events, project, attempt: 1, is_test: true, is_replay: false };
  const { row } = await attemptOnce(ctx, webhook, plan.message, about);
  const id = await ctx.data.atomically((writes) => writes.addDelivery(row));
  return { ...row, id, at: fromMicros(row.at) };
}
