/** Puts the sections of the documentation into the executable with the terms that a search finds them by. */
import type { BunPlugin } from "bun";
import { indexedConfig, type SectionIndex } from "../../src/api/docs/section-index.ts";
import { renderSections } from "../../src/api/docs/sections.ts";
import type { Config } from "../../src/core/config.ts";
import { deprecationEdition, deprecations } from "../../src/core/deprecation.ts";
import { analyze } from "../../src/overview/search/documents.ts";
import { docSlots } from "../doc-slots.ts";
import { packedModule } from "./packed-texts.ts";

/** The links that connect an editor have the URL of the deployment encoded. */
export const encodedLinks = /\b(?:cursor|vscode):\S+/g;

export async function makeSectionIndex(): Promise<SectionIndex> {
  const read = new Set<string | symbol>();
  const config = new Proxy(indexedConfig, {
    get(_, name) {
      read.add(name);
      return Reflect.get(indexedConfig, name);
    },
  });
  const site = { config, deprecations, now: () => Date.now() * 1000, docSlots };
  const rendered = await renderSections(site);
  const forms = new Set<string>();
  const sections = rendered.map(({ path, page, heading, text: whole }) => {
    const text = whole.replace(encodedLinks, "");
    const found = analyze({ head: heading, about: page, text });
    for (const form of found.forms) forms.add(form);
    const { length, terms } = found.terms;
    return { path, page, heading, text, length, terms: [...terms].map(toIndexed) };
  });
  return {
    config: Object.fromEntries([...read].map((name) => [name, indexedConfig[name as keyof Config]])),
    edition: deprecationEdition(site),
    sections,
    forms: [...forms],
  };
}

function toIndexed([term, { count, written }]: [string, { count: number; written: string[] }]) {
  const isItself = written.length === 1 && written[0] === term;
  return [term, count, ...(isItself ? [] : written)] as [string, number, ...string[]];
}

/** @param folder where the compressed index is, until the executable is built */
export async function sectionIndex(folder: string): Promise<BunPlugin> {
  const contents = await packedModule(
    folder,
    "section-index.json",
    JSON.stringify(await makeSectionIndex()),
    "export const indexText = packed;",
  );
  return {
    name: "section index of the documentation",
    setup(build) {
      build.onLoad({ filter: /docs\/index-text\.ts$/ }, () => ({ contents, loader: "js" }));
    },
  };
}
