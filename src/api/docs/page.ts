/**
 * The pages of the documentation for one deployment, with the slots for URLs and for facts from the code
 * filled in.
 */

import type { DescriptionContext } from "../../core/context.ts";
import { deprecationEdition } from "../../core/deprecation.ts";
import { boundedByCount, Cache, perObject } from "../../core/lib/cache.ts";
import type { Context } from "../context.ts";
import { type DocEntry, entries } from "./contents.ts";
import { slotValues } from "./page-variables.ts";

export interface DocPage extends DocEntry {
  markdown: string;
}

/** What the pages are generated from. */
export type DocsSite = DescriptionContext & Pick<Context, "commandLine">;

const cacheOf = perObject(
  (site: DocsSite) =>
    new Cache<"pages", Promise<DocPage[]>>({
      max: 1,
      edition: () => deprecationEdition(site),
      bytesOf: boundedByCount,
    }),
);

/** Returns all pages in order; cached until a deprecation changes its state. */
export const docPages = (site: DocsSite): Promise<DocPage[]> =>
  cacheOf(site).getOrMake("pages", () => renderPages(site));

async function renderPages(site: DocsSite): Promise<DocPage[]> {
  const slots: Record<string, string> = slotValues(site, await site.commandLine());
  const fillSlots = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(slots, name) ? (slots[name] as string) : whole,
    );
  return entries.map((entry) => ({
    ...entry,
    description: fillSlots(entry.description),
    markdown: fillSlots(entry.text),
  }));
}

/** Moves every heading one level down, except in code blocks, to nest one document in another. */
export const nestHeadings = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 ? part : part.replace(/^#/gm, "##")))
    .join("");

/** `{#name}` in a heading or table cell sets its anchor and is not shown. */
export const anchorPattern = / ?\{#([\w-]+)\} ?/;
export const stripAnchors = (markdown: string): string => markdown.replace(/ ?\{#[\w-]+\}/g, "");
