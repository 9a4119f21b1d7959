/**
 * Keeps deliveries from slowing down requests: while the process is busy, few messages are sent and few
 * events are scanned. The log is the queue, so what is put off is sent later. The limits below are from
 * `bun run bench webhooks`.
 */

/** Messages a second while the process is busy, and at most. */
const rateMin = 300;
const rateMax = 5_000;
/** Processor time a second from which the process is busy: it runs JavaScript on one core. */
const busyShare = 0.8;
/** A time between two measurements that is so many times longer than wanted says nothing. */
const pauseMin = 5;
const [slower, faster] = [0.3, 1.3];

export class Pacer {
  #rate = rateMax;
  #tokens = 0;
  #filledAt: number;
  #measured: { at: number; cpuMs: number };

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
    this.#measured = { at: time(), cpuMs: cpu() };
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
    const [at, cpuMs] = [this.time(), this.cpu()];
    const elapsed = at - this.#measured.at;
    if (elapsed > wantedMs * pauseMin) {
      // The timer was stopped meanwhile, or the process was.
      this.#measured = { at, cpuMs };
      return;
    }
    const share = (cpuMs - this.#measured.cpuMs) / elapsed;
    const isBusy = this.hasQueue() || share > busyShare;
    this.#measured = { at, cpuMs };
    this.#rate = isBusy ? Math.max(rateMin, this.#rate * slower) : Math.min(rateMax, this.#rate * faster);
  }

  /** Whether a message may be sent now; counts it. */
  take(): boolean {
    const now = this.time();
    // No more than a tenth of a second is saved up.
    const saved = this.#tokens + ((now - this.#filledAt) / 1000) * this.#rate;
    this.#tokens = Math.min(saved, this.#rate / 10);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
