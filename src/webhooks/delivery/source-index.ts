/** Finds the sources that an event may be for: most webhooks are for some projects. */
import type { Source } from "./source.ts";

export class SourceIndex {
  readonly #ofAll = new Set<Source>();
  readonly #byProject = new Map<string, Set<Source>>();
  /** Where each source is: its projects may have changed since it was added. */
  readonly #places = new Map<Source, readonly Set<Source>[]>();

  add(source: Source): void {
    const places = source.projects?.map((project) => this.#ofProject(project)) ?? [this.#ofAll];
    for (const place of places) place.add(source);
    this.#places.set(source, places);
  }

  remove(source: Source): void {
    for (const place of this.#places.get(source) ?? []) place.delete(source);
    this.#places.delete(source);
  }

  *candidates(project: string | null): Iterable<Source> {
    yield* this.#ofAll;
    if (project !== null) yield* this.#byProject.get(project) ?? [];
  }

  #ofProject(project: string): Set<Source> {
    let sources = this.#byProject.get(project);
    if (!sources) this.#byProject.set(project, (sources = new Set()));
    return sources;
  }
}
