/** Writes of one transaction succeed or fail together. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import { toMicros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { dialects, event, link, openTestData } from "../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));

describe.each(dialects)("atomically on %s", (dialect) => {
  test("rolls back work that throws, and rethrows the error", async () => {
    await using testData = await openTestData(dialect);
    const { data } = testData;
    await link(data, "atlas");
    const cause = new Error("no");
    const work = data.atomically(async (writes) => {
      await writes.linkProject({ slug: "borealis", repo: "acme/borealis" }, noon);
      await writes.append([
        event({ project: "atlas", kind: "issue.opened", issue: 1, tokens_in: 4, dedupe_key: "k" }),
      ]);
      const text = {
        project: "atlas",
        text: "x",
        source: "cli",
        source_ref: null,
        actor: "human:zoe",
        valid_from: noon,
      };
      await writes.addDecision(text);
      await writes.addToken({
        name: "t",
        hash: "h",
        scopes: [],
        projects: null,
        created_at: noon,
        expires_at: null,
      });
      throw cause;
    });
    expect(await work.catch((error) => error)).toBe(cause);
    expect(await data.head()).toBe(0);
    expect(await data.projects(null, { limit: 9 })).toMatchObject([
      { slug: "atlas", openIssues: 0, decisionsCount: 0, digest: { total: 0 } },
    ]);
    expect(await data.usage("atlas", "")).toEqual([]);
    expect(await data.currentDecisions("atlas", 9)).toEqual([]);
    expect(await data.tokens()).toEqual([]);
    const { added } = await append(data, [event({ dedupe_key: "k" })]);
    expect(added.map((row) => row.id)).toEqual([1]);
  });

  test("its reads see its own writes; others see them after the commit", async () => {
    await using testData = await openTestData(dialect);
    const { data } = testData;
    const found = await data.atomically(async (writes) => {
      await writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, noon);
      await writes.append([event({ project: "atlas" })]);
      const inside = await Promise.all([
        writes.project(null, "atlas"),
        writes.feed(null, { limit: 5 }),
        writes.head(),
      ]);
      const outside = await Promise.all([
        data.project(null, "atlas"),
        data.feed(null, { limit: 5 }),
        data.head(),
      ]);
      return { inside, outside };
    });
    expect(found.inside).toMatchObject([{ slug: "atlas", digest: { total: 1 } }, [{ id: 1 }], noon]);
    expect(found.outside).toEqual([null, [], 0]);
    expect((await data.feed(null, { limit: 5 })).length).toBe(1);
  });

  test("transactions are serialized: concurrent read-modify-writes lose no update", async () => {
    await using testData = await openTestData(dialect);
    const other = await openData(testData.url, { now: testData.clock.now, log() {} });
    const raise = (data: Data) =>
      data.atomically(async (writes) => {
        const [model] = await writes.models();
        const guidance_count = (model?.guidance_count ?? 0) + 1;
        const bare = { provider: "p", lanes: [], onboarded_at: null, refreshed_at: null, skill_count: 0 };
        await writes.saveModel({ id: "m", ...bare, guidance_count });
      });
    await Promise.all(Array.from({ length: 30 }, (_, n) => raise(n % 2 ? other : testData.data)));
    await other.close();
    expect((await testData.data.models())[0]?.guidance_count).toBe(30);
  });
});
