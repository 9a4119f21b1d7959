/** The index of lists of documents, which analyzes words once they are looked for. */
import { expect, test } from "bun:test";
import { textTerms } from "../../../src/memory/recall/ranking.ts";
import { listIndexer } from "../../../src/overview/search/list-index.ts";

const heads = [
  "Retries of HTTPServer and rateLimit",
  "rate_limit, project-12 and map.png",
  "v2.10.2 of release-notes.md, 12,500 rows",
  "Größe of the URLs in l'utente",
  "HTTP daily 2026-11-30 a.b.c 3.x",
  "数据库迁移 of 29 parts",
];
const documents = heads.map((head, at) => ({ head, about: heads.at(at - 1) as string, text: head }));
type Document = (typeof documents)[number];

test("has the terms of each document, with their counts and words", () => {
  // Each is looked for first: it finds no words that another term has analyzed.
  const newIndex = () => listIndexer<Document>(100)(documents);
  for (const document of documents) {
    const { terms, length } = textTerms(document);
    expect(newIndex().lengthOf(document)).toBe(length);
    for (const [term, { count, written }] of terms)
      expect([term, newIndex().withTerm(term).get(document)]).toEqual([
        term,
        { count, written: expect.arrayContaining(written) },
      ]);
  }
  expect(newIndex().termsWithPrefix("rat")).toEqual(["rate", "ratelimit"]);
});

test("finds the documents of its list alone, and corrects typos to their words alone", () => {
  const indexOf = listIndexer<Document>(3);
  const similar = (listed: Document[]) => indexOf(listed).similarWords(["^ra", "rat", "ate", "te$"], 10);
  expect(similar(documents)).toContain("rate");
  expect(similar(documents.slice(3))).not.toContain("rate");
  expect([...indexOf(documents.slice(1, 3)).withTerm("rate").keys()]).toEqual(documents.slice(1, 3));
  expect(indexOf(documents.slice(3, 5)).withTerm("rate").size).toBe(0);
});
