/**
 * A lane: the events of one project that a webhook has to send, in order, one message at a time. This is the
 * state machine alone; reading, sending and writing are elsewhere.
 *
 * A lane that keeps up has its events in `queue` and no row: the cursor of the webhook stays before them. A
 * lane that fails, that holds events for a digest, or that falls behind gets a row with a cursor of its own,
 * so that the cursor of the webhook can pass. Such a lane has a `dueAt`.
 */
import { dayMicros, type Micros, minuteMicros, secondMicros } from "../../../core/lib/time.ts";
import type { Event } from "../../../feed/schema.ts";
import type { LaneRow } from "../../rows.ts";

/** A longer queue is left to the log, and read from there. */
const queueMax = 200;
/** A held digest is planned again when events come, at most this often: one of them may be urgent. */
const planAgainAfter = secondMicros;

type LaneState = Omit<LaneRow, "webhook" | "replay" | "project">;

export class Lane {
  /** Event id: the matching events of the project up to it are delivered or were skipped. */
  cursor: number;
  /** Matching events after the cursor, up to `readTo`. */
  queue: Event[] = [];
  /** New events are added to the queue as they are scanned; otherwise they are read from the log. */
  isAttached = true;
  /** Event id: how far a detached lane has read the log. */
  readTo: number;
  attempts = 0;
  dueAt: Micros | null = null;
  failingSince: Micros | null = null;
  /** When the last attempt failed. */
  failedAt: Micros = 0;
  lastSentAt: Micros | null = null;
  /** A message is being planned or sent. */
  isBusy = false;
  /** The row differs from this state. */
  isDirty = false;
  #plannedAt: Micros = 0;

  constructor(
    readonly project: string,
    state: Pick<LaneState, "cursor"> & Partial<LaneState>,
  ) {
    this.cursor = state.cursor;
    this.readTo = state.cursor;
    this.attempts = state.attempts ?? 0;
    this.dueAt = state.due_at ?? null;
    this.failingSince = state.failing_since ?? null;
    this.lastSentAt = state.last_sent_at ?? null;
    this.isAttached = this.dueAt === null;
  }

  /** Its row; null when it needs none. */
  get state(): LaneState | null {
    if (this.dueAt === null && this.lastSentAt === null) return null;
    return {
      cursor: this.cursor,
      attempts: this.attempts,
      due_at: this.dueAt,
      failing_since: this.failingSince,
      last_sent_at: this.lastSentAt,
    };
  }

  /** When it can be worked on; null when there is nothing to do. */
  get readyAt(): Micros | null {
    if (this.isBusy) return null;
    if (this.dueAt !== null) return this.dueAt;
    return this.queue.length > 0 ? 0 : null;
  }

  /** Takes a matching event that was scanned, unless it will read it from the log. */
  offer(event: Event, now: Micros): void {
    if (!this.isAttached || event.id <= this.cursor) return;
    this.queue.push(event);
    if (this.queue.length > queueMax) this.#detach(event.id, now);
    else if (this.dueAt !== null && this.dueAt > now)
      this.dueAt = Math.min(this.dueAt, Math.max(now, this.#plannedAt + planAgainAfter));
  }

  /**
   * Takes what a detached lane has read from the log.
   * @param readTo the id up to which `events` are complete
   * @param position the id up to which the log is scanned: there the lane is attached again
   */
  fill(events: readonly Event[], readTo: number, position: number): void {
    this.queue.push(...events);
    this.readTo = readTo;
    if (this.queue.length === 0) this.#advance(readTo);
    if (readTo >= position) this.isAttached = true;
  }

  /** Takes over the events as they are in the log now. A message that is being sent counts those before. */
  refresh(events: ReadonlyMap<number, Event>): void {
    const fresh = this.queue.map((event) => events.get(event.id) ?? (this.isBusy ? event : null));
    this.queue = fresh.filter((event) => event !== null);
  }

  /** The first `covers` events are delivered. @param remembers whether digests depend on the time */
  delivered(covers: number, now: Micros, remembers: boolean): void {
    if (remembers) [this.lastSentAt, this.isDirty] = [now, true];
    this.skipped(covers, now);
  }

  /** The first `covers` events need no message. */
  skipped(covers: number, now: Micros): void {
    const last = this.queue[covers - 1] as Event;
    this.queue.splice(0, covers);
    this.#advance(last.id);
    [this.attempts, this.failingSince] = [0, null];
    this.settle(now);
  }

  /** Goes on, or is done: a lane that has caught up needs no cursor of its own. */
  settle(now: Micros): void {
    if (this.dueAt === null) return;
    this.dueAt = this.isAttached && this.queue.length === 0 ? null : now;
    this.isDirty = true;
  }

  /** Holds its events until then. */
  wait(until: Micros, now: Micros): void {
    this.isDirty ||= this.dueAt === null;
    this.dueAt = Math.max(until, now);
    this.#plannedAt = now;
  }

  /** Lets the cursor of the webhook pass, as this lane takes long. */
  letPass(now: Micros): void {
    if (this.dueAt !== null) return;
    [this.dueAt, this.isDirty] = [now, true];
  }

  /**
   * The message that is next failed. Its events are read from the log again at the next attempt.
   * @returns whether it has failed for so long that the webhook is to be paused
   */
  failed(now: Micros, retryAfterMs: number | null, random: number): boolean {
    this.attempts++;
    this.failingSince ??= now;
    this.failedAt = now;
    this.dueAt = now + retryDelay(this.attempts, retryAfterMs, random);
    [this.queue, this.isAttached, this.readTo] = [[], false, this.cursor];
    this.isDirty = true;
    return now - this.failingSince >= giveUpAfter;
  }

  #detach(readTo: number, now: Micros): void {
    [this.isAttached, this.readTo] = [false, readTo];
    this.letPass(now);
  }

  #advance(id: number): void {
    this.cursor = Math.max(this.cursor, id);
    this.isDirty ||= this.dueAt !== null;
  }
}

/** When a message that failed is sent again. */
const hourMicros = 60 * minuteMicros;

/** The waits after the first failed attempts; `lastWait` follows. */
const waits = [
  ...[5 * secondMicros, 30 * secondMicros, 2 * minuteMicros, 10 * minuteMicros, 30 * minuteMicros],
  hourMicros,
];

const lastWait = 2 * hourMicros;

/** Waits are up to this much longer, so that receivers that failed together are not retried together. */
const jitter = 0.1;

/** A receiver cannot ask for a longer wait than this. */
const retryAfterMax = dayMicros;

/** A webhook is paused when a message has failed for this long. */
const giveUpAfter = 3 * dayMicros;

/**
 * The wait before the next attempt.
 * @param attempts failed so far, at least one
 * @param retryAfterMs what the receiver asked for
 * @param random from 0 to 1
 */
export function retryDelay(attempts: number, retryAfterMs: number | null, random: number): Micros {
  const wait = (waits[attempts - 1] ?? lastWait) * (1 + jitter * random);
  return Math.round(Math.max(wait, Math.min((retryAfterMs ?? 0) * 1000, retryAfterMax)));
}
