/**
 * The webhooks that this process delivers: those that it has leased. Processes share them fairly; one that
 * stops or goes silent loses them to the others. Under the lease it also writes what deliveries have changed:
 * outcomes, cursors and lanes of many in one transaction, so that appends rarely wait for it. What is not
 * written yet is sent again after a crash: at least once.
 */
import { secondMicros } from "../../../core/lib/time.ts";
import type { Projects } from "../../../core/rows.ts";
import type { IntegrationsContext } from "../../context.ts";
import { type Owner, openOwners } from "../../owners.ts";
import type { DeliveryProgress, NewDeliveryRow, ReplayRow, WebhookRow } from "../../rows.ts";
import { pauseForReason, refusalOf } from "../webhooks.ts";
import type { Lane } from "./lane.ts";
import { Source, sourceKey } from "./source.ts";

const leaseMicros = 15 * secondMicros;
const renewEveryMs = 5_000;
/** Without a renewal for this long, nothing is sent: another process may have taken over. */
const leaseTrustMs = 10_000;
/** Cursors of webhooks that got no events are written this often: a start reads from there. */
const idleCursorsEveryMs = 60_000;
/** With more outcomes than this unwritten, no message is sent. */
const unwrittenMax = 2_000;

interface LeasesOptions {
  node: string;
  /** How many times sooner than usual a lease is renewed: for a clock that runs faster. */
  pace: number;
  /** These are to be delivered from now on. */
  onAdded(sources: readonly Source[]): Promise<void>;
  /** Some accept other events than before. */
  onChanged(): void;
  /** No longer to be delivered. */
  onStopped(source: Source): void;
}

interface Wanted {
  row: WebhookRow;
  replay: ReplayRow | null;
  /** What its owner may read. */
  projects: Projects;
}

export class Leases {
  /** Those that are stopped stay until their messages have ended, so that no other one sends beside them. */
  readonly #sources = new Map<string, Source>();
  #changed = new Set<Source>();
  #deliveries: NewDeliveryRow[] = [];
  #version: string | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #idleNotedAt = performance.now();
  #isRegistered = false;
  #surplus = 0;

  constructor(
    readonly ctx: IntegrationsContext,
    readonly options: LeasesOptions,
  ) {}

  /** Whether messages may be sent. */
  get maySend(): boolean {
    const isHeld = performance.now() - this.#renewedAt < leaseTrustMs / this.options.pace;
    return isHeld && this.#deliveries.length <= unwrittenMax;
  }

  /** Webhooks and replays that this process delivers. */
  get active(): number {
    return [...this.#sources.values()].filter(({ isStopped }) => !isStopped).length;
  }

  get hasUnwritten(): boolean {
    return this.#changed.size > 0;
  }

  /** Notes that a source or its lanes have changed, and an outcome if there is one. */
  note(source: Source, delivery?: NewDeliveryRow): void {
    this.#changed.add(source);
    if (delivery) this.#deliveries.push(delivery);
  }

  /** Takes over changes of webhooks, and renews the lease when it is time to. */
  async turn(): Promise<void> {
    const { data } = this.ctx;
    if (performance.now() - this.#idleNotedAt >= idleCursorsEveryMs) this.#noteAll();
    const version = await data.webhooksVersion();
    const isChanged = version !== this.#version;
    const isDue =
      this.#isRegistered && performance.now() - this.#renewedAt >= renewEveryMs / this.options.pace;
    if (!isChanged && !isDue) return;
    const hasActive = !isChanged || (await data.webhooks()).some(({ status }) => status === "active");
    if (hasActive) await this.#renew();
    else if (!(await this.#giveUpAll())) return;
    this.#version = version;
  }

  /** Stops a webhook and its replays. */
  stopWebhook(id: string): void {
    for (const source of this.#sources.values()) if (source.webhook.id === id) this.#stop(source);
  }

  /** Writes everything, and ends the lease. */
  async end(): Promise<void> {
    this.#noteAll();
    await this.#giveUpAll();
  }

  /** Writes everything noted. */
  async record(): Promise<void> {
    if (!this.hasUnwritten) return;
    const [deliveries, changed] = [this.#deliveries, [...this.#changed].filter(({ isLost }) => !isLost)];
    [this.#deliveries, this.#changed] = [[], new Set()];
    const { progress, cursors, lanes, finished } = takeProgress(changed);
    try {
      const { node } = this.options;
      const isHeld = await this.ctx.data.atomically((writes) =>
        writes.recordProgress({ node }, { deliveries, ...progress }),
      );
      if (!isHeld) return this.#lose();
    } catch (error) {
      this.#deliveries.unshift(...deliveries);
      for (const source of changed) this.#changed.add(source);
      for (const lane of lanes) lane.isDirty = true;
      throw error;
    }
    for (const [source, cursor] of cursors) source.storedCursor = cursor;
    for (const source of changed) for (const lane of source.lanes.values()) source.forgetIdle(lane);
    for (const source of finished) {
      this.#stop(source);
      this.#sources.delete(source.key);
    }
  }

  #noteAll(): void {
    this.#idleNotedAt = performance.now();
    for (const source of this.#sources.values()) this.note(source);
  }

  #stop(source: Source): void {
    source.isStopped = true;
    this.options.onStopped(source);
  }

  /** The lease has ended: others deliver now. */
  #lose(): void {
    this.ctx.log("warn", "another server took over the webhooks of this one");
    for (const source of this.#sources.values()) {
      source.isLost = true;
      this.#stop(source);
    }
    this.#changed.clear();
    this.#deliveries = [];
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    this.#version = null;
  }

  /** @returns false while messages are in flight, whose outcomes are recorded under the lease */
  async #giveUpAll(): Promise<boolean> {
    for (const source of this.#sources.values()) this.#stop(source);
    if (this.#sources.values().some(({ inFlight }) => inFlight > 0)) return false;
    if (!this.#isRegistered) return true;
    await this.record();
    await this.ctx.data.atomically((writes) => writes.endLease(this.options.node));
    this.#isRegistered = false;
    return true;
  }

  async #renew(): Promise<void> {
    const { data, now } = this.ctx;
    const renewedAt = performance.now();
    const released = await this.#release();
    const lease = { node: this.options.node, now: now(), until: now() + leaseMicros, released };
    const { held, surplus } = await data.atomically((writes) => writes.leaseWebhooks(lease));
    this.#isRegistered = true;
    this.#renewedAt = renewedAt;
    this.#surplus = surplus;
    await this.#load(new Set(held));
  }

  /** Gives up what is more than the fair share, if nothing of it is in flight. @returns the ids */
  async #release(): Promise<string[]> {
    const isBusy = new Map<string, boolean>();
    for (const { webhook, inFlight } of this.#sources.values())
      isBusy.set(webhook.id, inFlight > 0 || (isBusy.get(webhook.id) ?? false));
    const idle = [...isBusy.keys()].filter((id) => !isBusy.get(id));
    const released = idle.slice(0, this.#surplus);
    for (const id of released) this.stopWebhook(id);
    // What is not written would be sent twice, but nothing is lost.
    if (released.length > 0) await this.record();
    return released;
  }

  /** Brings the sources into line with the rows. */
  async #load(held: ReadonlySet<string>): Promise<void> {
    const wanted = await this.#findWanted(held);
    let hasChanged = false;
    for (const [key, source] of this.#sources) {
      const found = wanted.get(key);
      if (source.isStopped) {
        const isEnded = source.inFlight === 0 && !this.#changed.has(source);
        if (isEnded) this.#sources.delete(key);
        else wanted.delete(key);
        continue;
      }
      if (!found) this.#stop(source);
      else if (source.change(found.row, found.projects)) hasChanged = true;
      wanted.delete(key);
    }
    if (hasChanged) this.options.onChanged();
    if (wanted.size === 0) return;
    const ids = new Set(wanted.values().map(({ row }) => row.id));
    const lanes = await this.ctx.data.webhookLanes([...ids]);
    const lanesOf = Map.groupBy(lanes, ({ webhook, replay }) => sourceKey(webhook, replay));
    const added = [...wanted].map(
      ([key, { row, replay, projects }]) => new Source(row, replay, lanesOf.get(key) ?? [], projects),
    );
    await this.options.onAdded(added);
    for (const source of added) this.#sources.set(source.key, source);
  }

  /** @returns by key, what is to be delivered. Webhooks whose owner may not read anything are paused. */
  async #findWanted(held: ReadonlySet<string>): Promise<Map<string, Wanted>> {
    const { ctx } = this;
    const [rows, replays, ownerOf] = await Promise.all([
      ctx.data.webhooks(),
      ctx.data.replays(),
      openOwners(ctx),
    ]);
    const replaysOf = Map.groupBy(replays, ({ webhook }) => webhook);
    const wanted = new Map<string, Wanted>();
    for (const row of rows) {
      if (!held.has(row.id) || row.status !== "active") continue;
      const owner: Owner = ownerOf(row.owner);
      if ("ended" in owner) {
        this.stopWebhook(row.id);
        await pauseForReason(ctx, row, refusalOf(row, owner));
        continue;
      }
      for (const replay of [null, ...(replaysOf.get(row.id) ?? [])])
        wanted.set(sourceKey(row.id, replay?.id), { row, replay, projects: owner.caller.projects });
    }
    return wanted;
  }
}

interface Progress {
  progress: Omit<DeliveryProgress, "deliveries">;
  /** Those that have moved. */
  cursors: Map<Source, number>;
  lanes: Lane[];
  /** Replays of which every event is delivered. */
  finished: Source[];
}

/** The rows of what has changed. Its lanes are no longer dirty. */
function takeProgress(sources: readonly Source[]): Progress {
  const progress: Progress["progress"] = { webhooks: [], replays: [], finished: [], lanes: [], removed: [] };
  const found: Progress = { progress, cursors: new Map(), lanes: [], finished: [] };
  for (const source of sources) {
    const { cursor, replay, webhook } = source;
    if (replay && source.isFinished) {
      progress.finished.push(replay.id);
      found.finished.push(source);
    } else if (cursor > source.storedCursor) {
      found.cursors.set(source, cursor);
      if (replay) progress.replays.push({ id: replay.id, cursor });
      else progress.webhooks.push({ id: webhook.id, cursor });
    }
    for (const lane of source.lanes.values()) {
      if (!lane.isDirty) continue;
      lane.isDirty = false;
      found.lanes.push(lane);
      const key = { webhook: webhook.id, replay: replay?.id ?? "", project: lane.project };
      if (lane.state) progress.lanes.push({ ...key, ...lane.state });
      else progress.removed.push(key);
    }
  }
  return found;
}
