/**
 * Writes what deliveries have changed: outcomes, cursors and lanes of many in one transaction, so that
 * appends rarely wait for it. What is not written yet is sent again after a crash: at least once.
 */
import { dayMicros } from "../../../core/lib/time.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { DeliveryProgress, NewDeliveryRow } from "../../rows.ts";
import type { Lane } from "./lane.ts";
import type { Source } from "./source.ts";

/** The least time between two writes; longer while requests need the write lock. */
const flushEveryMs = 100;
const flushEveryBusyMs = 500;
const retryEveryMs = 1_000;
/** With more outcomes than this unwritten, no message is sent. */
const pendingMax = 2_000;

type Needs = Pick<IntegrationsContext, "data" | "log">;

export class Recorder {
  #deliveries: NewDeliveryRow[] = [];
  #sources = new Set<Source>();
  #lanes = new Map<Lane, Source>();
  #timer: Timer | undefined;
  #writing: Promise<boolean> | null = null;

  /** @param onFlush called after a write; false: the lease has ended, and nothing was written */
  constructor(
    readonly ctx: Needs,
    readonly node: string,
    readonly onFlush: (isHeld: boolean, finished: readonly Source[]) => void,
    readonly isBusy: () => boolean,
  ) {}

  get isFull(): boolean {
    return this.#deliveries.length > pendingMax;
  }

  /** Notes that a source or one of its lanes has changed, and an outcome if there is one. */
  note(source: Source, lane?: Lane, delivery?: NewDeliveryRow): void {
    this.#sources.add(source);
    if (lane) this.#lanes.set(lane, source);
    if (delivery) this.#deliveries.push(delivery);
    this.#timer ??= setTimeout(() => void this.flush(), this.isBusy() ? flushEveryBusyMs : flushEveryMs);
  }

  /** Writes everything noted. @returns whether it is written */
  async flush(): Promise<boolean> {
    while (this.#writing) await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sources.size === 0 && this.#deliveries.length === 0) return true;
    this.#writing = this.#write();
    const isWritten = await this.#writing.finally(() => (this.#writing = null));
    if (!isWritten) this.#timer ??= setTimeout(() => void this.flush(), retryEveryMs);
    return isWritten;
  }

  /** Forgets everything: another process has the webhooks. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#deliveries = [];
    this.#sources.clear();
    this.#lanes.clear();
  }

  async #write(): Promise<boolean> {
    const [deliveries, sources, lanes] = [this.#deliveries, this.#sources, this.#lanes];
    [this.#deliveries, this.#sources, this.#lanes] = [[], new Set(), new Map()];
    const { progress, finished, cursors } = progressOf(deliveries, sources, lanes);
    try {
      const isHeld = await this.ctx.data.atomically((writes) =>
        writes.recordProgress({ node: this.node }, progress),
      );
      if (isHeld) for (const [source, cursor] of cursors) source.storedCursor = cursor;
      for (const [lane, source] of lanes) source.forgetIdle(lane);
      this.onFlush(isHeld, finished);
      return true;
    } catch (error) {
      this.ctx.log("warn", "recording webhook deliveries failed", { error: (error as Error).message });
      this.#deliveries.unshift(...deliveries);
      for (const source of sources) this.#sources.add(source);
      for (const [lane, source] of lanes) {
        lane.isDirty = true;
        this.#lanes.set(lane, source);
      }
      return false;
    }
  }
}

/** The rows of one moment. */
function progressOf(
  deliveries: NewDeliveryRow[],
  sources: ReadonlySet<Source>,
  lanes: ReadonlyMap<Lane, Source>,
): { progress: DeliveryProgress; finished: Source[]; cursors: Map<Source, number> } {
  const progress: DeliveryProgress = {
    deliveries,
    webhooks: [],
    replays: [],
    finished: [],
    lanes: [],
    removed: [],
  };
  const finished = sources
    .values()
    .filter((source) => source.isFinished && !source.isLost)
    .toArray();
  const cursors = new Map<Source, number>();
  for (const source of sources) {
    const { cursor, replay, webhook } = source;
    if (source.isLost) continue;
    if (source.isFinished) progress.finished.push(replay?.id as string);
    else if (cursor > source.storedCursor) {
      cursors.set(source, cursor);
      if (replay) progress.replays.push({ id: replay.id, cursor });
      else progress.webhooks.push({ id: webhook.id, cursor });
    }
  }
  for (const [lane, source] of lanes) {
    if (!lane.isDirty || source.isLost) continue;
    lane.isDirty = false;
    const key = { webhook: source.webhook.id, replay: source.replay?.id ?? "", project: lane.project };
    if (lane.state) progress.lanes.push({ ...key, ...lane.state });
    else progress.removed.push(key);
  }
  return { progress, finished, cursors };
}

/** Deletes deliveries that are older than 30 days. */
const retention = 30 * dayMicros;

/** Transactions in one run: each deletes a bounded number, and others write between them. */
const batchesMax = 50;

/** @returns how many were deleted */
export async function trimDeliveries({
  data,
  now,
}: Pick<IntegrationsContext, "data" | "now">): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < batchesMax; batch++) {
    const count = await data.atomically((writes) => writes.trimDeliveries(now() - retention));
    removed += count;
    if (count === 0) break;
  }
  return removed;
}
