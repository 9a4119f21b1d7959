/** Finds the sources that an event may be for: most webhooks are for some projects and kinds. */
import type { Source } from "./source.ts";

/** A source with more pairs of a project and a kind than this is found by its projects alone. */
const pairsMax = 256;
const any = "*";

export class SourceIndex {
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
