/**
 * Decides whose message is sent next. Each webhook gets its turn; it has few messages in flight, and one at a
 * time until it has answered once. Receivers that take long, such as dead ones, are sent to from slots of
 * their own: they take none from the others. A message that takes long holds back no other project of its
 * webhook either: it no longer counts as the one that is sent at a time.
 */
import type { Lane } from "./lane.ts";
import type { Source } from "./source.ts";

/** Messages in flight: to receivers that answer soon, and to those that take longer than `slowAfterMs`. */
const slots = { live: 64, slow: 128 };
export const slowAfterMs = 1_000;
/** Messages in flight of one webhook. */
const perSourceMax = 4;
const tickMs = 100;
/** How long a stop waits for messages in flight. */
const stopGraceMs = 2_000;

interface InFlight {
  source: Source;
  lane: Lane;
  slot: keyof typeof slots;
  startedAt: number;
  /** It takes longer than `slowAfterMs`. */
  isSlow: boolean;
}

interface DispatcherOptions {
  now(): number;
  /** Sends the next message of a lane. Never rejects. */
  work(source: Source, lane: Lane): Promise<void>;
  /** Whether a message may be sent now; counts it. */
  mayStart(): boolean;
  /** Called this often while there is something to do. */
  onTick(everyMs: number): void;
  /** Called when a message begins to take long. */
  onSlow(source: Source, lane: Lane): void;
}

export class Dispatcher {
  /** Lanes whose messages could be sent now, by source, in the order of their turns. */
  readonly #ready = new Map<Source, Set<Lane>>();
  /** Lanes that are due later. */
  readonly #waiting = new Map<Lane, Source>();
  readonly #inFlight = new Set<InFlight>();
  readonly #taken = { live: 0, slow: 0 };
  #timer: Timer | undefined;

  constructor(readonly options: DispatcherOptions) {}

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Sources with messages that could be sent now, without those whose receivers take long. */
  get backlog(): number {
    return [...this.#ready.keys()].filter(({ isSlow }) => !isSlow).length;
  }

  /** Lanes that failed or hold a digest. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Considers a lane that may have something to send; `pump` sends it. */
  schedule(source: Source, lane: Lane): void {
    const { readyAt } = lane;
    this.#waiting.delete(lane);
    if (source.isStopped || readyAt === null) return;
    if (readyAt > this.options.now()) this.#waiting.set(lane, source);
    else this.#ready.set(source, (this.#ready.get(source) ?? new Set()).add(lane));
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  /** Forgets a source. What is in flight ends by itself. */
  remove(source: Source): void {
    this.#ready.delete(source);
    for (const lane of source.lanes.values()) this.#waiting.delete(lane);
  }

  /** Starts what there is room for. */
  pump(): void {
    for (const [source, lanes] of this.#ready) {
      if (!this.#hasRoom(source)) continue;
      if (!this.options.mayStart()) return; // the next tick tries again
      const [lane] = lanes as Iterable<Lane> as [Lane];
      // The next turn of the source comes after those of the others.
      this.#ready.delete(source);
      lanes.delete(lane);
      if (lanes.size > 0) this.#ready.set(source, lanes);
      void this.#start(source, lane);
    }
  }

  /** Waits a moment for what is in flight, and then for what `abort` ends. */
  async stop(abort: () => void): Promise<void> {
    clearInterval(this.#timer);
    this.#waiting.clear();
    this.#ready.clear();
    const until = performance.now() + stopGraceMs;
    while (this.inFlight > 0 && performance.now() < until) await Bun.sleep(20);
    abort();
    while (this.inFlight > 0) await Bun.sleep(20);
  }

  #hasRoom({ isSlow, isProven, inFlight, slowInFlight }: Source): boolean {
    const slot = isSlow ? "slow" : "live";
    const max = isProven && !isSlow ? perSourceMax : Math.min(1 + slowInFlight, perSourceMax);
    return this.#taken[slot] < slots[slot] && inFlight < max;
  }

  async #start(source: Source, lane: Lane): Promise<void> {
    const slot = source.isSlow ? "slow" : "live";
    const entry: InFlight = { source, lane, slot, startedAt: performance.now(), isSlow: false };
    this.#inFlight.add(entry);
    this.#taken[slot]++;
    source.inFlight++;
    lane.isBusy = true;
    await this.options.work(source, lane);
    this.#inFlight.delete(entry);
    this.#taken[entry.slot]--;
    source.inFlight--;
    if (entry.isSlow) source.slowInFlight--;
    lane.isBusy = false;
    this.schedule(source, lane);
    this.pump();
  }

  #tick(): void {
    this.options.onTick(tickMs);
    const now = this.options.now();
    for (const [lane, source] of this.#waiting)
      if ((lane.readyAt ?? Number.POSITIVE_INFINITY) <= now) this.schedule(source, lane);
    for (const entry of this.#inFlight)
      if (performance.now() - entry.startedAt >= slowAfterMs) this.#markSlow(entry);
    this.pump();
    if (this.#waiting.size + this.#inFlight.size + this.#ready.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Leaves the place of a message that takes long to others. */
  #markSlow(entry: InFlight): void {
    const { source, lane } = entry;
    source.isSlow = true;
    if (!entry.isSlow) {
      entry.isSlow = true;
      source.slowInFlight++;
      this.options.onSlow(source, lane);
    }
    if (entry.slot === "slow" || this.#taken.slow >= slots.slow) return;
    entry.slot = "slow";
    this.#taken.live--;
    this.#taken.slow++;
  }
}
