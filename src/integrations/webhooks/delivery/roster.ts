/**
 * Which webhooks this process delivers: those that it has leased. Processes share them fairly; one that stops
 * or goes silent loses them to the others.
 */
import { secondMicros } from "../../../core/lib/time.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { LaneRow, ReplayRow, WebhookRow } from "../../rows.ts";
import { openReadable, pauseWebhook, type Readable } from "./pause.ts";
import { Source, sourceKey } from "./source.ts";

const leaseMicros = 15 * secondMicros;
const renewEveryMs = 5_000;
/** Without a renewal for this long, nothing is sent: another process may have taken over. */
const leaseTrustMs = 10_000;

type Needs = Pick<IntegrationsContext, "config" | "data" | "log" | "now">;

export interface RosterOptions {
  node: string;
  /** How many times sooner than usual a lease is renewed: for a clock that runs faster. */
  pace: number;
  /** These are to be delivered from now on. */
  onAdded(sources: readonly Source[]): Promise<void>;
  onChanged(source: Source): void;
  /** No longer to be delivered. */
  onRemoved(source: Source): void;
  /** Writes all progress. @returns whether it is written */
  flush(): Promise<boolean>;
}

export class Roster {
  readonly sources = new Map<string, Source>();
  /** Stopped, with a message still in flight: not taken up again before that has ended. */
  readonly #ending = new Set<Source>();
  /** Replays whose end is written. */
  readonly #finished = new Set<string>();
  #version: string | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #isRegistered = false;
  #hasActive = false;
  #surplus = 0;

  constructor(
    readonly ctx: Needs,
    readonly options: RosterOptions,
  ) {}

  /** Whether messages may be sent. */
  get isHeld(): boolean {
    return performance.now() - this.#renewedAt < leaseTrustMs / this.options.pace;
  }

  /** Takes over changes of webhooks, and renews the lease when it is time to. */
  async turn(): Promise<void> {
    const version = await this.ctx.data.webhooksVersion();
    const isChanged = version !== this.#version;
    if (!isChanged && performance.now() - this.#renewedAt < renewEveryMs / this.options.pace) return;
    if (!isChanged && !this.#hasActive && !this.#isRegistered) return;
    if (isChanged)
      this.#hasActive = (await this.ctx.data.webhooks()).some(({ status }) => status === "active");
    if (this.#hasActive) await this.#renew();
    else await this.end();
    this.#version = version;
  }

  /** Stops a webhook and its replays. */
  stopWebhook(id: string): void {
    for (const source of this.sources.values()) if (source.webhook.id === id) this.remove(source);
  }

  remove(source: Source): void {
    source.isStopped = true;
    this.sources.delete(source.key);
    this.options.onRemoved(source);
    if (source.inFlight > 0) this.#ending.add(source);
  }

  /** Every event of a replay is sent, and its row is gone. */
  finish(source: Source): void {
    if (source.replay) this.#finished.add(source.replay.id);
    this.remove(source);
  }

  /** The lease has ended: others deliver now. */
  lose(): void {
    for (const source of [...this.sources.values(), ...this.#ending]) {
      source.isLost = true;
      this.remove(source);
    }
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    this.#version = null;
  }

  async end(): Promise<void> {
    for (const source of this.sources.values()) this.remove(source);
    if (!this.#isRegistered) return;
    await this.options.flush();
    await this.ctx.data.atomically((writes) => writes.endLease(this.options.node));
    this.#isRegistered = false;
  }

  async #renew(): Promise<void> {
    const { data, now } = this.ctx;
    const sentAt = performance.now();
    const released = await this.#release();
    const { node } = this.options;
    const lease = { node, now: now(), until: now() + leaseMicros, released };
    const { held, surplus } = await data.atomically((writes) => writes.leaseWebhooks(lease));
    this.#isRegistered = true;
    this.#renewedAt = sentAt;
    this.#surplus = surplus;
    await this.#load(new Set(held));
  }

  /** Gives up what is more than the fair share, if nothing of it is in flight. @returns the ids */
  async #release(): Promise<string[]> {
    if (this.#surplus === 0) return [];
    const busy = new Set(
      [...this.sources.values(), ...this.#ending]
        .filter((one) => one.inFlight > 0)
        .map(({ webhook }) => webhook.id),
    );
    const idle = [...new Set(this.sources.values().map(({ webhook }) => webhook.id))].filter(
      (id) => !busy.has(id),
    );
    const released = idle.slice(0, this.#surplus);
    for (const id of released) this.stopWebhook(id);
    // What is not written would be sent twice, but nothing is lost.
    await this.options.flush();
    return released;
  }

  async #load(held: ReadonlySet<string>): Promise<void> {
    const { data } = this.ctx;
    const [rows, replays, readable] = await Promise.all([
      data.webhooks(),
      data.replays(),
      openReadable(this.ctx),
    ]);
    const webhooks = new Map<string, { row: WebhookRow; readable: Readable }>();
    for (const row of rows)
      if (held.has(row.id) && row.status === "active")
        webhooks.set(row.id, { row, readable: readable(row.owner) });
    await this.#pauseRefused(webhooks);
    for (const source of this.sources.values()) {
      const found = webhooks.get(source.webhook.id);
      if (!found || !("projects" in found.readable)) this.remove(source);
      else this.#change(source, found.row, found.readable.projects);
    }
    await this.#add(webhooks, replays);
  }

  #change(source: Source, row: WebhookRow, projects: readonly string[] | null): void {
    const { cursor: _, lease_owner: __, ...config } = row;
    const { cursor: ___, lease_owner: ____, ...known } = source.webhook;
    if (Bun.deepEquals([config, projects], [known, source.readable])) return;
    source.change(row, projects);
    this.options.onChanged(source);
  }

  async #pauseRefused(webhooks: Map<string, { row: WebhookRow; readable: Readable }>): Promise<void> {
    for (const [id, { row, readable }] of webhooks) {
      if (!("refused" in readable)) continue;
      webhooks.delete(id);
      this.stopWebhook(id);
      await pauseWebhook(this.ctx, row, readable.refused);
    }
  }

  async #add(
    webhooks: ReadonlyMap<string, { row: WebhookRow; readable: Readable }>,
    replays: readonly ReplayRow[],
  ): Promise<void> {
    for (const source of this.#ending) if (source.inFlight === 0) this.#ending.delete(source);
    const ending = new Set([...this.#ending].map(({ key }) => key));
    const unfinished = new Set(replays.map(({ id }) => id));
    for (const id of this.#finished) if (!unfinished.has(id)) this.#finished.delete(id);
    const isNew = (id: string, replay?: ReplayRow) => {
      if (replay && this.#finished.has(replay.id)) return false;
      const key = sourceKey(id, replay?.id);
      return !this.sources.has(key) && !ending.has(key);
    };
    const wanted: { id: string; replay: ReplayRow | null }[] = [
      ...[...webhooks.keys()].filter((id) => isNew(id)).map((id) => ({ id, replay: null })),
      ...replays
        .filter((replay) => webhooks.has(replay.webhook) && isNew(replay.webhook, replay))
        .map((replay) => ({ id: replay.webhook, replay })),
    ];
    if (wanted.length === 0) return;
    const lanes = await this.ctx.data.webhookLanes([...new Set(wanted.map(({ id }) => id))]);
    const lanesOf = Map.groupBy(lanes, ({ webhook, replay }) => sourceKey(webhook, replay));
    const added = wanted.map(({ id, replay }) => makeSource(webhooks, id, replay, lanesOf));
    for (const source of added) this.sources.set(source.key, source);
    await this.options.onAdded(added);
  }
}

function makeSource(
  webhooks: ReadonlyMap<string, { row: WebhookRow; readable: Readable }>,
  id: string,
  replay: ReplayRow | null,
  lanesOf: ReadonlyMap<string, LaneRow[]>,
): Source {
  const { row, readable } = webhooks.get(id) as { row: WebhookRow; readable: Readable };
  const projects = "projects" in readable ? readable.projects : [];
  return new Source(row, replay, lanesOf.get(sourceKey(id, replay?.id)) ?? [], projects);
}
