/**
 * Sends the events of the log to webhooks, in the background: in order within each project of a webhook, at
 * least once. The log is the queue; see lane.ts for how a lane that is behind is remembered.
 *
 * One loop reads the log into the lanes, another one leases webhooks and records what was sent, so that reads
 * do not wait for the write lock. Messages are sent beside them, as the dispatcher says.
 */
import { ulid } from "ulid";
import { secondMicros } from "../../../core/lib/time.ts";
import { unlessAborted } from "../../../core/lib/until-aborted.ts";
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
/** The least time between two reads of the log: under load they find many events, which cost less each. */
const readEveryMs = { idle: 25, busy: 250 };
/** The least time between two writes; longer while requests need the write lock. */
const recordEveryMs = { idle: 100, busy: 500 };
/** While the process is busy and this many webhooks have messages to send, no events are read. */
const backlogMax = 50;
/** Above this many appends in progress, deliveries yield the processor to them. */
const queuedAppends = 16;
/** A read or a write that fails, as without the database, is tried again after this. */
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
  readonly #running: Promise<unknown>;
  readonly #stopping = new AbortController();
  #leasesAt = Number.NEGATIVE_INFINITY;
  #wakeReader = () => {};
  #wakeWriter = () => {};

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
      mayStart: () => !this.#stopping.signal.aborted && this.#leases.maySend && this.#pacer.take(),
      onTick: (everyMs) => this.#pacer.measure(everyMs),
      onSlow: (source, lane) => {
        lane.letPass(ctx.now());
        this.#note(source);
      },
    });
    this.#scan = new Scan(ctx, {
      read: this.#read,
      onWanted: () => this.#wakeReader(),
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
    this.#running = Promise.all([
      this.#repeat(
        "reading events for webhooks",
        () => this.#readEvents(),
        () => this.#untilEvents(),
      ),
      this.#repeat(
        "leasing webhooks",
        () => this.#record(),
        () => this.#untilNoted(),
      ),
    ]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#dispatcher.stop(() => this.#abort.abort());
    await this.#leases.end().catch((error: Error) => {
      this.ctx.log("warn", "ending the lease of webhooks failed", { error: error.message });
    });
  }

  /** Repeats work until the delivery is stopped. */
  async #repeat(what: string, work: () => Promise<void>, rest: () => Promise<void>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const failure = await work().then(
        () => null,
        (error: Error) => error,
      );
      if (failure) this.ctx.log("warn", `${what} failed`, { error: failure.message });
      await unlessAborted(failure ? Bun.sleep(retryEveryMs) : rest(), this.#stopping.signal);
    }
  }

  get #load(): "idle" | "busy" {
    return this.#pacer.isBusy ? "busy" : "idle";
  }

  async #readEvents(): Promise<void> {
    const mayRead = this.#load === "idle" || this.#dispatcher.backlog <= backlogMax;
    if (this.#scan.isWanted && mayRead) await this.#scan.readOn();
    this.#dispatcher.pump();
  }

  async #untilEvents(): Promise<void> {
    await Bun.sleep(readEveryMs[this.#load]);
    if (!this.#scan.isWanted) await new Promise<void>((resolve) => (this.#wakeReader = resolve));
  }

  async #record(): Promise<void> {
    await this.#leases.record();
    if (performance.now() - this.#leasesAt < leasesEveryMs / this.pace) return;
    this.#leasesAt = performance.now();
    await this.#leases.turn();
    this.#measure();
  }

  async #untilNoted(): Promise<void> {
    const noted = new Promise<void>((resolve) => (this.#wakeWriter = resolve));
    if (!this.#leases.hasUnwritten) await Promise.race([noted, Bun.sleep(leasesEveryMs / this.pace)]);
    await Bun.sleep(recordEveryMs[this.#load] / this.pace);
  }

  async #add(sources: readonly Source[]): Promise<void> {
    await this.#scan.add(sources);
    for (const source of sources)
      for (const lane of source.lanes.values()) this.#dispatcher.schedule(source, lane);
  }

  #note(source: Source, delivery?: NewDeliveryRow): void {
    this.#leases.note(source, delivery);
    this.#wakeWriter();
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
