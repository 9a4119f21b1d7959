/** The pages of the documentation for one deployment: what was written, with its addresses and with what is known by others filled in. */
import type { Context } from "../context.ts";
import { type Entry, entries } from "./contents.ts";
import { slotsOf } from "./slots.ts";

export interface DocPage extends Entry {
  markdown: string;
}

type Known = Pick<Context, "config" | "commandLine">;

const made = new WeakMap<Known, Promise<DocPage[]>>();

/** All of them in their order; made once, when the first is asked for. */
export function docPages(ctx: Known): Promise<DocPage[]> {
  const known = made.get(ctx) ?? fill(ctx);
  made.set(ctx, known);
  return known;
}

async function fill({ config, commandLine }: Known): Promise<DocPage[]> {
  const slots: Record<string, string> = slotsOf(config, await commandLine());
  const filled = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(slots, name) ? (slots[name] as string) : whole));
  return entries.map((entry) => ({ ...entry, description: filled(entry.description), markdown: filled(entry.text) }));
}

/** The same below a heading of another text: every heading one level deeper, code left as it is. */
export const deeper = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 ? part : part.replace(/^#/gm, "##")))
    .join("");

/** A heading or a cell names its own anchor with `{#name}`, which is no part of what is read. */
export const anchorName = / ?\{#([\w-]+)\} ?/;
export const withoutAnchors = (markdown: string): string => markdown.replace(/ ?\{#[\w-]+\}/g, "");
