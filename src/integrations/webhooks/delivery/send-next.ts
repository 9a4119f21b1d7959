/** One step of a lane: reads what it lacks, plans the next message, and sends it. */
import { type Micros, secondMicros, toMicros } from "../../../core/lib/time.ts";
import type { Event } from "../../../feed/schema.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { Plan } from "../formats/format.ts";
import { type Attempt, attempt, type Sender } from "./attempt.ts";
import { slowAfterMs } from "./dispatcher.ts";
import type { Lane } from "./lane.ts";
import type { LogReader } from "./log-reader.ts";
import type { Source } from "./source.ts";

/** Parts of the log that one step reads, looking for events of its project. */
const partsMax = 16;
/** Events that a detached lane holds. */
const fillMax = 100;
/** Events that a format plans at once. */
const plannedMax = 200;
/** A plan that fails, as a read does without the database, is tried again after this. */
const planAgainAfter = 5 * secondMicros;

export interface StepDependencies {
  ctx: IntegrationsContext;
  sender: Sender;
  reader: LogReader;
  signal: AbortSignal;
}

/** What a step did. Null: it sent nothing. */
export type StepResult = Attempt & {
  /** The message failed for so long that the webhook is to be paused. */
  isGivenUp: boolean;
  /** When the newest event of the message was appended. */
  appendedAt: Micros;
};

/** Does the next step of a lane that is ready, and changes the lane's state. */
export async function sendNext(
  deps: StepDependencies,
  source: Source,
  lane: Lane,
): Promise<StepResult | null> {
  const { ctx, sender } = deps;
  if (lane.queue.length === 0) await fillFromLog(deps.reader, source, lane);
  if (lane.queue.length === 0) {
    lane.settle(ctx.now());
    return null;
  }
  const events = lane.queue.slice(0, plannedMax);
  const plan = await planOf(deps, events, lane, source);
  if (plan.action === "wait") lane.wait(plan.until, ctx.now());
  else if (plan.action === "skip") lane.skipped(plan.covers, ctx.now());
  if (plan.action !== "send") return null;
  const outgoing = {
    message: plan.message,
    events: events.slice(0, plan.covers),
    project: lane.project || null,
    attempt: lane.attempts + 1,
    isTest: false,
    isReplay: source.replay !== null,
  };
  const result = await attempt(ctx, sender, source.webhook, outgoing, deps.signal);
  if (deps.signal.aborted && result.verdict !== "delivered") return null;
  const appendedAt = toMicros((outgoing.events.at(-1) as Event).ts);
  return { ...result, appendedAt, isGivenUp: conclude(ctx, source, lane, result, plan.covers) };
}

async function planOf(
  { ctx, sender }: StepDependencies,
  events: readonly Event[],
  { lastSentAt }: Lane,
  { webhook }: Source,
): Promise<Plan> {
  try {
    const format = sender.formats[webhook.format];
    if (!format) throw new Error(`there is no format ${webhook.format}`);
    return await format.plan(ctx, events, { lastSentAt });
  } catch (error) {
    ctx.log("warn", "a webhook message could not be made", {
      webhook: webhook.id,
      event: events[0]?.id,
      error: (error as Error).message,
    });
    return { action: "wait", until: ctx.now() + planAgainAfter };
  }
}

/** @returns whether the message failed for so long that the webhook is to be paused */
function conclude(
  { now }: IntegrationsContext,
  source: Source,
  lane: Lane,
  { row, verdict, retryAfterMs }: Attempt,
  covers: number,
): boolean {
  source.isSlow = row.duration_ms >= slowAfterMs;
  if (verdict !== "delivered") return lane.failed(now(), retryAfterMs, Math.random());
  source.isProven = true;
  lane.delivered(covers, now(), source.webhook.format !== "json");
  return false;
}

/** Reads matching events after those that the lane has, up to where the log is scanned. */
async function fillFromLog(reader: LogReader, source: Source, lane: Lane): Promise<void> {
  for (let part = 0; part < partsMax && lane.queue.length === 0; part++) {
    const end = source.position.id;
    if (lane.isAttached || lane.readTo >= end) return lane.fill([], lane.readTo, end);
    const events = await reader.after(lane.readTo, end);
    const own = events.filter((event) => (event.project ?? "") === lane.project && source.accepts(event));
    const taken = own.slice(0, fillMax);
    const readTo = taken.length < own.length ? (taken.at(-1)?.id as number) : (events.at(-1)?.id ?? end);
    lane.fill(taken, readTo, source.position.id);
  }
}
