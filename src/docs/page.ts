/**
 * The pages of the documentation for one deployment, with the slots for URLs and for facts from the code
 * filled in.
 */
import type { Context, Describing } from "../context.ts";
import { deprecationEdition } from "../deprecation.ts";
import { type Entry, entries } from "./contents.ts";
import { slotsOf } from "./slots.ts";

export interface DocPage extends Entry {
  markdown: string;
}

/** What the pages are generated from. */
export type Documented = Describing & Pick<Context, "commandLine">;

const made = new WeakMap<Documented, { edition: string; pages: Promise<DocPage[]> }>();

/** Returns all pages in order; cached until a deprecation changes its state. */
export function docPages(site: Documented): Promise<DocPage[]> {
  const edition = deprecationEdition(site);
  const known = made.get(site);
  if (known?.edition === edition) return known.pages;
  const pages = fill(site);
  made.set(site, { edition, pages });
  return pages;
}

async function fill(site: Documented): Promise<DocPage[]> {
  const slots: Record<string, string> = slotsOf(site, await site.commandLine());
  const filled = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(slots, name) ? (slots[name] as string) : whole,
    );
  return entries.map((entry) => ({
    ...entry,
    description: filled(entry.description),
    markdown: filled(entry.text),
  }));
}

/** Moves every heading one level down, except in code blocks, to nest one document in another. */
export const deeper = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 ? part : part.replace(/^#/gm, "##")))
    .join("");

/** `{#name}` in a heading or table cell sets its anchor and is not shown. */
export const anchorName = / ?\{#([\w-]+)\} ?/;
export const withoutAnchors = (markdown: string): string => markdown.replace(/ ?\{#[\w-]+\}/g, "");
