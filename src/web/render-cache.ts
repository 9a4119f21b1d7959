/**
 * Cache of rendered pages. A page is rendered again only when the JSON it is made of changes; where the
 * database knows its edition, the JSON is not even read again while no row has changed.
 */
import type { Context } from "../context.ts";
import { evictOldest } from "../lib/bounded-map.ts";
import { type Micros, secondMicros } from "../lib/time.ts";
import type { Markup, View } from "./view.ts";

interface CachedPage {
  answer: string;
  /** The edition of the rows it was rendered from; null: unknown. */
  edition: number | null;
  body: Markup;
  at: Micros;
}

/** The maximum age of everything else in the page, such as the names of projects. */
const maxAgeMicros = 5 * secondMicros;
const entriesMax = 50;

/** Per context, keyed by URL and by what the visitor may see; the oldest entry is evicted first. */
const caches = new WeakMap<Context, Map<string, CachedPage>>();

export async function renderCached(
  { ctx, visitor: { caller }, url }: View,
  ask: () => Promise<string>,
  render: (answer: string) => Promise<string>,
): Promise<Markup> {
  const cache = caches.get(ctx) ?? new Map<string, CachedPage>();
  caches.set(ctx, cache);
  const key = `${[...caller.scopes].join()} ${caller.projects?.join() ?? "all"} ${url.pathname}${url.search}`;
  const cached = cache.get(key);
  const age = cached && ctx.now() - cached.at;
  const isFresh = age !== undefined && age >= 0 && age < maxAgeMicros;
  const edition = ctx.data.dataVersion();
  if (cached && isFresh && edition !== null && cached.edition === edition) return cached.body;
  const answer = await ask();
  const page =
    isFresh && cached?.answer === answer
      ? { ...cached, edition }
      : { answer, edition, body: new TextEncoder().encode(await render(answer)), at: ctx.now() };
  cache.delete(key);
  cache.set(key, page);
  evictOldest(cache, entriesMax);
  return page.body;
}
