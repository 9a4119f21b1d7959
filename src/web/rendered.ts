/** Markup that is a function of an answer: rendered once, and shown again while the answer stays the same, letter by letter. */
import type { Context } from "../context.ts";
import { type Micros, secondMicros } from "../time.ts";
import type { Markup, View } from "./view.ts";

interface Kept {
  answer: string;
  body: Markup;
  at: Micros;
}

/** What else goes into it, such as the names of projects, is this old at most. */
const keptMicros = 5 * secondMicros;
const keptMax = 50;

/** For each deployment of this process, by address and by what its visitor may see; the least asked for goes first. */
const byContext = new WeakMap<Context, Map<string, Kept>>();

export async function rendered({ ctx, visitor, url }: View, answer: string, render: () => Promise<string>): Promise<Markup> {
  const kept = byContext.get(ctx) ?? new Map<string, Kept>();
  byContext.set(ctx, kept);
  const key = `${visitor.caller.projects?.join() ?? "all"} ${url.pathname}${url.search}`;
  const known = kept.get(key);
  const age = known && ctx.now() - known.at;
  kept.delete(key);
  const isSame = known?.answer === answer && age !== undefined && age >= 0 && age < keptMicros;
  const made = isSame ? known : { answer, body: new TextEncoder().encode(await render()), at: ctx.now() };
  kept.set(key, made);
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
  return made.body;
}
