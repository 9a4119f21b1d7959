/** The index of the documentation that the executable has. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encodedLinks, makeSectionIndex } from "../../../cli/build/section-index.ts";
import { indexedConfig, readIndex, writeIndex } from "../../../src/api/docs/section-index.ts";
import { renderSections } from "../../../src/api/docs/sections.ts";
import type { DocSection } from "../../../src/overview/rows.ts";
import type { DocumentIndex } from "../../../src/overview/search/document-index.ts";
import { searchDocuments } from "../../../src/overview/search/documents.ts";
import { listIndexer } from "../../../src/overview/search/list-index.ts";
import { readTextIndex } from "../../../src/overview/search/text-index.ts";
import { must, openApp, type TestApp } from "../../support/harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite");
});
afterAll(() => app.close());

describe("the section index of the executable", () => {
  const config = () => ({ ...app.ctx.config, rateLimit: { quota: 60, seconds: 60 } });

  test("has the sections of a deployment", async () => {
    const index = writeIndex(await makeSectionIndex());
    const rendered = await renderSections({ ...app.ctx, config: config() });
    const fieldsOf = ({ path, page, heading, text }: DocSection) => [
      ...[path, page, heading],
      text.replace(encodedLinks, ""),
    ];
    expect(must(readIndex(index, config())).list.map(fieldsOf)).toEqual(rendered.map(fieldsOf));
    expect(readIndex(index, { ...config(), publicRead: !app.ctx.config.publicRead })).toBeNull();
  });

  test("finds what an index of the same sections in memory finds", async () => {
    const made = await makeSectionIndex();
    const { list, index } = must(readIndex(writeIndex(made), indexedConfig));
    const documents = list.map(({ path, page, heading, text }) => ({
      path,
      head: heading,
      about: page,
      text,
    }));
    const inMemory = listIndexer<(typeof documents)[number]>(documents.length)(documents);
    const asText = readTextIndex(documents, index);
    // A prefix, a typo, a term that most sections have, a stem, a compound, a number, and no word at all.
    const queries = [
      "signing secr",
      "configuraton",
      "the token",
      "retries",
      "rate-limit",
      "64 kib",
      "qqqqxyz",
    ];
    const find = async (index: DocumentIndex<(typeof documents)[number]>, query: string) =>
      (await searchDocuments(index, query, 10)).map(({ document: { path }, score, matched }) => ({
        path,
        score,
        matched: matched.toSorted(),
      }));
    for (const query of queries) {
      const found = await find(asText, query);
      expect([query, found]).toEqual([query, await find(inMemory, query)]);
      expect([query, found.length > 0]).toEqual([query, query !== "qqqqxyz"]);
    }
  });
});
