/**
 * When pending events of a project become a message. Pure: the loading is in digest.ts.
 *
 * A message covers the first events of the list, so the order of the log is kept and every event is covered
 * once. Messages without anything urgent are a minute apart; urgent ones take what waits before them along.
 */
import { type Micros, minuteMicros, secondMicros } from "../../../../core/lib/time.ts";
import type { Urgency } from "./notice.ts";

/** Between messages of a project, unless something is urgent. */
export const digestMicros = minuteMicros;
/** Between messages with something urgent: the services take about one a second, Discord 30 a minute. */
export const urgentMicros = 5 * secondMicros;

export interface Item {
  /** Null: the event is in no message. */
  urgency: Urgency | null;
  /** Until then a non-urgent event is held back, as more may come that belongs to it. */
  readyAt: Micros;
}

export type Decision =
  | { action: "send"; covers: number }
  | { action: "skip"; covers: number }
  | { action: "wait"; until: Micros };

/**
 * @param items at least one, in the order of the log
 * @param lastSentAt when the last message about the project was sent
 */
export function decide(items: readonly Item[], lastSentAt: Micros | null, now: Micros): Decision {
  const first = items.findIndex(({ urgency }) => urgency !== null);
  if (first < 0) return { action: "skip", covers: items.length };
  const lastUrgent = items.findLastIndex(({ urgency }) => urgency === "urgent");
  const isUrgent = lastUrgent >= 0;
  // Clocks differ between nodes: a message was not sent later than now.
  const nextAt =
    lastSentAt === null ? now : Math.min(lastSentAt, now) + (isUrgent ? urgentMicros : digestMicros);
  const due = isUrgent ? nextAt : Math.max(nextAt, (items[first] as Item).readyAt);
  if (now < due) return first > 0 ? { action: "skip", covers: first } : { action: "wait", until: due };
  const held = items.findIndex(
    ({ urgency, readyAt }, at) => at > lastUrgent && urgency !== null && readyAt > now,
  );
  return { action: "send", covers: held < 0 ? items.length : held };
}
