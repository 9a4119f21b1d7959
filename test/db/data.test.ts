/** Projects, limited callers, decisions, models and tokens, as the data layer has them. */
import { describe, expect, test } from "bun:test";
import type { Data } from "../../src/api/port.ts";
import { toMicros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import type { NewDecision } from "../../src/memory/rows.ts";
import { dialects, event, link, must, openTestData } from "../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));

describe.each(dialects)("projects on %s", (dialect) => {
  test("are linked once; linking again updates the given fields; a repository is linked once, ignoring case", async () => {
    await using testData = await openTestData(dialect);
    const say = (fields: object) =>
      testData.data.atomically((writes) =>
        writes.linkProject({ slug: "atlas", repo: "Acme/Atlas", ...fields }, noon),
      );
    expect(await say({ stack: "bun", lanes: ["lane_a"], check_cmd: "bun test" })).toBe("linked");
    expect(await say({ summary: "Maps" })).toBe("changed");
    const other = { slug: "other", repo: "ACME/atlas" };
    expect(await testData.data.atomically((writes) => writes.linkProject(other, noon))).toBe("repo taken");
    expect(await testData.data.projects(null, { limit: 10 })).toEqual([
      {
        ...{
          slug: "atlas",
          forge: "github",
          host: "github.com",
          repo: "Acme/Atlas",
          stack: "bun",
          summary: "Maps",
          check_cmd: "bun test",
          branch_pattern: null,
          task_url: null,
          lanes: ["lane_a"],
        },
        ...{ lastActivity: null, openIssues: 0, decisionsCount: 0, digest: { digested: 0, total: 0 } },
      },
    ]);
    expect([...(await testData.data.projectsOfRepos(["acme/atlas", "acme/nothing"]))]).toEqual([
      ["acme/atlas", "atlas"],
    ]);
    expect((await testData.data.projectsOfRepos([])).size).toBe(0);
  });

  test("are sorted by last activity, idle ones last, then by the bytes of the slug; a cursor skips none", async () => {
    await using testData = await openTestData(dialect);
    const slugs = ["ab", "a-b", "a0", "a", "zz", "b1", "b-1", "busy", "calm"];
    for (const slug of slugs) await link(testData.data, slug);
    await append(testData.data, [event({ project: "calm" })]);
    await append(testData.data, [event({ project: "busy" })]);
    const wanted = ["busy", "calm", "a", "a-b", "a0", "ab", "b-1", "b1", "zz"];
    expect((await testData.data.projects(null, { limit: 100 })).map((row) => row.slug)).toEqual(wanted);
    for (const limit of [1, 2, 4]) {
      const found: string[] = [];
      for (let page = await testData.data.projects(null, { limit }); page.length > 0; ) {
        found.push(...page.map((row) => row.slug));
        const last = page.at(-1);
        page = last ? await testData.data.projects(null, { limit, after: last }) : [];
      }
      expect(found).toEqual(wanted);
    }
  });

  test("with equal last activity are sorted by slug, across pages", async () => {
    await using testData = await openTestData(dialect);
    for (const slug of ["c", "a", "b"]) await link(testData.data, slug);
    const after = { lastActivity: null, slug: "a" };
    expect((await testData.data.projects(null, { limit: 5, after })).map((row) => row.slug)).toEqual([
      "b",
      "c",
    ]);
    await append(testData.data, [event({ project: "b" })]);
    const tied = { lastActivity: noon, slug: "a" };
    expect((await testData.data.projects(null, { limit: 5, after: tied })).map((row) => row.slug)).toEqual([
      "b",
      "a",
      "c",
    ]);
  });
});

describe.each(dialects)("a caller with limits on %s", (dialect) => {
  test("sees only rows of its projects, on every read", async () => {
    await using testData = await openTestData(dialect);
    const { data } = testData;
    for (const slug of ["atlas", "borealis", "cetus"]) await link(data, slug);
    await append(data, [
      event({ project: "atlas" }),
      event({ project: "borealis" }),
      event(),
      event({ project: "atlas", kind: "run.failed" }),
    ]);
    const mine = ["atlas", "cetus"];
    const ids = (rows: { id: number }[]) => rows.map((row) => row.id);
    expect(ids(await data.feed(mine, { limit: 10 }))).toEqual([4, 1]);
    expect(ids(await data.feed(mine, { limit: 10, kind: "run.failed" }))).toEqual([4]);
    expect(ids(await data.feed(mine, { limit: 10, project: "borealis" }))).toEqual([]);
    expect(ids(await data.feed(mine, { order: "oldest first", after: 0, limit: 10 }))).toEqual([1, 4]);
    expect(ids(await data.feed(mine, { order: "oldest first", after: noon, limit: 1 }))).toEqual([4]);
    expect((await data.projects(mine, { limit: 10 })).map((row) => row.slug)).toEqual(["atlas", "cetus"]);
    expect(
      (await data.projects(mine, { limit: 10, after: { lastActivity: null, slug: "b" } })).map(
        (row) => row.slug,
      ),
    ).toEqual(["cetus"]);
    expect((await data.project(mine, "atlas"))?.slug).toBe("atlas");
    expect(await data.project(mine, "borealis")).toBeNull();
    expect(await data.feed([], { limit: 10 })).toEqual([]);
    expect(await data.feed([], { order: "oldest first", after: 0, limit: 10 })).toEqual([]);
    expect(await data.projects([], { limit: 10 })).toEqual([]);
    expect(await data.project([], "atlas")).toBeNull();
  });
});

describe.each(dialects)("decisions on %s", (dialect) => {
  const decision = (fields: Partial<NewDecision> = {}): NewDecision => ({
    ...{
      project: "atlas",
      text: "Use maps",
      source: "cli",
      source_ref: null,
      actor: "human:zoe",
      valid_from: noon,
    },
    ...fields,
  });

  test("are read newest first, as on the wire, and counted", async () => {
    await using testData = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
    const add = (fields: Partial<NewDecision>) =>
      testData.data.atomically((writes) => writes.addDecision(decision(fields)));
    const first = await add({ source_ref: "acme/atlas#12" });
    await add({ text: "Use globes", valid_from: noon + 1 });
    await add({ text: "At the same instant", valid_from: noon + 1 });
    await add({ project: "borealis" });
    expect(first).toEqual({
      id: 1,
      project: "atlas",
      text: "Use maps",
      source: "cli",
      source_ref: "acme/atlas#12",
      actor: "human:zoe",
      valid_from: noon,
      run_id: null,
      standing: "confirmed",
      checks: null,
      stops: 0,
    });
    const texts = (await testData.data.currentDecisions("atlas", 10)).map((row) => row.text);
    expect(texts).toEqual(["At the same instant", "Use globes", "Use maps"]);
    expect((await testData.data.currentDecisions("atlas", 10)).at(-1)).toEqual(must(first));
    expect((await testData.data.currentDecisions("atlas", 2)).length).toBe(2);
    expect((await testData.data.project(null, "atlas"))?.decisionsCount).toBe(3);
  });

  test("a superseding decision replaces the other; only a current one can be superseded", async () => {
    await using testData = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
    const add = (fields: Partial<NewDecision>) =>
      testData.data.atomically((writes) => writes.addDecision(decision(fields)));
    const first = await add({});
    expect(await testData.data.supersededDecisions("atlas")).toEqual([]);
    const second = await add({ text: "Use globes", supersedes: must(first).id, valid_from: noon + 1 });
    expect(await testData.data.supersededDecisions("atlas")).toEqual([
      { ...must(first), by: must(second).id },
    ]);
    expect(await testData.data.supersededDecisions("borealis")).toEqual([]);
    expect((await testData.data.currentDecisions("atlas", 10)).map((row) => row.text)).toEqual([
      "Use globes",
    ]);
    for (const supersedes of [must(first).id, 99]) expect(await add({ supersedes })).toBeNull();
    expect(await add({ project: "borealis", supersedes: must(second).id })).toBeNull();
    expect(await testData.data.currentDecisions("atlas", 10)).toEqual([must(second)]);
    expect((await testData.data.project(null, "atlas"))?.decisionsCount).toBe(1);
    expect((await testData.data.project(null, "borealis"))?.decisionsCount).toBe(0);
  });

  test("of two that concurrently supersede the same decision, one succeeds", async () => {
    await using testData = await openTestData(dialect);
    await link(testData.data, "atlas");
    const add = (fields: Partial<NewDecision>) =>
      testData.data.atomically((writes) => writes.addDecision(decision(fields)));
    const first = await add({});
    const outcomes = await Promise.all(
      [1, 2, 3].map((n) => add({ text: `${n}`, supersedes: must(first).id })),
    );
    expect(outcomes.filter(Boolean).length).toBe(1);
    expect((await testData.data.project(null, "atlas"))?.decisionsCount).toBe(1);
  });
});

describe.each(dialects)("models and tokens on %s", (dialect) => {
  test("saving a model again replaces it; models are sorted by the bytes of their id", async () => {
    await using testData = await openTestData(dialect);
    const model = {
      provider: "acme",
      lanes: ["lane_a"],
      onboarded_at: noon,
      refreshed_at: null,
      guidance_count: 0,
      skill_count: 0,
    };
    const save = (fields: object) =>
      testData.data.atomically((writes) => writes.saveModel({ id: "m", ...model, ...fields }));
    for (const id of ["b", "a-1", "B", "a1"]) await save({ id });
    await save({ id: "b", guidance_count: 3, lanes: [] });
    const models = await testData.data.models();
    expect(models.map((row) => row.id)).toEqual(["B", "a-1", "a1", "b"]);
    expect(models.at(-1)).toEqual({ ...model, id: "b", guidance_count: 3, lanes: [] });
  });

  test("a token is found by its hash; its name is never reused; revoking works once", async () => {
    await using testData = await openTestData(dialect);
    const { data } = testData;
    const token = {
      name: "ci",
      hash: "00ff",
      scopes: ["feed:read" as const],
      projects: ["atlas"],
      created_at: noon,
      expires_at: null,
    };
    const add = (fields: object) => data.atomically((writes) => writes.addToken({ ...token, ...fields }));
    expect(await add({})).toBe(true);
    expect(await add({ hash: "01" })).toBe(false);
    expect(
      await add({ name: "later", hash: "02", projects: null, expires_at: noon, created_at: noon + 1 }),
    ).toBe(true);
    const untouched = {
      last_used_at: null,
      previous_hash: null,
      previous_until: null,
      review_role: null,
      role: null,
      agent_at: null,
      owner: null,
      team: null,
    };
    expect(await data.token("00ff")).toEqual({ ...token, revoked_at: null, ...untouched });
    expect(await data.token("00FF")).toBeNull();
    const revoke = (name: string) => data.atomically((writes) => writes.revokeToken(name, noon + 5));
    expect([await revoke("ci"), await revoke("ci"), await revoke("nobody")]).toEqual([true, false, false]);
    expect((await data.token("00ff"))?.revoked_at).toBe(noon + 5);
    expect(await add({ hash: "03" })).toBe(false);
    expect((await data.tokens()).map((row) => row.name)).toEqual(["ci", "later"]);
  });
});
