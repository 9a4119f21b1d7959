/**
 * Cache of rendered pages. A page is rendered again only when the JSON it is made of changes; where the
 * database knows its edition, the JSON is not even read again while no row has changed.
 */
import type { Context } from "../context.ts";
import { forgetOldest } from "../lib/bounded-map.ts";
import { type Micros, secondMicros } from "../lib/time.ts";
import type { Markup, View } from "./view.ts";

interface Kept {
  answer: string;
  /** The edition of the rows it was rendered from; null: unknown. */
  edition: number | null;
  body: Markup;
  at: Micros;
}

/** The maximum age of everything else in the page, such as the names of projects. */
const keptMicros = 5 * secondMicros;
const keptMax = 50;

/** Per context, keyed by URL and by what the visitor may see; the oldest entry is evicted first. */
const byContext = new WeakMap<Context, Map<string, Kept>>();

export async function rendered(
  { ctx, visitor: { caller }, url }: View,
  ask: () => Promise<string>,
  render: (answer: string) => Promise<string>,
): Promise<Markup> {
  const kept = byContext.get(ctx) ?? new Map<string, Kept>();
  byContext.set(ctx, kept);
  const key = `${[...caller.scopes].join()} ${caller.projects?.join() ?? "all"} ${url.pathname}${url.search}`;
  const known = kept.get(key);
  const age = known && ctx.now() - known.at;
  const isFresh = age !== undefined && age >= 0 && age < keptMicros;
  const edition = ctx.data.edition();
  if (known && isFresh && edition !== null && known.edition === edition) return known.body;
  const answer = await ask();
  const made =
    isFresh && known?.answer === answer
      ? { ...known, edition }
      : { answer, edition, body: new TextEncoder().encode(await render(answer)), at: ctx.now() };
  kept.delete(key);
  kept.set(key, made);
  forgetOldest(kept, keptMax);
  return made.body;
}
