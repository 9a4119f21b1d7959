/** One attempt to send one message: the request, and what became of it. */
import { fromMicros } from "../../../core/lib/time.ts";
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
import type { FormatName, WebhookDelivery } from "../schema.ts";

/** How long a receiver has to answer. */
const timeoutMs = 15_000;
const requestBytesMax = 4_096;
const responseBytesMax = 2_048;
const errorLengthMax = 300;

/** What sends: replaced by tests. */
export interface Sender {
  post: typeof post;
  formats: Partial<Record<FormatName, Format>>;
  timeoutMs: number;
}
export const httpSender: Sender = { post, formats, timeoutMs };

/** The message to send, and what it is about. */
interface Outgoing {
  message: Message;
  events: readonly Pick<Event, "id">[];
  project: string | null;
  /** 1 for the first. */
  attempt: number;
  isTest: boolean;
  isReplay: boolean;
}

export interface Attempt {
  row: NewDeliveryRow;
  /** `gone`: no attempt can succeed. */
  verdict: "delivered" | "failed" | "gone";
  retryAfterMs: number | null;
}

type Needs = Pick<IntegrationsContext, "config" | "now">;

/** Sends a message once. Never throws: a failure is a result. */
export async function attempt(
  ctx: Needs,
  sender: Sender,
  webhook: WebhookRow,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<Attempt> {
  const at = ctx.now();
  const startedAt = performance.now();
  const result = await request(ctx, sender, webhook, outgoing, signal);
  const { events, project, attempt: number, isTest, isReplay, message } = outgoing;
  const row: NewDeliveryRow = {
    webhook: webhook.id,
    project,
    first_event: isTest ? null : (events[0]?.id ?? null),
    last_event: isTest ? null : (events.at(-1)?.id ?? null),
    at,
    duration_ms: Math.round(performance.now() - startedAt),
    status: result.answer?.status ?? null,
    outcome: result.verdict === "delivered" ? "delivered" : result.isRefused ? "refused" : "failed",
    error: result.error?.slice(0, errorLengthMax).toWellFormed() ?? null,
    request: cut(message.body, requestBytesMax),
    response: result.answer ? cut(result.answer.body, responseBytesMax) : null,
    attempt: number,
    is_test: isTest,
    is_replay: isReplay,
  };
  return { row, verdict: result.verdict, retryAfterMs: result.retryAfterMs };
}

interface Result extends Pick<Attempt, "verdict" | "retryAfterMs"> {
  answer: Answer | null;
  error: string | null;
  isRefused: boolean;
}

async function request(
  ctx: Needs,
  sender: Sender,
  webhook: WebhookRow,
  { message, events, isTest }: Outgoing,
  signal: AbortSignal,
): Promise<Result> {
  const format = sender.formats[webhook.format];
  const id = isTest ? `evt_test_${crypto.randomUUID()}` : `evt_${events.at(-1)?.id}`;
  const headers = {
    ...message.headers,
    "content-type": message.contentType,
    "user-agent": `svc/${version}`,
    ...(format?.isSigned && signedHeaders(secretsOf(webhook, ctx.now()), id, ctx.now(), message.body)),
  };
  const target = { url: message.url ?? webhook.url, headers, body: message.body };
  try {
    const answer = await sender.post(target, {
      allow: ctx.config.webhookAllow,
      timeoutMs: sender.timeoutMs,
      signal,
    });
    return resultOf(answer, format);
  } catch (error) {
    const isRefused = error instanceof DestinationRefused;
    return {
      verdict: "failed",
      retryAfterMs: null,
      answer: null,
      isRefused,
      error: withoutUrl((error as Error).message, target.url),
    };
  }
}

function resultOf(answer: Answer, format: Format | undefined): Result {
  const read = format?.outcome?.(answer);
  const isOk = read?.ok ?? (answer.status >= 200 && answer.status < 300);
  const isGone = answer.status === 410 || read?.isPermanent === true;
  return {
    verdict: isOk ? "delivered" : isGone ? "gone" : "failed",
    retryAfterMs: read?.retryAfterMs ?? answer.retryAfterMs,
    answer,
    isRefused: false,
    error: isOk ? null : `The receiver answered ${answer.status}.`,
  };
}

const secretsOf = ({ secret, previous_secret, previous_secret_until }: WebhookRow, now: number): string[] =>
  previous_secret !== null && (previous_secret_until ?? 0) > now ? [secret, previous_secret] : [secret];

/** URLs of chat services are secrets: only the host may be shown. */
const withoutUrl = (text: string, url: string): string =>
  text.replaceAll(url, URL.parse(url)?.host ?? "the URL");

/** The first bytes of a text, whole characters only. NUL is left out: Postgres cannot store it. */
function cut(text: string, bytesMax: number): string {
  const start = text.slice(0, bytesMax).replaceAll("\0", "");
  const bytes = Buffer.from(start);
  if (bytes.length <= bytesMax) return start.toWellFormed();
  return bytes
    .subarray(0, bytesMax)
    .toString()
    .replace(/\uFFFD+$/, "");
}

/** Of a kind that the webhook is for, if there is a sample of one. */
function sampleEvent(ctx: IntegrationsContext, { filters }: WebhookRow): Event {
  const samples = sampleEvents(ctx, filters.project?.[0] ?? "sample");
  const matching = samples.find(({ kind }) => (filters.kind as string[] | undefined)?.includes(kind));
  return matching ?? (samples[0] as Event);
}

/** Sends a sample now, whatever the webhook's filters and status are. A failure is a delivery that failed. */
export async function sendTest(
  ctx: IntegrationsContext,
  webhook: WebhookRow,
  sender: Sender = httpSender,
): Promise<WebhookDelivery> {
  const events = [sampleEvent(ctx, webhook)];
  const plan = await sender.formats[webhook.format]?.plan(ctx, events, { lastSentAt: null });
  if (plan?.action !== "send") throw new Error(`the format ${webhook.format} has no message for a test`);
  const { project } = events[0] as Event;
  const outgoing = { message: plan.message, events, project, attempt: 1, isTest: true, isReplay: false };
  const { row } = await attempt(ctx, sender, webhook, outgoing, new AbortController().signal);
  const id = await ctx.data.atomically((writes) => writes.addDelivery(row));
  return { ...row, id, at: fromMicros(row.at) };
}
