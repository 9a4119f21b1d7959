/**
 * Decides whose message is sent next. Each webhook gets its turn; it has few messages in flight, and one at a
 * time until it has answered once. Receivers that take long, such as dead ones, are sent to from slots of
 * their own: they take none from the others. A message that takes long holds back no other project of its
 * webhook either: it no longer counts as the one that is sent at a time.
 */
import type { Lane } from "./lane.ts";
import type { Source } from "./source.ts";

/** Messages in flight to receivers that answer soon. */
const liveMax = 64;
/** Messages in flight to receivers that take longer than `slowAfterMs`. */
const slowMax = 128;
export const slowAfterMs = 1_000;
/** Messages in flight of one webhook. */
const perSourceMax = 4;
const tickMs = 100;

interface Pool {
  readonly max: number;
  inFlight: number;
  /** Sources with lanes that are ready, in the order of their turns. */
  readonly turns: Set<Source>;
}

interface InFlight {
  source: Source;
  lane: Lane;
  pool: Pool;
  startedAt: number;
  /** It takes longer than `slowAfterMs`. */
  isSlow: boolean;
}

export interface DispatcherOptions {
  now(): number;
  /** Sends the next message of a lane. Never rejects. */
  work(source: Source, lane: Lane): Promise<void>;
  /** Whether a message may be sent now; counts it. */
  mayStart(): boolean;
  /** Called this often while there is something to do. */
  onTick(everyMs: number): void;
  /** Called when a message takes long. */
  onSlow(source: Source, lane: Lane): void;
}

export class Dispatcher {
  readonly #live: Pool = { max: liveMax, inFlight: 0, turns: new Set() };
  readonly #slow: Pool = { max: slowMax, inFlight: 0, turns: new Set() };
  readonly #ready = new Map<Source, Set<Lane>>();
  /** Lanes that are due later. */
  readonly #waiting = new Map<Lane, Source>();
  readonly #inFlight = new Set<InFlight>();
  #timer: Timer | undefined;

  constructor(readonly options: DispatcherOptions) {}

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Sources with messages that could be sent now, without those whose receivers take long. */
  get backlog(): number {
    return this.#live.turns.size;
  }

  /** Lanes that failed or hold a digest. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Considers a lane that may have something to send. */
  schedule(source: Source, lane: Lane): void {
    const { readyAt } = lane;
    if (source.isStopped || readyAt === null) return void this.#waiting.delete(lane);
    if (readyAt > this.options.now()) {
      this.#waiting.set(lane, source);
      this.#startTimer();
      return;
    }
    this.#waiting.delete(lane);
    const ready = this.#ready.get(source) ?? new Set();
    this.#ready.set(source, ready.add(lane));
    this.#poolOf(source).turns.add(source);
    this.pump();
  }

  /** Forgets a source. What is in flight ends by itself. */
  remove(source: Source): void {
    this.#ready.delete(source);
    this.#live.turns.delete(source);
    this.#slow.turns.delete(source);
    for (const lane of source.lanes.values()) this.#waiting.delete(lane);
  }

  /** Starts what there is room for. */
  pump(): void {
    for (const pool of [this.#live, this.#slow])
      while (pool.inFlight < pool.max) {
        const [source] = pool.turns;
        if (!source) break;
        if (this.#canStart(source, pool) && !this.options.mayStart()) {
          this.#startTimer(); // the next tick tries again
          return;
        }
        pool.turns.delete(source);
        this.#take(source, pool);
      }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#waiting.clear();
    this.#ready.clear();
    this.#live.turns.clear();
    this.#slow.turns.clear();
  }

  #poolOf = (source: Source): Pool => (source.isSlow ? this.#slow : this.#live);

  #canStart(source: Source, pool: Pool): boolean {
    const max = source.isProven && !source.isSlow ? perSourceMax : 1 + source.slowInFlight;
    return this.#poolOf(source) === pool && source.inFlight < Math.min(max, perSourceMax);
  }

  #take(source: Source, pool: Pool): void {
    const right = this.#poolOf(source);
    if (right !== pool) return void right.turns.add(source);
    const ready = this.#ready.get(source);
    const [lane] = ready ?? [];
    // A source without room gets its next turn when one of its messages ends.
    if (!ready || !lane || !this.#canStart(source, pool)) return;
    ready.delete(lane);
    if (ready.size > 0) pool.turns.add(source);
    else this.#ready.delete(source);
    if (!lane.isBusy && !source.isStopped)
      this.#start({ source, lane, pool, startedAt: performance.now(), isSlow: false });
  }

  #start(entry: InFlight): void {
    const { source, lane } = entry;
    lane.isBusy = true;
    source.inFlight++;
    entry.pool.inFlight++;
    this.#inFlight.add(entry);
    this.#startTimer();
    void this.options.work(source, lane).finally(() => {
      lane.isBusy = false;
      source.inFlight--;
      if (entry.isSlow) source.slowInFlight--;
      entry.pool.inFlight--;
      this.#inFlight.delete(entry);
      if (this.#ready.has(source)) this.#poolOf(source).turns.add(source);
      this.schedule(source, lane);
      this.pump();
    });
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  /** Leaves the place of a message that takes long to another project of its webhook. */
  #markSlow(entry: InFlight): void {
    const { source } = entry;
    source.isSlow = true;
    if (entry.isSlow) return;
    entry.isSlow = true;
    source.slowInFlight++;
    if (this.#ready.has(source)) this.#poolOf(source).turns.add(source);
  }

  #tick(): void {
    this.options.onTick(tickMs);
    const now = this.options.now();
    for (const [lane, source] of this.#waiting)
      if ((lane.readyAt ?? Number.POSITIVE_INFINITY) <= now) this.schedule(source, lane);
    for (const entry of this.#inFlight) {
      if (performance.now() - entry.startedAt < slowAfterMs) continue;
      this.#markSlow(entry);
      this.options.onSlow(entry.source, entry.lane);
      if (entry.pool === this.#slow || this.#slow.inFlight >= this.#slow.max) continue;
      entry.pool.inFlight--;
      this.#slow.inFlight++;
      entry.pool = this.#slow;
    }
    this.pump();
    const ready = this.#live.turns.size + this.#slow.turns.size;
    if (this.#waiting.size + this.#inFlight.size + ready > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
