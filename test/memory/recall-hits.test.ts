/** The hits of recall: their order, kinds and limits. */
import { describe, expect, test } from "bun:test";
import type { Recalled } from "../../src/memory/recall/schema.ts";
import { dialects, event, link, openApp } from "../support/harness.ts";
import { recallHits, texts } from "../support/memory/recall.ts";

describe.each(dialects)("hits on %s", (dialect) => {
  test("are sorted newest first among equals", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    await app.ctx.data.atomically(async (writes) => {
      for (const at of [2, 3, 1]) {
        const fields = {
          project: "atlas",
          source: "review",
          source_ref: `${at}`,
          actor: "human:zoe",
          valid_from: at,
        };
        await writes.addDecision({ ...fields, text: "Too dark" });
      }
    });
    expect((await recallHits(app, "dark")).hits.map(({ source_ref }) => source_ref)).toEqual(["3", "2", "1"]);
  });

  test("come from every kind of memory, and kinds can be selected", async () => {
    await using app = await openApp(dialect);
    const { data } = app.ctx;
    await link(data, "atlas");
    await data.atomically(async (writes) => {
      const fields = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe", valid_from: 1 };
      await writes.addDecision({ ...fields, text: "Walrus one" });
      await writes.addDecision({ ...fields, text: "Walrus two", source: "review" });
      await writes.addNote({
        project: "atlas",
        asset: "A",
        title: "A picture",
        text: "Walrus three",
        actor: "human:zoe",
        valid_from: 1,
      });
      await writes.setPreference({ ...fields, key: "animal", value: "Walrus four" });
      await writes.saveModel({
        id: "m-1",
        provider: "a",
        lanes: [],
        onboarded_at: 1,
        refreshed_at: 1,
        guidance_count: 0,
        skill_count: 0,
      });
      await writes.saveGuidance(
        "m-1",
        "https://vendor.test",
        [{ file: "a.md", path: ["Animals"], text: "Walrus five" }],
        1,
      );
      await writes.append([
        event({ kind: "run.failed", project: "atlas", summary: "Walrus six" }),
        event({ kind: "step.usage", project: "atlas", summary: "Walrus seven" }),
      ]);
    });
    const kindsOf = ({ hits }: Recalled) => hits.map(({ kind, text }) => `${kind}: ${text}`).sort();
    expect(kindsOf(await recallHits(app, "walrus"))).toEqual([
      "decision: Walrus one",
      "event: Walrus six",
      "guidance: Walrus five",
      "preference: Walrus four",
      "review: Walrus three",
      "review: Walrus two",
    ]);
    expect(kindsOf(await recallHits(app, "walrus", { kinds: ["review", "event"] }))).toEqual([
      "event: Walrus six",
      "review: Walrus three",
      "review: Walrus two",
    ]);
    expect((await recallHits(app, "walrus", { limit: 2 })).count).toBe(2);
    await data.atomically((writes) => writes.retireNotes("A", app.clock.now()));
    expect(kindsOf(await recallHits(app, "walrus", { kinds: ["review"] }))).toEqual(["review: Walrus two"]);
  });

  test("of a kind are found among any number of hits of other kinds", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const fields = { project: "atlas", source_ref: null, actor: "human:zoe", valid_from: 1 };
    await app.ctx.data.atomically(async (writes) => {
      await writes.addDecision({
        ...fields,
        source: "review",
        text: `Walrus ${"and much else ".repeat(40)}`,
      });
      for (let index = 0; index < 300; index++)
        await writes.addDecision({ ...fields, source: "cli", text: `Walrus ${index}` });
    });
    expect((await recallHits(app, "walrus", { kinds: ["review"] })).hits.map(({ id }) => id)).toEqual([1]);
    expect(
      (await recallHits(app, "walrus", { kinds: ["decision"], limit: 50 })).hits.every(
        ({ kind }) => kind === "decision",
      ),
    ).toBe(true);
  });

  test("are limited to what the caller may see, and include global memories with those of a project", async () => {
    await using app = await openApp(dialect);
    const { data } = app.ctx;
    for (const slug of ["atlas", "beacon"]) await link(data, slug);
    await data.atomically(async (writes) => {
      const fields = { source: "cli", source_ref: null, actor: "human:zoe", valid_from: 1 };
      for (const project of ["atlas", "beacon"]) {
        await writes.addDecision({ ...fields, project, text: `Walrus of ${project}` });
        await writes.append([event({ kind: "run.failed", project, summary: `Walrus event of ${project}` })]);
      }
      await writes.append([event({ kind: "run.failed", summary: "Walrus event of nobody" })]);
      for (const project of [null, "atlas"])
        await writes.setPreference({ ...fields, project, key: "animal", value: `Walrus for ${project}` });
    });
    const found = async (...args: Parameters<typeof recallHits>) => (await texts(...args)).sort();
    const limited = { projects: ["beacon"] };
    expect(await found(app, "walrus", {}, limited)).toEqual([
      "Walrus event of beacon",
      "Walrus for null",
      "Walrus of beacon",
    ]);
    expect(await found(app, "walrus", { project: "atlas" })).toEqual([
      "Walrus event of atlas",
      "Walrus for atlas",
      "Walrus of atlas",
    ]);
    expect(await found(app, "walrus", { project: "beacon" })).toEqual([
      "Walrus event of beacon",
      "Walrus for null",
      "Walrus of beacon",
    ]);
    expect((await found(app, "walrus", { limit: 50 })).length).toBe(7);
    await expect(recallHits(app, "walrus", { project: "atlas" }, limited)).rejects.toMatchObject({
      status: 404,
    });
  });

  test("include what was written in the same transaction, and nothing from a failed one", async () => {
    await using app = await openApp(dialect);
    const { data } = app.ctx;
    await link(data, "atlas");
    const decision = (text: string) => ({
      project: "atlas",
      text,
      source: "cli",
      source_ref: null,
      actor: "human:zoe",
      valid_from: 1,
    });
    const failed = data.atomically(async (writes) => {
      await writes.addDecision(decision("Walrus that never was"));
      await writes.append([
        event({ kind: "run.failed", project: "atlas", summary: "Walrus event that never was" }),
      ]);
      expect(
        (await writes.search(null, "decision", { match: { term: "walru" }, order: "newest", limit: 5 }))
          .length,
      ).toBe(1);
      throw new Error("changed its mind");
    });
    await expect(failed).rejects.toThrow("changed its mind");
    expect(await texts(app, "walrus")).toEqual([]);
    await data.atomically((writes) => writes.addDecision(decision("Walrus that is")));
    expect(await texts(app, "wallrus")).toEqual(["Walrus that is"]);
  });

  test("come from any letters, including supplementary planes, in words of any length", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const words = ["𒌭ཆ𓆔ԁ𓅻ꢨ𒊻", `a${"𒌭".repeat(200)}`, `${"𐐨".repeat(31)}z`, "𝓦𝓪𝓵𝓻𝓾𝓼"];
    const { data } = app.ctx;
    await data.atomically((writes) =>
      writes.append(
        words.map((word) => event({ kind: "issue.opened", project: "atlas", summary: `Opened ${word}` })),
      ),
    );
    expect((await recallHits(app, "𒌭ཆ𓆔ԁ𓅻ꢨ𒊻")).hits.map(({ text }) => text)).toEqual(["Opened 𒌭ཆ𓆔ԁ𓅻ꢨ𒊻"]);
  });

  test("of events leave out steps and starts", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const kinds = [
      "issue.opened",
      "run.started",
      "step.usage",
      "workflow.run",
      "run.finished",
      "pr.merged",
    ] as const;
    await app.ctx.data.atomically((writes) =>
      writes.append(kinds.map((kind) => event({ kind, project: "atlas", summary: `Walrus ${kind}` }))),
    );
    expect((await recallHits(app, "walrus")).hits.map(({ source }) => source).sort()).toEqual([
      "issue.opened",
      "pr.merged",
      "run.finished",
    ]);
  });
});
