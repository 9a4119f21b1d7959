/**
 * Sends the events of the log to webhooks, in the background: in order within each project of a webhook, at
 * least once. The log is the queue; see lane.ts for how a lane that is behind is remembered.
 */
import { ulid } from "ulid";
import { secondMicros } from "../../../core/lib/time.ts";
import type { IntegrationsContext } from "../../context.ts";
import { httpSender, type Sender } from "./attempt.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Lane } from "./lane.ts";
import { openLogReader } from "./log-reader.ts";
import { Pacer } from "./pacer.ts";
import { pauseWebhook } from "./pause.ts";
import { Recorder } from "./recorder.ts";
import { Roster } from "./roster.ts";
import { Scan } from "./scan.ts";
import { type StepResult, sendNext } from "./send-next.ts";
import type { Source } from "./source.ts";

/** How soon a new or changed webhook is noticed. */
const turnEveryMs = 1_000;
/** Cursors of webhooks that got no events are written this often: a start reads from there. */
const idleCursorsEveryMs = 60_000;
/** Above this many appends in progress, deliveries yield the processor to them. */
const queuedAppends = 16;
/** A step that cannot read the log is tried again after this. */
const workAgainAfter = 5 * secondMicros;
/** How long a stop waits for messages in flight. */
const stopGraceMs = 2_000;

export interface Delivery {
  /** Stops sending, and writes what was sent. Another process, or the next start, goes on. */
  stop(): Promise<void>;
}

/** What tests replace. */
export interface DeliveryOptions {
  sender?: Sender;
  /** How many times faster than usual the clock runs. */
  pace?: number;
}

/** Starts delivering. Without webhooks it costs one read of a row a second. */
export function startDelivery(
  ctx: IntegrationsContext,
  { sender = httpSender, pace = 1 }: DeliveryOptions = {},
): Delivery {
  return new Engine(ctx, sender, pace).start();
}

class Engine {
  readonly #abort = new AbortController();
  readonly #pacer: Pacer;
  readonly #reader;
  readonly #scan: Scan;
  readonly #dispatcher: Dispatcher;
  readonly #recorder: Recorder;
  readonly #roster: Roster;
  #isStopped = false;
  #idleWrittenAt = performance.now();

  constructor(
    readonly ctx: IntegrationsContext,
    readonly sender: Sender,
    readonly pace: number,
  ) {
    const node = ulid(ctx.now() / 1_000);
    this.#reader = openLogReader(ctx.data);
    const appends = ctx.metrics.operationsInFlight.of("appendEvents");
    this.#pacer = new Pacer(() => appends.value >= queuedAppends);
    this.#dispatcher = new Dispatcher({
      now: ctx.now,
      work: (source, lane) => this.#work(source, lane),
      mayStart: () => !this.#isStopped && !this.#recorder.isFull && this.#roster.isHeld && this.#pacer.take(),
      onTick: (everyMs) => this.#pacer.measure(everyMs),
      onSlow: (source, lane) => {
        lane.letPass(ctx.now());
        this.#recorder.note(source, lane);
      },
    });
    const onFlush = (isHeld: boolean, finished: readonly Source[]) => {
      for (const source of finished) this.#roster.finish(source);
      if (!isHeld) this.#loseLease();
      this.#dispatcher.pump();
    };
    this.#recorder = new Recorder(ctx, node, onFlush, () => this.#pacer.isBusy);
    this.#scan = new Scan(
      ctx,
      this.#reader,
      (source, lane) => this.#dispatcher.schedule(source, lane),
      (source) => this.#recorder.note(source),
      { isBusy: () => this.#pacer.isBusy, backlog: () => this.#dispatcher.backlog },
    );
    this.#roster = new Roster(ctx, {
      node,
      pace,
      onAdded: (sources) => this.#add(sources),
      onChanged: (source) => this.#scan.refresh(source),
      onRemoved: (source) => this.#remove(source),
      flush: () => this.#recorder.flush(),
    });
  }

  start(): Delivery {
    const stopped = Promise.withResolvers<void>();
    const running = this.#run(stopped.promise);
    return {
      stop: async () => {
        this.#isStopped = true;
        stopped.resolve();
        await running;
        await this.#end();
      },
    };
  }

  async #run(stopped: Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#roster.turn();
      } catch (error) {
        this.ctx.log("warn", "reading webhooks failed", { error: (error as Error).message });
      }
      this.#noteIdle();
      this.#measure();
      this.#dispatcher.pump();
      await Promise.race([Bun.sleep(turnEveryMs / this.pace), stopped]);
    }
  }

  async #end(): Promise<void> {
    this.#dispatcher.stop();
    const until = performance.now() + stopGraceMs;
    while (this.#dispatcher.inFlight > 0 && performance.now() < until) await Bun.sleep(20);
    this.#abort.abort();
    while (this.#dispatcher.inFlight > 0) await Bun.sleep(20);
    for (const source of this.#roster.sources.values()) this.#recorder.note(source);
    await this.#recorder.flush();
    await this.#roster.end().catch((error: Error) => {
      this.ctx.log("warn", "ending the lease of webhooks failed", { error: error.message });
    });
    this.#recorder.clear();
    this.#scan.rest();
  }

  async #add(sources: readonly Source[]): Promise<void> {
    await this.#scan.add(sources);
    for (const source of sources)
      for (const lane of source.lanes.values()) this.#dispatcher.schedule(source, lane);
  }

  #remove(source: Source): void {
    this.#scan.remove(source);
    this.#dispatcher.remove(source);
    if (this.#roster.sources.size === 0) this.#scan.rest();
  }

  #loseLease(): void {
    this.ctx.log("warn", "another server took over the webhooks of this one");
    this.#recorder.clear();
    this.#roster.lose();
  }

  async #work(source: Source, lane: Lane): Promise<void> {
    const { ctx, sender } = this;
    try {
      const deps = { ctx, sender, reader: this.#reader, signal: this.#abort.signal };
      const result = await sendNext(deps, source, lane);
      this.#recorder.note(source, lane, result?.row);
      if (result) await this.#conclude(source, lane, result);
    } catch (error) {
      ctx.log("warn", "sending to a webhook failed", {
        webhook: source.webhook.id,
        error: (error as Error).message,
      });
      lane.wait(ctx.now() + workAgainAfter, ctx.now());
    }
    if (this.#scan.isBehind(source) && !source.isFull) this.#scan.wake();
  }

  async #conclude(source: Source, lane: Lane, result: StepResult): Promise<void> {
    const { row, verdict, isGivenUp, appendedAt } = result;
    const { metrics, now } = this.ctx;
    metrics.webhookDeliveries.of(row.outcome).add();
    metrics.webhookDuration.of().observe(row.duration_ms / 1000);
    if (verdict === "delivered") {
      if (!source.replay) metrics.webhookLag.of().observe((now() - appendedAt) / secondMicros);
      for (const other of source.recover(now())) this.#dispatcher.schedule(source, other);
      return;
    }
    if (verdict !== "gone" && !isGivenUp) return;
    const { webhook } = source;
    this.#roster.stopWebhook(webhook.id);
    await pauseWebhook(
      this.ctx,
      webhook,
      verdict === "gone"
        ? "The receiver answered that it is gone. Resume the webhook if it is back, or remove it."
        : `Project ${lane.project || "none"}: no attempt succeeded for three days. ${row.error ?? ""}`.trim(),
    );
  }

  #noteIdle(): void {
    if (performance.now() - this.#idleWrittenAt < idleCursorsEveryMs) return;
    this.#idleWrittenAt = performance.now();
    for (const source of this.#roster.sources.values()) this.#recorder.note(source);
  }

  #measure(): void {
    const { metrics } = this.ctx;
    metrics.webhooksLeased.of().set(this.#roster.sources.size);
    metrics.webhooksInFlight.of().set(this.#dispatcher.inFlight);
    metrics.webhookLanesWaiting.of().set(this.#dispatcher.waiting);
  }
}
