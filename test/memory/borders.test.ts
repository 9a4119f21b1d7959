/** Recall where scripts, spellings, and numbers meet, and of questions as long as a paragraph. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { dialects, must, openApp, type TestApp } from "../support/harness.ts";
import { texts } from "../support/memory/recall.ts";
import { qualityOf } from "./recall/measure.ts";
import { answersOf, fill, type Memory, readMemories, readQueries } from "./recall/set.ts";

const apps: TestApp[] = [];
let memories: Memory[];
let lines: string[][];
beforeAll(async () => {
  memories = await readMemories();
  const file = await Bun.file(join(import.meta.dir, "recall/borders.txt")).text();
  lines = file
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" | "));
  const borders = lines.map(
    ([, text], at): Memory => ({ key: `b/${at}`, project: "borders", kind: "decision", text: must(text) }),
  );
  for (const dialect of dialects) {
    const app = await openApp(dialect);
    apps.push(app);
    await fill(app.ctx.data, [...memories, ...borders]);
  }
});
afterAll(() => Promise.all(apps.map((app) => app.close())));

test.each([...["unspaced", "version", "number", "letter"], ...["form", "emoji", "tag", "part"]])(
  "each query of the kind %p is answered first by its decision, on both databases",
  async (kind) => {
    const missed: string[] = [];
    let count = 0;
    for (const [, text, queries] of lines.filter(([one]) => one === kind))
      for (const query of must(queries).split("; ")) {
        count++;
        const [first, second] = await Promise.all(apps.map((app) => texts(app, query, { limit: 5 })));
        if (first?.[0] !== text) missed.push(`${query}: ${first?.[0]}`);
        expect([query, second]).toEqual([query, first]);
      }
    expect(count).toBeGreaterThan(10);
    expect(missed).toEqual([]);
  },
);

/** What surrounds the question of a long message. */
const ballast = [
  "Hello, I hope that you had a good weekend and that the weather was better than here. I spent most of the " +
    "morning reading through old mails, and there were many questions by people from other teams, some of " +
    "them about things which we had finished long ago. My notebook also had an update that took nearly an hour.",
  "Some background first: we are a small group of five engineers and one designer, we meet each Tuesday, and " +
    "since January we use agents for most of the smaller changes. Last month a consultant visited us, looked " +
    "at our code, tests and documents, and gave us a list with forty points, of which about half are done.",
  "Sorry for this long message. I have tried to find the answer by myself in the documents, on the board and " +
    "in the chat, but I always ended up at pages that were out of date or that spoke of something else.",
];

test("a question of a paragraph is answered, also at the end of a long message", async () => {
  const queries = await readQueries(memories, "long-queries.txt");
  const [first, second] = await Promise.all(apps.map((app) => answersOf(app.ctx, memories, queries)));
  expect(second).toEqual(must(first));
  expect(qualityOf(queries, must(first)).recallAt5).toBeGreaterThanOrEqual(0.9);
  const buried = queries.map((query, at) => ({
    ...query,
    text: [ballast[at % 3], ballast[(at + 1) % 3], query.text, ballast[(at + 2) % 3]].join(" "),
  }));
  const found = await answersOf(must(apps[0]).ctx, memories, buried);
  expect(qualityOf(queries, found).recallAt5).toBeGreaterThanOrEqual(0.8); // 0.02 with the first 48 words alone
});
