/**
 * Markup that is a function of an answer: rendered once, and shown again while the answer stays the same,
 * letter by letter; nobody even asks again while no row changes, where the database can tell.
 */
import type { Context } from "../context.ts";
import { forgetOldest } from "../lib/bounded-map.ts";
import { type Micros, secondMicros } from "../lib/time.ts";
import type { Markup, View } from "./view.ts";

interface Kept {
  answer: string;
  /** Of the rows that it was made of; null: nobody knows. */
  edition: number | null;
  body: Markup;
  at: Micros;
}

/** What else goes into it, such as the names of projects, is this old at most. */
const keptMicros = 5 * secondMicros;
const keptMax = 50;

/**
 * For each deployment of this process, by address and by what its visitor may see; what was made first goes
 * first.
 */
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
  const edition = ctx.data.dataVersion();
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
