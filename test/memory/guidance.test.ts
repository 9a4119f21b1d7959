/** Models and guidance. */
import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { dayMicros } from "../../src/core/lib/time.ts";
import { guidanceFor } from "../../src/memory/models/guidance.ts";
import { onboardModel, refreshGuidance } from "../../src/memory/models/onboard.ts";
import { parseSections } from "../../src/memory/models/sections.ts";
import { modelOf } from "../../src/memory/models.ts";
import { recall } from "../../src/memory/recall/recall.ts";
import {
  createDatabase,
  dialects,
  freshDatabase,
  must,
  program,
  temporaryFolder,
} from "../support/harness.ts";
import { eventsOf, openMemory } from "../support/memory/memory.ts";

describe("splitting Markdown into sections", () => {
  const split = (text: string) =>
    parseSections({ file: "a.md", text }).map(({ path, text }) => [path.join(" › "), text]);

  test("makes one for each heading, with the headings above it as its path", () => {
    expect(
      split("Before\n\n# One\nfirst\n### Deep\ndeep\n## Two ##\nsecond\n# [Three](x) `code`\nthird"),
    ).toEqual([
      ["", "Before"],
      ["One", "first"],
      ["One › Deep", "deep"],
      ["One › Two", "second"],
      ["Three code", "third"],
    ]);
  });

  test("treats heading syntax inside code as code", () => {
    expect(split("# A\n```sh\n# not a heading\n```\n~~~\n## nor this\n~~~")).toEqual([
      ["A", "```sh\n# not a heading\n```\n~~~\n## nor this\n~~~"],
    ]);
  });

  test("keeps front matter as text without its markers, and drops headings without text", () => {
    expect(split("---\nname: x\n---\n# Empty\n## Full\ntext")).toEqual([
      ["", "name: x"],
      ["Empty › Full", "text"],
    ]);
  });

  test("splits a long section between paragraphs and loses nothing", () => {
    const paragraphs = Array.from({ length: 40 }, (_, index) =>
      `Paragraph ${index} ${"words ".repeat(30)}`.trim(),
    );
    const parts = split(`# Long\n${paragraphs.join("\n\n")}\n\n${"x".repeat(4_500)}`);
    expect(Math.max(...parts.map(([, text]) => must(text).length))).toBeLessThanOrEqual(2_000);
    const all = parts.map(([, text]) => text).join("\n\n");
    for (const paragraph of paragraphs) expect(all).toContain(paragraph);
    expect(all.replaceAll(/[^x]/g, "").length).toBe(4_500);
  });
});

describe.each(dialects)("models and guidance on %s", (dialect) => {
  const source = "https://vendor.test/guide";
  const skill = { file: "skills/review/SKILL.md", text: "# Review\nLook twice." };
  const guide = { file: "guide.md", text: "# Prompting\nBe clear.\n# Tools\nDescribe each tool." };

  test("a model is pending until it is added, then ready, and stale after thirty days", async () => {
    await using app = await openMemory(dialect);
    const model = async () =>
      must(
        (await app.ctx.data.models())
          .map((row) => modelOf(row, app.clock.now()))
          .find(({ id }) => id === "m-1"),
      );
    await refreshGuidance(app.ctx, { model: "m-1", source }, [guide], "human:zoe");
    expect(await model()).toMatchObject({
      status: "pending",
      onboarded_at: null,
      guidance_count: 2,
      stale_days: 0,
    });
    expect(await onboardModel(app.ctx, { id: "m-1", provider: "acme", lanes: ["lane_a"] }, "human:zoe")).toBe(
      "onboarded",
    );
    expect(await model()).toMatchObject({
      status: "ready",
      provider: "acme",
      guidance_count: 2,
      stale_days: 0,
    });
    app.clock.advance(30 * dayMicros);
    expect(await model()).toMatchObject({ status: "ready", stale_days: 30 });
    app.clock.advance(dayMicros);
    expect(await model()).toMatchObject({ status: "stale", stale_days: 31 });
    await refreshGuidance(app.ctx, { model: "m-1", source }, [guide], "human:zoe");
    expect(await model()).toMatchObject({ status: "ready", stale_days: 0, guidance_count: 2 });
    expect(await onboardModel(app.ctx, { id: "m-1", provider: "other", lanes: [] }, "human:zoe")).toBe(
      "changed",
    );
    expect(await model()).toMatchObject({ provider: "other", onboarded_at: "2026-03-01T12:00:00.000000Z" });
    const events = await eventsOf(app.ctx, "onboard.refreshed");
    expect(events.map(({ model, actor }) => [model, actor])).toEqual(Array(4).fill(["m-1", "human:zoe"]));
  });

  test("an unknown lane is rejected", async () => {
    await using app = await openMemory(dialect);
    await expect(
      onboardModel(app.ctx, { id: "m-1", provider: "acme", lanes: ["nope"] }, "human:zoe"),
    ).rejects.toMatchObject({
      status: 400,
    });
  });

  test("a refresh atomically replaces the guidance from its source and keeps that from others", async () => {
    await using app = await openMemory(dialect);
    const { ctx } = app;
    await onboardModel(ctx, { id: "m-1", provider: "acme", lanes: [] }, "human:zoe");
    await refreshGuidance(ctx, { model: "m-1", source }, [guide, skill], "human:zoe");
    await refreshGuidance(
      ctx,
      { model: "m-1", source: "https://vendor.test/more" },
      [{ file: "x.md", text: "# Other\nStays." }],
      "human:zoe",
    );
    const counts = async () => must((await ctx.data.models())[0]);
    expect(await counts()).toMatchObject({ guidance_count: 4, skill_count: 1 });
    await refreshGuidance(
      ctx,
      { model: "m-1", source },
      [{ file: "guide.md", text: "# Prompting\nBe brief." }],
      "human:zoe",
    );
    expect(await counts()).toMatchObject({ guidance_count: 2, skill_count: 0 });
    const { sections } = await guidanceFor(ctx, { model: "m-1" }, adminCaller);
    expect(sections.map(({ heading, text, source }) => [heading, text, source])).toEqual([
      ["Prompting", "Be brief.", source],
      ["Other", "Stays.", "https://vendor.test/more"],
    ]);
    const matches = await ctx.data.countMatches(null, [{ term: "tool" }, { term: "brief" }], 10);
    expect(matches.map(({ guidance, event }) => [guidance, event])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect((await recall(ctx, { query: "describe tool" }, adminCaller)).count).toBe(0);
    expect((await recall(ctx, { query: "brief" }, adminCaller)).hits.map(({ text }) => text)).toEqual([
      "Be brief.",
    ]);
  });

  test("a source without text is rejected and replaces nothing", async () => {
    await using app = await openMemory(dialect);
    await refreshGuidance(app.ctx, { model: "m-1", source }, [guide], "human:zoe");
    expect(
      refreshGuidance(
        app.ctx,
        { model: "m-1", source },
        [{ file: "a.md", text: "# Only\n## headings" }],
        "human:zoe",
      ),
    ).rejects.toMatchObject({
      status: 400,
    });
    expect((await guidanceFor(app.ctx, { model: "m-1" }, adminCaller)).count).toBe(2);
  });

  test("svc_guidance returns what fits, names what it omits, and searches by a query", async () => {
    await using app = await openMemory(dialect);
    const text = Array.from(
      { length: 9 },
      (_, index) => `# Part ${index}\n${"text ".repeat(100)}${index === 7 ? "caching" : ""}`,
    ).join("\n");
    await refreshGuidance(app.ctx, { model: "m-1", source }, [{ file: "a.md", text }], "human:zoe");
    const all = await guidanceFor(app.ctx, { model: "m-1", max_chars: 1_200 }, adminCaller);
    expect(all.sections.map(({ heading }) => heading)).toEqual(["Part 0", "Part 1"]);
    expect(all.left_out).toEqual(Array.from({ length: 7 }, (_, index) => `Part ${index + 2}`));
    const found = await guidanceFor(app.ctx, { model: "m-1", query: "cache" }, adminCaller);
    expect(found.sections.map(({ heading }) => heading)).toEqual(["Part 7"]);
    await expect(guidanceFor(app.ctx, { model: "m-2" }, adminCaller)).rejects.toMatchObject({
      status: 404,
      detail: "No model 'm-2'. Known models: m-1.",
    });
  });
});

describe("svc guidance add", () => {
  test("accepts a folder of Markdown files, sorted by name, and a single file", async () => {
    await using database = await freshDatabase("sqlite");
    await using folder = await temporaryFolder();
    await createDatabase(database.url);
    const env = { SVC_DATABASE_URL: database.url };
    await mkdir(join(folder.path, "deep"));
    await Bun.write(join(folder.path, "b.md"), "# B\nsecond");
    await Bun.write(join(folder.path, "deep/SKILL.md"), "# S\nthird");
    await Bun.write(join(folder.path, "a.md"), "# A\nfirst");
    await Bun.write(join(folder.path, "other.txt"), "not Markdown");
    const add = (place: string, url = "https://vendor.test/docs") =>
      program(["guidance", "add", "m-1", place, "--source", url], env);
    expect((await add(folder.path)).code).toBe(0);
    const listed = await program(["model", "list", "--json"], env);
    expect(JSON.parse(listed.output)).toMatchObject({
      id: "m-1",
      status: "pending",
      guidance_count: 3,
      skill_count: 1,
    });
    expect((await add(join(folder.path, "a.md"))).code).toBe(0);
    expect(JSON.parse((await program(["model", "list", "--json"], env)).output)).toMatchObject({
      guidance_count: 1,
      skill_count: 0,
    });
    for (const [place, url, message, status] of [
      [join(folder.path, "nope.md"), undefined, "File or folder not found", 1],
      [join(folder.path, "a.md"), "http://vendor.test", "source must be an https URL", 2],
    ] as const) {
      const { code, errors } = await add(place, url);
      expect({ code, hasMessage: errors.includes(message) }).toEqual({ code: status, hasMessage: true });
    }
  });
});
