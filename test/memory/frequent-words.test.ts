/** Recall among frequent words, and by prefixes in a long log. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Match } from "../../src/memory/rows.ts";
import {
  dialects,
  event,
  link,
  must,
  openApp,
  openTestData,
  rowsOf,
  type TestApp,
} from "../support/harness.ts";
import { texts } from "../support/memory/recall.ts";

test.each(dialects)("a prefix also finds words in a long log, on %s", async (dialect) => {
  await using app = await openApp(dialect);
  await link(app.ctx.data, "atlas");
  const summaries = ["Retried the gateway", "A retry that failed", "re-read", "retail", "The r2 of retch42"];
  await app.ctx.data.atomically((writes) =>
    writes.append(summaries.map((summary) => event({ kind: "run.failed", summary }))),
  );
  const fields = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe", valid_from: 1 };
  await app.ctx.data.atomically((writes) =>
    writes.addDecision({ ...fields, text: "retch42 is the last one, नमस्ते" }),
  );
  const before = await Promise.all(
    ["the gateway retr", "reta", "retr", "retch4", "नम"].map((query) => texts(app, query)),
  );
  expect(before.map((found) => found.length)).toEqual([2, 1, 2, 2, 1]);
  await rowsOf(app.url, "update feed_head set id = 20000000");
  const [gateway, retail, retry, digits, script] = before;
  const later = await Promise.all(
    ["the gateway retr", "reta", "retr", "retch4", "नम"].map((query) => texts(app, query)),
  );
  // Only for events, prefixes are expanded to words of letters; everything else is found as before.
  expect(later).toEqual([gateway, retail, retry, must(digits).slice(0, 1), script] as string[][]);
});

test("SQLite ranks only by the terms given for ranking", async () => {
  await using app = await openApp("sqlite");
  const summaries = [
    "The walrus of a walrus may deploy",
    "The walrus: deploy, deploy, deploy",
    ...Array.from({ length: 9 }, () => "A walrus"),
  ];
  await app.ctx.data.atomically((writes) =>
    writes.append(summaries.map((summary) => event({ kind: "run.failed", summary }))),
  );
  const match: Match = { all: [{ term: "walru" }, { term: "deploy" }] };
  await app.ctx.data.countMatches(null, [match], 1);
  const found = async (rank?: Match) => {
    const rows = await app.ctx.data.search(null, "event", {
      match,
      order: "likeness",
      limit: 5,
      ...(rank && { rank }),
    });
    return rows.map(({ text }) => summaries.indexOf(text));
  };
  expect(await found()).toEqual([1, 0]);
  expect(await found({ term: "walru" })).toEqual([0, 1]);
});

for (const dialect of dialects)
  describe(`frequent words, on ${dialect}`, () => {
    const each = 1_100; // more than the maximum that is counted
    const ofAtlas = 800; // and more than the number of candidates are newer
    let app: TestApp;
    beforeAll(async () => {
      app = await openApp(dialect);
      await link(app.ctx.data, "atlas");
      const summaries = Array.from({ length: each }, (_, index) =>
        ["walrus", "heron"].map((word) =>
          event({
            kind: "run.failed",
            summary: `The ${word} ${index}`,
            ...(index < ofAtlas && { project: "atlas" }),
          }),
        ),
      ).flat();
      for (let first = 0; first < summaries.length; first += 1_000)
        await app.ctx.data.atomically((writes) => writes.append(summaries.slice(first, first + 1_000)));
    });
    afterAll(() => app.close());

    test("do not hide hits of a kind that rarely has them, nor the most relevant hit", async () => {
      await using other = await openApp(dialect);
      const { data } = other.ctx;
      await link(data, "atlas");
      await data.atomically(async (writes) => {
        const fields = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe" };
        await writes.addDecision({ ...fields, text: "Deploy: we deploy by tag only", valid_from: 1 });
        for (let number = 2; number < 90; number++)
          await writes.addDecision({
            ...fields,
            text: `Before a long meeting number ${number} nobody may deploy anything big`,
            valid_from: number,
          });
      });
      const summaries = [
        "walrus deploy failed: walrus",
        ...Array.from(
          { length: 300 },
          (_, index) => `The long run ${index} of a walrus came to nothing after the usual deploy of the day`,
        ),
        ...Array.from({ length: each }, (_, index) => `deploy ${index} done`),
      ].map((summary) => event({ kind: "run.failed", summary }));
      for (let first = 0; first < summaries.length; first += 1_000)
        await data.atomically((writes) => writes.append(summaries.slice(first, first + 1_000)));
      expect(await texts(other, "deploy", { limit: 1, kinds: ["decision"] })).toEqual([
        "Deploy: we deploy by tag only",
      ]);
      for (const limit of [1, 50])
        expect((await texts(other, "walrus deploy", { limit }))[0]).toBe("walrus deploy failed: walrus");
    });

    test("let a rare word decide which texts match", async () => {
      expect(await texts(app, "walrus 42", { limit: 1 })).toEqual(["The walrus 42"]);
      expect(await texts(app, "42 walrus heron", { limit: 2 })).toEqual(["The heron 42", "The walrus 42"]);
    });

    const findsTheNewest = async () => {
      expect(await texts(app, "walrus", { limit: 2 })).toEqual([
        `The walrus ${each - 1}`,
        `The walrus ${each - 2}`,
      ]);
      expect(await texts(app, "walrus heron", { limit: 2 })).toEqual([
        `The heron ${each - 1}`,
        `The walrus ${each - 1}`,
      ]);
      expect(await texts(app, "heron", { limit: 2, project: "atlas" })).toEqual([
        `The heron ${ofAtlas - 1}`,
        `The heron ${ofAtlas - 2}`,
      ]);
      expect(await texts(app, "walrus", { limit: 1 }, { projects: ["atlas"] })).toEqual([
        `The walrus ${ofAtlas - 1}`,
      ]);
      expect(await texts(app, "walrus", { limit: 1, as_of: "2100-01-01T00:00:00Z" })).toEqual([
        `The walrus ${each - 1}`,
      ]);
      expect(await texts(app, "walrus", { limit: 1, as_of: "2020-01-01T00:00:00Z" })).toEqual([]);
    };

    test("find the newest texts, even if they never occur together", findsTheNewest);

    test("are counted once, and again after the rows are replaced", async () => {
      await using other = await openTestData(dialect);
      await other.data.append(
        Array.from({ length: 60 }, () => event({ kind: "run.failed", summary: "The gull" })),
      );
      const counted = async (max: number) =>
        (await other.data.countMatches(null, [{ term: "gull" }], max)).map((found) => found.event);
      expect(await counted(50)).toEqual([50]);
      const emptied =
        dialect === "sqlite"
          ? "insert into event_terms (event_terms) values ('delete-all')"
          : "delete from event_terms";
      await rowsOf(other.url, emptied);
      expect(await counted(50)).toEqual([50]);
      expect(await counted(51)).toEqual([0]);
      await other.data.replaceAllRows(async () => {});
      expect(await counted(50)).toEqual([0]);
    });

    test("that rarely occur together are searched in the whole log once, and then only in newer events", async () => {
      await using other = await openApp(dialect);
      const { data } = other.ctx;
      for (const slug of ["atlas", "loom"]) await link(data, slug);
      const tell = (summaries: string[], project = "atlas") =>
        data.atomically((writes) =>
          writes.append(summaries.map((summary) => event({ kind: "run.failed", summary, project }))),
        );
      const many = Array.from({ length: each }, (_, index) =>
        ["walrus", "heron"].map((word) => `The ${word} ${index}`),
      ).flat();
      await tell(["walrus and heron, first"]);
      // More events of another project than the candidates of a search in all projects.
      const far = "walrus and heron, far";
      await tell(
        Array.from({ length: 70 }, () => far),
        "loom",
      );
      await tell(many.slice(0, each));
      await tell(many.slice(each));
      const intersection = async (options = {}, query = "walrus heron") =>
        (await texts(other, query, { kinds: ["event"], limit: 3, ...options })).filter((text) =>
          text.includes("and"),
        );
      const [ofAtlas, reversed] = [{ project: "atlas" }, "heron walrus"];
      const longAfter = { as_of: "2100-01-01T00:00:00Z" };
      // As if very many events were appended since.
      await rowsOf(other.url, "update feed_head set id = id + 30000");
      expect(await intersection()).toEqual([far, far, far]);
      for (const query of [undefined, reversed])
        expect(await intersection(ofAtlas, query)).toEqual(["walrus and heron, first"]);
      expect(await intersection(longAfter)).toEqual([far, far, far]);
      const words =
        dialect === "sqlite"
          ? "insert into event_terms (event_terms) values ('delete-all')"
          : "delete from event_terms";
      await rowsOf(other.url, words);
      await tell(["walrus and heron, second", "walrus alone", "walrus and heron, third"]);
      await tell(["walrus and heron, elsewhere"], "loom");
      await tell(many.slice(0, 200));
      expect(await intersection()).toEqual([
        "walrus and heron, elsewhere",
        "walrus and heron, third",
        "walrus and heron, second",
      ]);
      const sinceThen = ["walrus and heron, third", "walrus and heron, second"];
      for (const query of [undefined, reversed, undefined])
        expect(await intersection(ofAtlas, query)).toEqual([...sinceThen, "walrus and heron, first"]);
      // An expired result is searched again in the index, which by now has only newer events: ten minutes
      // later, when all results expire, or after very many events.
      const clock = spyOn(performance, "now").mockReturnValue(performance.now() + 600_000);
      expect(await intersection(ofAtlas, reversed)).toEqual(sinceThen);
      clock.mockRestore();
      await rowsOf(other.url, words);
      expect(await intersection(ofAtlas, reversed)).toEqual(sinceThen);
      await rowsOf(other.url, "update feed_head set id = id + 30000");
      expect(await intersection(ofAtlas, reversed)).toEqual([]);
      await data.replaceAllRows(async () => {});
      for (const options of [{}, longAfter]) expect(await intersection(options)).toEqual([]);
    });

    test.if(dialect === "postgres")(
      "are found behind very many events without them, and not counted once statistics include them",
      async () => {
        await rowsOf(
          app.url,
          "insert into event_terms (id, terms) select 1000000 + n, $$'gull':1$$ from generate_series(1, 20001) as n",
        );
        await findsTheNewest();
        await rowsOf(app.url, "analyze event_terms");
        await rowsOf(app.url, "delete from event_terms");
        const data = await openData(app.url, { now: app.clock.now, log() {} });
        const matches: Match[] = [
          { term: "heron" },
          { term: "hero", prefix: true },
          { all: [{ term: "gull" }] },
        ];
        const counted = async (one: typeof data, matches: Match[], max: number) => {
          const counts = await one.countMatches(null, matches, max);
          expect(counts.every(({ decision, note }) => decision + note === 0)).toBe(true);
          return counts.map(({ event }) => event);
        };
        expect(await counted(data, [...matches, { term: "7" }], 400)).toEqual([400, 400, 400, 0]);
        expect(await counted(data, [{ term: "heron" }], 1_000)).toEqual([0]);
        // A restore updates the statistics immediately.
        await data.replaceAllRows(async () => {});
        await data.close();
        const restored = await openData(app.url, { now: app.clock.now, log() {} });
        expect(await counted(restored, matches, 400)).toEqual([0, 0, 0]);
        await restored.close();
      },
    );
  });
