/**
 * Sends the events of the log to webhooks, in the background: in order within each project of a webhook, at
 * least once. The log is the queue; see lane.ts for how a lane that is behind is remembered.
 *
 * One loop reads and writes the database: it leases webhooks, reads events into their lanes, and records what
 * was sent. Messages are sent beside it, as the dispatcher says.
 */
import { ulid } from "ulid";
import { secondMicros } from "../../../core/lib/time.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { NewDeliveryRow } from "../../rows.ts";
import { pauseForReason } from "../webhooks.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Lane } from "./lane.ts";
import { Leases } from "./leases.ts";
import { Pacer } from "./pacer.ts";
import { openLogReader, Scan } from "./scan.ts";
import { type Sent, sendNext } from "./send.ts";
import type { Source } from "./source.ts";

/** How soon a new or changed webhook is noticed. */
const leasesEveryMs = 1_000;
/** The least time between two turns of the loop: under load they find many events, which cost less each. */
const turnEveryMs = { idle: 25, busy: 250 };
/** The least time between two writes; longer while requests need the write lock. */
const recordEveryMs = { idle: 100, busy: 500 };
/** While the process is busy and this many webhooks have messages to send, no events are read. */
const backlogMax = 50;
/** Above this many appends in progress, deliveries yield the processor to them. */
const queuedAppends = 16;
/** A turn that fails, as without the database, is tried again after this. */
const retryEveryMs = 1_000;
/** A message that could not be made, or whose events could not be read, is tried again after this. */
const stepAgainAfter = 5 * secondMicros;

export interface Delivery {
  /** Stops sending, and writes what was sent. Another process, or the next start, goes on. */
  stop(): Promise<void>;
}

/**
 * Starts delivering. Without webhooks it costs one read of a row a second.
 * @param pace how many times faster than usual the clock of `ctx` runs, in a test
 */
export const startDelivery = (ctx: IntegrationsContext, { pace = 1 } = {}): Delivery => new Engine(ctx, pace);

class Engine implements Delivery {
  readonly #abort = new AbortController();
  readonly #pacer: Pacer;
  readonly #read;
  readonly #scan: Scan;
  readonly #dispatcher: Dispatcher;
  readonly #leases: Leases;
  readonly #running: Promise<void>;
  readonly #stopping = Promise.withResolvers<void>();
  #isStopped = false;
  #leasesAt = Number.NEGATIVE_INFINITY;
  #recordedAt = Number.NEGATIVE_INFINITY;
  #wake = () => {};

  constructor(
    readonly ctx: IntegrationsContext,
    readonly pace: number,
  ) {
    const appends = ctx.metrics.operationsInFlight.of("appendEvents");
    this.#pacer = new Pacer(() => appends.value >= queuedAppends);
    this.#read = openLogReader(ctx.data);
    this.#dispatcher = new Dispatcher({
      now: ctx.now,
      work: (source, lane) => this.#work(source, lane),
      mayStart: () => !this.#isStopped && this.#leases.maySend && this.#pacer.take(),
      onTick: (everyMs) => this.#pacer.measure(everyMs),
      onSlow: (source, lane) => {
        lane.letPass(ctx.now());
        this.#note(source);
      },
    });
    this.#scan = new Scan(ctx, {
      read: this.#read,
      onAppend: () => this.#wake(),
      onEvents: (source, lane) => this.#dispatcher.schedule(source, lane),
      onProgress: (source) => this.#note(source),
    });
    this.#leases = new Leases(ctx, {
      node: ulid(ctx.now() / 1_000),
      pace,
      onAdded: (sources) => this.#add(sources),
      onChanged: () => this.#scan.refresh(),
      onStopped: (source) => {
        this.#scan.remove(source);
        this.#dispatcher.remove(source);
      },
    });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.resolve();
    await this.#running;
    await this.#dispatcher.stop(() => this.#abort.abort());
    await this.#leases.end().catch((error: Error) => {
      this.ctx.log("warn", "ending the lease of webhooks failed", { error: error.message });
    });
  }

  async #run(): Promise<void> {
    const stopping = this.#stopping.promise;
    while (!this.#isStopped) {
      try {
        await this.#turn();
        await Promise.race([this.#rest(), stopping]);
      } catch (error) {
        this.ctx.log("warn", "delivering webhooks failed", { error: (error as Error).message });
        this.#scan.isWanted = true;
        await Promise.race([Bun.sleep(retryEveryMs), stopping]);
      }
    }
  }

  async #turn(): Promise<void> {
    const load = this.#pacer.isBusy ? "busy" : "idle";
    if (performance.now() - this.#leasesAt >= leasesEveryMs / this.pace) {
      this.#leasesAt = performance.now();
      await this.#leases.turn();
      this.#measure();
    }
    if (this.#scan.isWanted && (load === "idle" || this.#dispatcher.backlog <= backlogMax))
      await this.#scan.readOn();
    this.#dispatcher.pump();
    if (performance.now() - this.#recordedAt < recordEveryMs[load]) return;
    this.#recordedAt = performance.now();
    await this.#leases.record();
  }

  /** Waits until there may be something to do. */
  async #rest(): Promise<void> {
    await Bun.sleep(turnEveryMs[this.#pacer.isBusy ? "busy" : "idle"]);
    if (this.#scan.isWanted || this.#leases.hasUnwritten) return;
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    await Promise.race([woken, Bun.sleep(leasesEveryMs / this.pace)]);
  }

  async #add(sources: readonly Source[]): Promise<void> {
    await this.#scan.add(sources);
    for (const source of sources)
      for (const lane of source.lanes.values()) this.#dispatcher.schedule(source, lane);
  }

  #note(source: Source, delivery?: NewDeliveryRow): void {
    this.#leases.note(source, delivery);
    this.#wake();
  }

  async #work(source: Source, lane: Lane): Promise<void> {
    const { ctx } = this;
    try {
      const sent = await sendNext({ ctx, read: this.#read, signal: this.#abort.signal }, source, lane);
      this.#note(source, sent?.row);
      if (sent) await this.#conclude(source, sent);
    } catch (error) {
      ctx.log("warn", "sending to a webhook failed", {
        webhook: source.webhook.id,
        error: (error as Error).message,
      });
      lane.wait(ctx.now() + stepAgainAfter, ctx.now());
      this.#note(source);
    }
    this.#scan.resume(source);
  }

  async #conclude(source: Source, { row, appendedAt, pauseReason }: Sent): Promise<void> {
    const { metrics, now } = this.ctx;
    metrics.webhookDeliveries.of(row.outcome).add();
    metrics.webhookDuration.of().observe(row.duration_ms / 1000);
    if (row.outcome === "delivered") {
      if (!source.replay) metrics.webhookLag.of().observe((now() - appendedAt) / secondMicros);
      for (const other of source.recover(now())) this.#dispatcher.schedule(source, other);
    }
    if (pauseReason === null) return;
    this.#leases.stopWebhook(source.webhook.id);
    await pauseForReason(this.ctx, source.webhook, pauseReason);
  }

  #measure(): void {
    const { metrics } = this.ctx;
    metrics.webhooksLeased.of().set(this.#leases.active);
    metrics.webhooksInFlight.of().set(this.#dispatcher.inFlight);
    metrics.webhookLanesWaiting.of().set(this.#dispatcher.waiting);
  }
}
