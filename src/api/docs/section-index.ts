/**
 * The sections of the documentation with their index, which the build makes: to render and analyze them takes
 * 0.3 s. A process searches its text as it is, and reads of the sections only those that it shows.
 */
import { type Config, readConfig } from "../../core/config.ts";
import { deprecationEdition } from "../../core/deprecation.ts";
import { perObject } from "../../core/lib/cache.ts";
import type { DocSection, DocSections } from "../../overview/rows.ts";
import type { TextIndex } from "../../overview/search/text-index.ts";
import type { DocsSite } from "./page.ts";

/** Its URL and limits stand for those of a deployment. */
export const indexedConfig = readConfig({
  SVC_SITE_URL: "https://svc-deployment.invalid",
  SVC_RATE_LIMIT: "198237645/640509",
  SVC_MAX_UPLOAD_BYTES: "731928465573",
});

const valuesOf = ({ siteUrl, rateLimit, uploadBytesMax }: Config): string[] =>
  [siteUrl, rateLimit?.quota ?? 0, rateLimit?.seconds ?? 0, uploadBytesMax].map(String);

export interface SectionIndex extends DocSections {
  /** The configuration that the pages say something of, and the state of the deprecations. */
  config: Partial<Config>;
  edition: string;
  index: TextIndex;
}

interface Head extends Pick<SectionIndex, "config" | "edition"> {
  /** The length of the text of each section, and how many words it has. */
  sections: [path: string, page: string, heading: string, textLength: number, words: number][];
}

/** Between the parts: a head of JSON, the texts of all sections, the terms, and the words. */
const separator = "\0";

export function writeIndex({ config, edition, list, index }: SectionIndex): string {
  const sections = list.map(({ path, page, heading, text }, at): Head["sections"][number] => [
    ...([path, page, heading, text.length] as const),
    index.lengths[at] ?? 0,
  ]);
  const head: Head = { config, edition, sections };
  const texts = list.map(({ text }) => text).join("");
  return [JSON.stringify(head), texts, index.terms, index.forms].join(separator);
}

/** The sections of all pages, in order: of the index, unless pages of this deployment say other things. */
export async function docSections(site: DocsSite): Promise<DocSections> {
  const index = await loadIndex(site);
  if (index && index.edition === deprecationEdition(site)) return index;
  const { renderSections } = await import("./sections.ts");
  return rendered(await renderSections(site));
}

const rendered = perObject((list: readonly DocSection[]): DocSections => ({ list }));

const loadIndex = perObject(async (site: DocsSite) => {
  const { indexText } = await import("./index-text.ts");
  return indexText === "" ? null : readIndex(indexText, site.config);
});

/** @returns null if the pages of a deployment with this configuration say other things */
export function readIndex(text: string, given: Config): SectionIndex | null {
  const fill = (part: string) =>
    valuesOf(indexedConfig).reduce((all, value, at) => all.replaceAll(value, values[at] as string), part);
  const values = valuesOf(given);
  const [head = "", texts = "", terms = "", forms = ""] = text.split(separator);
  const { config, edition, sections }: Head = JSON.parse(fill(head));
  const names = Object.keys(config) as (keyof Config)[];
  if (names.some((name) => JSON.stringify(given[name]) !== JSON.stringify(config[name]))) return null;
  let end = 0;
  const list = sections.map(([path, page, heading, length]): DocSection => {
    const start = end;
    end += length;
    return {
      path,
      page,
      heading,
      get text() {
        return fill(texts.slice(start, start + length));
      },
    };
  });
  return {
    config,
    edition,
    list,
    index: { terms, forms, lengths: sections.map(([, , , , words]) => words) },
  };
}
