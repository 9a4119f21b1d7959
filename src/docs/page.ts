/**
 * The pages of the documentation for one deployment: what was written, with its addresses and with what is
 * known by others filled in.
 */
import type { Context, DescriptionContext } from "../context.ts";
import { editionOf } from "../deprecation.ts";
import { type Entry, entries } from "./contents.ts";
import { slotsOf } from "./slots.ts";

export interface DocPage extends Entry {
  markdown: string;
}

/** What they are made of. */
export type Documented = DescriptionContext & Pick<Context, "commandLine">;

const made = new WeakMap<Documented, { edition: string; pages: Promise<DocPage[]> }>();

/** All of them in their order; made when the first is asked for, and anew when something reached its end. */
export function docPages(site: Documented): Promise<DocPage[]> {
  const edition = editionOf(site);
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

/** The same below a heading of another text: every heading one level deeper, code left as it is. */
export const deeper = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 ? part : part.replace(/^#/gm, "##")))
    .join("");

/** A heading or a cell names its own anchor with `{#name}`, which is no part of what is read. */
export const anchorName = / ?\{#([\w-]+)\} ?/;
export const withoutAnchors = (markdown: string): string => markdown.replace(/ ?\{#[\w-]+\}/g, "");
