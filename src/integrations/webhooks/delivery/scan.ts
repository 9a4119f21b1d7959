/**
 * Scans the log: new events are read once and matched in memory with all sources at the head. Sources that
 * are behind read older parts until they reach the head. Ids rise in the order of commits, as all writers
 * share a lock, so reading by id misses nothing.
 */
import type { IntegrationsContext } from "../../context.ts";
import type { Lane } from "./lane.ts";
import { type LogReader, parseEvent } from "./log-reader.ts";
import type { Position, Source } from "./source.ts";

/** Events read at once at the head. */
const batchMax = 500;

/** The least time between two reads of the head: under load they find many events, which cost less each. */
const scanEveryMs = 25;

const scanEveryBusyMs = 250;

/** While the process is busy and this many webhooks have messages to send, the scan pauses. */
const backlogMax = 50;

type Needs = Pick<IntegrationsContext, "data" | "now" | "log">;

interface ScanLoad {
  /** Whether requests need the processor. */
  isBusy(): boolean;
  /** Webhooks with messages that could be sent now. */
  backlog(): number;
}

export class Scan {
  readonly head: Position = { id: 0 };
  readonly #index = new SourceIndex();
  readonly #behind = new Set<Source>();
  #unsubscribe: (() => void) | null = null;
  #isRunning = false;
  #isWanted = false;

  /** @param onEvents called for each lane that got events */
  constructor(
    readonly ctx: Needs,
    readonly reader: LogReader,
    readonly onEvents: (source: Source, lane: Lane) => void,
    readonly onProgress: (source: Source) => void,
    readonly load: ScanLoad,
  ) {}

  /** Adds a source, at the position that it has. */
  async add(sources: readonly Source[]): Promise<void> {
    if (sources.length === 0) return;
    if (!this.#unsubscribe) {
      this.head.id = await this.ctx.data.newestEventId();
      this.#unsubscribe = this.ctx.data.onAppend(() => this.wake());
    }
    for (const source of sources) this.#place(source);
    this.wake();
  }

  remove(source: Source): void {
    this.#index.remove(source);
    this.#behind.delete(source);
    if (source.position === this.head) source.position = { ...this.head };
  }

  /** Its filters have changed. */
  refresh(source: Source): void {
    if (source.position !== this.head) return;
    this.#index.remove(source);
    this.#index.add(source);
  }

  isBehind = (source: Source): boolean => this.#behind.has(source);

  /** Without sources, appends are not watched. */
  rest(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  /** Scans what is new, soon. */
  wake(): void {
    this.#isWanted = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWanted) {
      const isBusy = this.load.isBusy();
      if (!isBusy || this.load.backlog() <= backlogMax) await this.#scanOnce();
      if (this.#unsubscribe === null) break;
      await Bun.sleep(isBusy ? scanEveryBusyMs : scanEveryMs);
    }
    this.#isRunning = false;
  }

  async #scanOnce(): Promise<void> {
    this.#isWanted = false;
    try {
      const hasMore = await this.#scanHead();
      const isBehind = await this.#catchUp();
      this.#isWanted ||= hasMore || isBehind;
    } catch (error) {
      this.ctx.log("warn", "reading events for webhooks failed", { error: (error as Error).message });
      this.#isWanted = true;
      await Bun.sleep(1_000);
    }
  }

  async #scanHead(): Promise<boolean> {
    const from = this.head.id;
    const rows = await this.ctx.data.eventsById(from, batchMax);
    if (this.head.id !== from) return true; // the scan was restarted in the meantime
    const touched = new Map<Lane, Source>();
    for (const row of rows) {
      const candidates = this.#index.candidates(row);
      // Most events are for no webhook, and parsing them would take most of the time.
      const event = candidates.length > 0 ? parseEvent(row) : null;
      for (const source of candidates)
        if (event && event.id > source.start && source.accepts(event))
          touched.set(source.offer(event, this.ctx.now()), source);
      this.head.id = row.id;
    }
    for (const source of new Set(touched.values())) if (source.isFull) this.#leaveHead(source);
    for (const [lane, source] of touched) this.onEvents(source, lane);
    return rows.length === batchMax;
  }

  /** Each source that is behind reads a part. @returns whether one has more to read, and room for it */
  async #catchUp(): Promise<boolean> {
    let hasMore = false;
    for (const source of [...this.#behind]) {
      if (source.isFull) continue;
      const end = Math.min(this.head.id, source.replay?.until ?? this.head.id);
      const from = source.position.id;
      const events = from < end ? await this.reader.after(from, end) : [];
      // It may have been removed meanwhile.
      if (!this.#behind.has(source)) continue;
      this.#read(source, events, end);
      hasMore ||= this.#behind.has(source) && source.position.id < end;
    }
    return hasMore;
  }

  #read(source: Source, events: Awaited<ReturnType<LogReader["after"]>>, end: number): void {
    const touched = new Set<Lane>();
    for (const event of events) {
      if (source.accepts(event)) touched.add(source.offer(event, this.ctx.now()));
      source.position.id = event.id;
    }
    if (events.length === 0) source.position.id = Math.max(source.position.id, end);
    for (const lane of touched) this.onEvents(source, lane);
    this.#place(source);
    this.onProgress(source);
  }

  #place(source: Source): void {
    const isDone = source.replay && source.position.id >= source.replay.until;
    this.#behind.delete(source);
    if (isDone) return;
    if (source.replay || source.position.id < this.head.id) this.#behind.add(source);
    else {
      source.position = this.head;
      this.#index.add(source);
    }
  }

  #leaveHead(source: Source): void {
    this.#index.remove(source);
    source.position = { ...this.head };
    this.#behind.add(source);
  }
}

/** A source with more pairs of a project and a kind than this is found by its projects alone. */
const pairsMax = 256;

const any = "*";

/** Finds the sources that an event may be for: most webhooks are for some projects and kinds. */
class SourceIndex {
  readonly #byKey = new Map<string, Set<Source>>();
  /** Where each source is: its projects may have changed since it was added. */
  readonly #places = new Map<Source, readonly Set<Source>[]>();

  add(source: Source): void {
    const projects = source.projects ?? [any];
    const kinds = source.webhook.filters.kind ?? [any];
    const found = projects.length * kinds.length <= pairsMax ? kinds : [any];
    const places = projects.flatMap((project) => found.map((kind) => this.#placeOf(`${project} ${kind}`)));
    for (const place of places) place.add(source);
    this.#places.set(source, places);
  }

  remove(source: Source): void {
    for (const place of this.#places.get(source) ?? []) place.delete(source);
    this.#places.delete(source);
  }

  /** Each source once: a source is found by one kind of key, which an event has one of. */
  candidates({ project, kind }: { project: string | null; kind: string }): Source[] {
    const keys = [`${any} ${any}`, `${any} ${kind}`];
    if (project !== null) keys.push(`${project} ${any}`, `${project} ${kind}`);
    return keys.flatMap((key) => [...(this.#byKey.get(key) ?? [])]);
  }

  #placeOf(key: string): Set<Source> {
    let sources = this.#byKey.get(key);
    if (!sources) this.#byKey.set(key, (sources = new Set()));
    return sources;
  }
}
