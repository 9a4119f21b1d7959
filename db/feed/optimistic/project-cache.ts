/** What the last optimistic appends of a process read or wrote, so that the next one need not read it. */
import { boundedByCount, Cache } from "../../../src/core/lib/cache.ts";
import type { KnownRun } from "../runs/run-cache.ts";

/** A project at some number of events: whatever an append reads of it is the same as long as that is. */
interface ProjectVersion {
  events: number;
  /** Whether other processes append to it too: then it is read again before each append. */
  isShared: boolean;
}

/** The row of `feed_head`; see db/feed/head.ts. */
type Head = Record<"id" | "ts" | "derived" | "budgets", number>;

/** As in db/feed/runs/run-cache.ts. */
const [runsMax, emptyMax] = [4_000, 40_000];
const projectsMax = 10_000;

/** Projects, and their runs by the keys of db/feed/runs/known-runs.ts. A run is valid for one version. */
export class ProjectCache {
  readonly #projects = new Cache<string, ProjectVersion>({ max: projectsMax, bytesOf: boundedByCount });
  readonly #runs = new Cache<string, { run: KnownRun; slug: string; version: ProjectVersion }>({
    max: runsMax,
    bytesOf: boundedByCount,
  });
  readonly #empty = new Cache<string, { slug: string; version: ProjectVersion }>({
    max: emptyMax,
    bytesOf: boundedByCount,
  });
  /** The head of the feed, as last seen. */
  head: Head | null = null;

  isCurrent(slug: string): boolean {
    return this.#projects.get(slug)?.isShared === false;
  }

  /** The number of events that the project is expected to have. */
  events(slug: string): number {
    return (this.#projects.get(slug) as ProjectVersion).events;
  }

  /** Takes over what was read. Runs of another version are dropped. */
  refresh(slug: string, events: number): void {
    const known = this.#projects.get(slug);
    if (known?.events === events) known.isShared = false;
    else this.#projects.set(slug, { events, isShared: known !== undefined });
  }

  /** Drops projects that another process appended to. */
  invalidate(slugs: Iterable<string>): void {
    for (const slug of slugs) this.#projects.set(slug, { events: Number.NaN, isShared: true });
    this.head = null;
  }

  /** Drops projects that this process appends to under the lock. */
  forget(slugs: Iterable<string>): void {
    for (const slug of slugs) this.#projects.delete(slug);
    this.head = null;
  }

  /** Records an append of this process, which leaves other runs valid. */
  advance(slug: string, count: number): void {
    const version = this.#projects.get(slug);
    if (version) version.events += count;
  }

  /** The run of a key; null when there is none, undefined when that is not known. */
  get(key: string): KnownRun | null | undefined {
    const found = this.#runs.get(key);
    if (found && this.#isValid(found)) return found.run;
    const empty = this.#empty.get(key);
    return empty && this.#isValid(empty) ? null : undefined;
  }

  set(key: string, slug: string, run: KnownRun | null): void {
    const version = this.#projects.get(slug);
    if (!version) return; // an answer that came after its timeout
    if (run) this.#runs.set(key, { run, slug, version });
    else this.#empty.set(key, { slug, version });
  }

  clear(): void {
    this.#projects.clear();
    this.#runs.clear();
    this.#empty.clear();
    this.head = null;
  }

  #isValid({ slug, version }: { slug: string; version: ProjectVersion }): boolean {
    return this.#projects.get(slug) === version;
  }
}
