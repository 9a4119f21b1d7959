/**
 * Keeps deliveries from slowing down requests: while the process is busy, few messages are sent and few
 * events are scanned. The log is the queue, so what is put off is sent later. The limits below are from
 * `bun run bench webhooks`.
 */

/**
 * Messages for a second of processor time while the process is busy: about 1 % of it. On a machine that is
 * shared, both appends and messages get slower.
 */
const perBusySecond = 50;
/** Messages a second at least and at most. */
const [rateMin, rateMax] = [25, 5_000];
/** Processor time a second from which the process is busy: it runs JavaScript on one core. */
const busyShare = 0.8;
/** With less than this, appends wait for something else, such as a database far away. */
const queueShare = 0.4;
/** A timer this late, of its interval: the process waits for the processor, or the disk. */
const lateMin = 1.15;
/** An interval this many times longer than planned is not measured. */
const pauseMin = 5;
const faster = 1.3;

export class Pacer {
  #rate = rateMax;
  #tokens = 0;
  #filledAt: number;
  #measured: { at: number; cpuMs: number; hadQueue: boolean };

  /**
   * @param hasQueue whether appends wait for each other
   * @param time in milliseconds
   * @param cpu processor time of the process, in milliseconds
   */
  constructor(
    readonly hasQueue: () => boolean,
    readonly time: () => number = () => performance.now(),
    readonly cpu: () => number = processCpuMs,
  ) {
    this.#filledAt = time();
    this.#measured = { at: time(), cpuMs: cpu(), hadQueue: false };
  }

  /** Messages a second that may be sent now. */
  get rate(): number {
    return this.#rate;
  }

  get isBusy(): boolean {
    return this.#rate < rateMax / 10;
  }

  /** Measures how busy the process was since the last call, which a timer makes. @param wantedMs its interval */
  measure(wantedMs: number): void {
    const [at, cpuMs, hadQueue] = [this.time(), this.cpu(), this.hasQueue()];
    const elapsed = at - this.#measured.at;
    const share = (cpuMs - this.#measured.cpuMs) / elapsed;
    this.#measured = { at, cpuMs, hadQueue };
    // The timer was stopped meanwhile, or the process was.
    if (elapsed > wantedMs * pauseMin) return;
    const isStarved = hadQueue && (share > queueShare || elapsed > wantedMs * lateMin);
    if (share > busyShare || isStarved) this.#slowDown(share);
    else this.#rate = Math.min(rateMax, this.#rate * faster);
  }

  /** Whether a message may be sent now; counts it. */
  take(): boolean {
    // The next measurement tells whether it is the processor that these appends wait for.
    if (!this.#measured.hadQueue && this.hasQueue()) {
      this.#measured.hadQueue = true;
      this.#slowDown(1);
    }
    const now = this.time();
    // No more than a tenth of a second is saved up.
    const saved = this.#tokens + ((now - this.#filledAt) / 1000) * this.#rate;
    this.#tokens = Math.min(saved, this.#rate / 10);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #slowDown(share: number): void {
    this.#rate = Math.min(this.#rate, Math.max(rateMin, perBusySecond * share));
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
