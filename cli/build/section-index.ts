/** Puts the sections of the documentation into the executable with the terms that a search finds them by. */
import type { BunPlugin } from "bun";
import { indexedConfig, type SectionIndex, writeIndex } from "../../src/api/docs/section-index.ts";
import { renderSections } from "../../src/api/docs/sections.ts";
import type { Config } from "../../src/core/config.ts";
import { deprecationEdition, deprecations } from "../../src/core/deprecation.ts";
import { makeTextIndex } from "../../src/overview/search/text-index.ts";
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
  const list = (await renderSections(site)).map(({ path, page, heading, text }) => ({
    path,
    page,
    heading,
    text: text.replace(encodedLinks, ""),
  }));
  return {
    config: Object.fromEntries([...read].map((name) => [name, indexedConfig[name as keyof Config]])),
    edition: deprecationEdition(site),
    list,
    index: makeTextIndex(list.map(({ page, heading, text }) => ({ head: heading, about: page, text }))),
  };
}

/** @param folder where the compressed index is, until the executable is built */
export async function sectionIndex(folder: string): Promise<BunPlugin> {
  const contents = await packedModule(
    folder,
    "section-index",
    writeIndex(await makeSectionIndex()),
    "export const indexText = packed;",
  );
  return {
    name: "section index of the documentation",
    setup(build) {
      build.onLoad({ filter: /docs\/index-text\.ts$/ }, () => ({ contents, loader: "js" }));
    },
  };
}
