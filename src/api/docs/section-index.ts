/** The sections of the documentation with their terms, which the build makes: to analyze them takes 0.3 s. */
import { type Config, readConfig } from "../../core/config.ts";
import { deprecationEdition } from "../../core/deprecation.ts";
import { perObject } from "../../core/lib/cache.ts";
import type { DocSection } from "../../overview/rows.ts";
import type { DocsSite } from "./page.ts";

/** Its URL and limits stand for those of a deployment. */
export const indexedConfig = readConfig({
  SVC_SITE_URL: "https://svc-deployment.invalid",
  SVC_RATE_LIMIT: "198237645/640509",
  SVC_MAX_UPLOAD_BYTES: "731928465573",
});

const valuesOf = ({ siteUrl, rateLimit, uploadBytesMax }: Config): string[] =>
  [siteUrl, rateLimit?.quota ?? 0, rateLimit?.seconds ?? 0, uploadBytesMax].map(String);

export interface SectionIndex {
  /** The configuration that the pages say something of, and the state of the deprecations. */
  config: Partial<Config>;
  edition: string;
  sections: IndexedSection[];
  /** Words that typos are corrected to, of all sections. */
  forms: string[];
}

interface IndexedSection extends Omit<DocSection, "analysis"> {
  length: number;
  /** Each with its count, and with the words that have it unless that is the term itself. */
  terms: [term: string, count: number, ...written: string[]][];
}

/** Returns the sections of the index; null without one, or if pages of this deployment say other things. */
export async function indexedSections(site: DocsSite): Promise<readonly DocSection[] | null> {
  const index = await loadIndex(site);
  return index && index.edition === deprecationEdition(site) ? index.sections : null;
}

const loadIndex = perObject(async (site: DocsSite) => {
  const { indexText } = await import("./index-text.ts");
  return indexText === "" ? null : readIndex(indexText, site.config);
});

/** @returns null if the pages of a deployment with this configuration say other things */
export function readIndex(text: string, given: Config) {
  const values = valuesOf(given);
  const { config, edition, sections, forms }: SectionIndex = JSON.parse(
    valuesOf(indexedConfig).reduce((all, value, at) => all.replaceAll(value, values[at] as string), text),
  );
  const names = Object.keys(config) as (keyof Config)[];
  if (names.some((name) => JSON.stringify(given[name]) !== JSON.stringify(config[name]))) return null;
  return { edition, sections: sections.map((section, at) => toSection(section, at === 0 ? forms : [])) };
}

/** @param forms those of all sections are at the first: a search reads them all */
const toSection = (
  { path, page, heading, text, length, terms }: IndexedSection,
  forms: string[],
): DocSection => ({
  path,
  page,
  heading,
  text,
  analysis: {
    terms: {
      length,
      terms: new Map(
        terms.map(([term, count, ...written]) => [
          term,
          { count, written: written.length > 0 ? written : [term] },
        ]),
      ),
    },
    forms,
  },
});
