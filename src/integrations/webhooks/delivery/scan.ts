/**
 * Reads the log for webhooks: new events once for all sources at its head, older ones for those that are
 * behind, until they reach the head. Ids rise in the order of commits, as all writers share a lock, so
 * reading by id misses nothing.
 */
import { boundedByCount, Cache, perObject } from "../../../core/lib/cache.ts";
import type { Event } from "../../../feed/schema.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { IntegrationsReads } from "../../port.ts";
import type { LogEvent } from "../../rows.ts";
import type { Lane } from "./lane.ts";
import type { Position, Source } from "./source.ts";

/** Events read at once at the head. */
const batchMax = 500;
/** Events of one part of the older log, which lanes and sources that are behind share. */
const partLength = 256;
/** About 10 MB of events. */
const partsMax = 32;
/** Pairs of a project and a kind whose sources are remembered. */
const pairsMax = 4_000;

/** Receivers are outside: they learn the team, and never the person. */
export const parseEvent = perObject(({ wire }: LogEvent): Event => {
  const { person: _, ...event } = JSON.parse(wire) as Event; // safe because: the API returns the same text
  return event;
});

/** Reads events with an id above `after`, in order; none if there are none up to `end`, an id in the log. */
export interface LogReader {
  (after: number, end: number): Promise<LogEvent[]>;
  /** Events were rewritten. */
  forget(): void;
}

export function openLogReader(data: Pick<IntegrationsReads, "eventsById">): LogReader {
  const parts = new Cache<number, LogEvent[]>({ max: partsMax, bytesOf: boundedByCount });
  const read = async (after: number, end: number) => {
    // Reads end where those of others do, so that they share what follows.
    const limit = partLength - (after % partLength);
    const known = parts.get(after);
    const events = known ?? (await data.eventsById(after, limit));
    if (events.length > 0 && after + limit <= end) parts.set(after, events);
    return events.filter(({ id }) => id <= end);
  };
  return Object.assign(read, { forget: () => parts.clear() });
}

interface ScanOptions {
  read: LogReader;
  /** Called when there may be events to read. */
  onWanted(): void;
  /** Called for each lane that got events. */
  onEvents(source: Source, lane: Lane): void;
  /** Called when a source that is behind has read on. */
  onProgress(source: Source): void;
}

export class Scan {
  /** There may be events to read. */
  isWanted = false;
  readonly #head: Position = { id: 0 };
  readonly #atHead = new Set<Source>();
  readonly #behind = new Set<Source>();
  /** The sources at the head that an event of a project and a kind may be for. */
  readonly #candidates = new Cache<string, Source[]>({ max: pairsMax, bytesOf: boundedByCount });
  #unsubscribe: (() => void) | null = null;

  constructor(
    readonly ctx: Pick<IntegrationsContext, "data" | "now">,
    readonly options: ScanOptions,
  ) {}

  /** Adds sources, each at the position that it has. */
  async add(sources: readonly Source[]): Promise<void> {
    if (!this.#unsubscribe) {
      this.#head.id = await this.ctx.data.newestEventId();
      this.#unsubscribe = this.ctx.data.onAppend(() => this.#want());
    }
    for (const source of sources) this.#place(source);
    this.#want();
  }

  #want(): void {
    this.isWanted = true;
    this.options.onWanted();
  }

  /** Without sources, appends are not watched. */
  remove(source: Source): void {
    this.#leave(source);
    if (this.#atHead.size + this.#behind.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  /** What a source is sent has changed. */
  refresh(): void {
    this.#candidates.clear();
  }

  /** A source that is behind has sent a message, and may have room for more events. */
  resume(source: Source): void {
    if (this.#behind.has(source) && !source.isFull) this.#want();
  }

  /** Reads a batch at the head, and a part for each source that is behind. */
  async readOn(): Promise<void> {
    this.isWanted = false;
    try {
      this.isWanted = (await this.#readParts()) || this.isWanted;
    } catch (error) {
      this.isWanted = true;
      throw error;
    }
  }

  /** @returns whether there is more to read */
  async #readParts(): Promise<boolean> {
    const from = this.#head.id;
    const rows = await this.ctx.data.eventsById(from, batchMax);
    if (this.#head.id !== from) return true; // it starts from another place now
    if (rows.some(({ kind }) => kind === "data.removed")) await this.#readQueuesAgain();
    const touched = this.#offer(rows, this.#head, (row) => this.#candidatesFor(row));
    for (const source of new Set(touched))
      if (source.isFull) {
        this.#leave(source);
        this.#behind.add(source);
      }
    let hasMore = rows.length === batchMax;
    for (const source of [...this.#behind])
      if (!source.isFull && (await this.#catchUp(source))) hasMore = true;
    return hasMore;
  }

  /** Events in queues may be redacted, or gone. */
  async #readQueuesAgain(): Promise<void> {
    const { read } = this.options;
    read.forget();
    for (const source of [...this.#atHead, ...this.#behind])
      for (const lane of source.lanes.values()) {
        const events = new Map<number, Event>();
        const last = lane.queue.at(-1)?.id ?? 0;
        for (let after = (lane.queue[0]?.id ?? 1) - 1; after < last; ) {
          const rows = await read(after, last);
          for (const row of rows) events.set(row.id, parseEvent(row));
          after = rows.at(-1)?.id ?? last;
        }
        lane.refresh(events);
      }
  }

  /** @returns whether there is more to read */
  async #catchUp(source: Source): Promise<boolean> {
    const end = Math.min(this.#head.id, source.replay?.until ?? this.#head.id);
    const from = source.position.id;
    const rows = from < end ? await this.options.read(from, end) : [];
    if (!this.#behind.has(source)) return false; // it was stopped meanwhile
    this.#offer(rows, source.position, (row) => (source.mayAccept(row) ? [source] : []));
    if (rows.length === 0) source.position.id = Math.max(from, end);
    this.#place(source);
    this.options.onProgress(source);
    return this.#behind.has(source) && source.position.id < end;
  }

  /** Offers events to the sources that they may be for. @returns those that took some */
  #offer(
    rows: readonly LogEvent[],
    position: Position,
    sourcesFor: (row: LogEvent) => readonly Source[],
  ): Source[] {
    const touched = new Map<Lane, Source>();
    for (const row of rows) {
      // Most events are for no webhook, and parsing them would take most of the time. The past is not sent.
      for (const source of row.past ? [] : sourcesFor(row)) {
        if (row.id <= source.start) continue; // it was sent before this process took over
        const event = parseEvent(row);
        if (source.accepts(event)) touched.set(source.offer(event, this.ctx.now()), source);
      }
      position.id = row.id;
    }
    for (const [lane, source] of touched) this.options.onEvents(source, lane);
    return [...touched.values()];
  }

  #candidatesFor(row: LogEvent): Source[] {
    const find = () => [...this.#atHead].filter((source) => source.mayAccept(row));
    return this.#candidates.getOrMake(`${row.kind} ${row.project ?? ""}`, find);
  }

  #place(source: Source): void {
    const { position, replay } = source;
    this.#behind.delete(source);
    if (replay && position.id >= replay.until) return;
    if (replay || position.id < this.#head.id) this.#behind.add(source);
    else {
      source.position = this.#head;
      this.#atHead.add(source);
      this.#candidates.clear();
    }
  }

  /** It keeps the position that it had. */
  #leave(source: Source): void {
    this.#behind.delete(source);
    if (!this.#atHead.delete(source)) return;
    source.position = { ...this.#head };
    this.#candidates.clear();
  }
}
