/** The brief: its sections, order and length. */
import { describe, expect, test } from "bun:test";
import { toolOperations } from "../../src/api/operations/index.ts";
import { dataTagger } from "../../src/core/lib/strings/untrusted-text.ts";
import { dayMicros } from "../../src/core/lib/time.ts";
import { consolidate } from "../../src/memory/consolidate.ts";
import { decisionEntry } from "../../src/overview/brief/lines.ts";
import { rejectionEntry } from "../../src/overview/brief/rejection.ts";
import { fitToBudget, type Section } from "../../src/overview/brief/text-budget.ts";
import { dialects, event, link, must, openApp, type TestApp, writeInBatches } from "../support/harness.ts";
import { briefOf, sectionOf, sectionTitles } from "../support/memory/brief.ts";

/** Fills a project with data for every section of a brief. */
async function fillProject({ ctx, clock }: TestApp): Promise<void> {
  const { data } = ctx;
  const fields = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe" };
  const at = (days: number) => clock.now() - days * dayMicros;
  await data.atomically(async (writes) => {
    const facts = {
      repo: "acme/atlas",
      stack: "Bun",
      summary: "Plans rounds.\nOf vans.",
      check_cmd: "bun run check",
      lanes: ["lane_a"],
    };
    await writes.linkProject({ slug: "atlas", ...facts }, at(50));
    await writes.linkProject({ slug: "beacon", repo: "acme/beacon" }, at(50));
    for (let index = 0; index < 30; index++)
      await writes.addDecision({
        ...fields,
        text: `Decision ${index} about ${index % 10 === 3 ? "webhook retries" : "something else"}`,
        valid_from: at(40 - index),
      });
    await writes.addDecision({
      ...fields,
      project: "beacon",
      text: "Webhooks of another project",
      valid_from: at(1),
    });
    for (const index of [1, 2, 3])
      await writes.addDecision({
        ...fields,
        source: "review",
        source_ref: `asset-${index}`,
        text: `Too dark ${index}`,
        valid_from: at(20 - index),
      });
    await writes.setPreference({ ...fields, key: "commit.style", value: "Imperative", valid_from: at(3) });
    await writes.setPreference({
      ...fields,
      project: null,
      key: "language",
      value: "English",
      valid_from: at(3),
    });
    for (const id of ["m-1", "m-2"]) {
      const lanes = id === "m-1" ? ["lane_a"] : ["lane_b"];
      await writes.saveModel({
        id,
        provider: "acme",
        lanes,
        onboarded_at: at(9),
        refreshed_at: at(8),
        guidance_count: 4,
        skill_count: 0,
      });
    }
    for (const [index, issue] of [12, 13, 12, null].entries())
      await writes.append([
        event({
          kind: "run.failed",
          project: "atlas",
          issue,
          summary: `Run ${index} failed`,
          ts: at(5 - index),
          lane: "lane_a",
          tokens_in: 10,
        }),
      ]);
  });
  await consolidate(ctx, ["atlas"]);
}

async function openFilled(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openApp(dialect);
  await fillProject(app);
  return app;
}

describe.each(dialects)("a brief on %s", (dialect) => {
  test("is byte for byte the same for the same data and query, even weeks later", async () => {
    await using app = await openFilled(dialect);
    const query = { intent: "Change the webhook retries, #12", model: "m-2", max_chars: 3_000 };
    const first = await briefOf(app.ctx, query);
    app.clock.advance(45 * dayMicros);
    expect(await briefOf(app.ctx, query)).toEqual(first);
    expect(first.text).not.toMatch(/\bago\b|yesterday|today|stale/);
  });

  test("has its sections in a fixed order, with decisions relevant to the intent before the others", async () => {
    await using app = await openFilled(dialect);
    const { text } = await briefOf(app.ctx, { intent: "Change the retries of webhooks", max_chars: 20_000 });
    expect(sectionTitles(text)).toEqual([
      ...["Project", "Rejected: do not repeat", "Relevant decisions"],
      ...["Preferences", "Models", "Recent failures", "Usage and cost", "Other decisions"],
    ]);
    expect(sectionOf(text, "Project")).toContain(
      "- Check changes with: bun run check\n- Summary: Plans rounds.\n  Of vans.",
    );
    expect(
      [...sectionOf(text, "Relevant decisions").matchAll(/Decision (\d+)/g)].map((match) => Number(match[1])),
    ).toEqual([23, 13, 3]);
    expect(text).not.toContain("another project");
    expect(sectionOf(text, "Models")).toContain("- m-1 (acme): 4 guidance sections, refreshed 2026-02-21");
    expect(text).not.toContain("m-2");
    // A brief for one model names no other, whatever the lanes.
    const forModel = async (model: string) => {
      const { text } = await briefOf(app.ctx, { model, max_chars: 20_000 });
      return text.match(/^- m-\d/gm);
    };
    expect([await forModel("m-2"), await forModel("m-9")]).toEqual([["- m-2"], null]);
    expect(sectionOf(text, "Usage and cost")).toContain(
      "- 2026-02-27, lane_a: 1 run, 1 failed, 10 tokens in",
    );
  });

  test("shows all decisions, newest first, after the rejections if there is no intent", async () => {
    await using app = await openFilled(dialect);
    const { text } = await briefOf(app.ctx, { max_chars: 20_000 });
    expect(sectionTitles(text).slice(0, 3)).toEqual([
      "Project",
      "Rejected: do not repeat",
      "Relevant decisions",
    ]);
    const order = [...text.matchAll(/Decision (\d+) about/g)].map((match) => Number(match[1]));
    expect(order).toEqual(Array.from({ length: 30 }, (_, index) => 29 - index));
    expect([...text.matchAll(/Too dark (\d)/g)].map((match) => match[1])).toEqual(["3", "2", "1"]);
  });

  test("finds decisions relevant to the intent, however old they are", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const fields = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe" };
    const old = "Walruses are drawn from the left";
    await writeInBatches(app.ctx.data, 521, (writes, index) =>
      writes.addDecision({ ...fields, text: index === 0 ? old : `Rule ${index}`, valid_from: 1 + index }),
    );
    expect(
      sectionOf((await briefOf(app.ctx, { intent: "Draw a walrus" })).text, "Relevant decisions"),
    ).toContain(old);
  });

  test("has decisions older than all the rejections that it reads", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const fields = { project: "atlas", source_ref: null, actor: "human:zoe" };
    await writeInBatches(app.ctx.data, 501, (writes, valid_from) => {
      const [source, text] = valid_from === 0 ? ["cli", "Vans leave at six"] : ["review", "Too dark"];
      return writes.addDecision({ ...fields, source, text, valid_from });
    });
    expect((await briefOf(app.ctx, {})).text).toContain("Vans leave at six");
  });

  test("puts failures of the issue first, whether it is passed as a number or mentioned in the intent", async () => {
    await using app = await openFilled(dialect);
    for (const fields of [{ issue: 12 }, { intent: "Mend it (#12)" }]) {
      const { text } = await briefOf(app.ctx, fields);
      expect(
        [...sectionOf(text, "Recent failures").matchAll(/Run (\d) failed/g)].map((match) => match[1]),
      ).toEqual(["2", "0", "3", "1"]);
    }
  });

  test("has the failures of runs behind many newer ones of pipelines", async () => {
    await using app = await openFilled(dialect);
    const failed = Array.from({ length: 12 }, (_, at) =>
      event({
        kind: "run.failed",
        project: "atlas",
        run_id: `github-actions/${at}/1`,
        summary: `CI #${at}: failure`,
      }),
    );
    await app.ctx.data.append(failed);
    const { text } = await briefOf(app.ctx);
    expect(
      [...sectionOf(text, "Recent failures").matchAll(/: (\w+ #?\d+)/g)].map(([, what]) => what),
    ).toEqual(["Run 3", "Run 2", "Run 1", "Run 0"]);
  });

  test("fits any length, never splits an entry, and says what it omitted and how to fetch it", async () => {
    await using app = await openFilled(dialect);
    const full = await briefOf(app.ctx, { intent: "webhook retries", max_chars: 100_000 });
    expect(full.left_out).toEqual([]);
    const lines = new Set(full.text.replaceAll(/<\/?data-[^>]*>/g, "").split("\n"));
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    const all = sum(Object.values(full.included));
    const toolNames = new Set(toolOperations.map(({ tool }) => tool.name));
    let before = 0;
    for (let max_chars = 500; max_chars < full.chars + 200; max_chars += 97) {
      const { text, chars, included, left_out } = await briefOf(app.ctx, {
        intent: "webhook retries",
        max_chars,
      });
      expect(chars).toBe(text.length);
      expect(chars).toBeLessThanOrEqual(max_chars);
      const body = must(text.split("\n\nOmitted to fit max_chars")[0]);
      expect(
        body
          .replaceAll(/<\/?data-[^>]*>/g, "")
          .split("\n")
          .filter((line) => !lines.has(line)),
      ).toEqual([]);
      const includedCount = sum(Object.values(included));
      expect(includedCount + sum(left_out.map(({ count }) => count))).toBe(all);
      expect(text.includes("Omitted to fit max_chars")).toBe(includedCount < all);
      for (const { fetch } of left_out) expect(toolNames.has(must(fetch.split(" ")[0]))).toBe(true);
      expect(included.Project).toBeGreaterThan(0);
      before = Math.max(before, includedCount);
    }
    expect(before).toBe(all);
  });

  test("requires a project that the caller may see", async () => {
    await using app = await openFilled(dialect);
    expect((await briefOf(app.ctx, {}, { projects: ["atlas"] })).project).toBe("atlas");
    await expect(briefOf(app.ctx, {}, { projects: ["beacon"] })).rejects.toMatchObject({ status: 404 });
    await expect(briefOf(app.ctx, { project: "nope" })).rejects.toMatchObject({ status: 404 });
  });
});

describe("fitting a text to its budget", () => {
  const part = (title: string, entries: Section["entries"], share = 1) => ({
    title,
    entries,
    budgetShare: share,
    fetch: "svc_recall",
  });

  test("gives every section its share before the first sections take what is left", () => {
    const long = Array.from({ length: 50 }, (_, index) => `- first ${index}`);
    const { included } = fitToBudget(
      "head",
      [part("A", long, 0.4), part("B", ["- second"], 0.2), part("C", ["- third"], 0)],
      500,
    );
    expect(included).toEqual({ A: expect.any(Number), B: 1, C: 0 });
    expect(included.A).toBeGreaterThan(20);
  });

  test("skips an entry that is too long for the remaining space", () => {
    const { text, left_out } = fitToBudget(
      "head",
      [part("A", ["- one", `- ${"x".repeat(900)}`, "- two"])],
      500,
    );
    expect(text).toContain("## A\n- one\n- two");
    expect(left_out).toEqual([{ part: "A", count: 1, fetch: "svc_recall" }]);
  });

  test("renders an entry of a long list only where it has room", () => {
    const rendered = new Set<number>();
    const late = Array.from({ length: 500 }, (_, at) => ({
      lengthMin: 50,
      full: () => {
        rendered.add(at);
        return "x".repeat(50);
      },
    }));
    const { included } = fitToBudget("head", [part("A", late)], 1_000);
    expect(included.A).toBe(rendered.size);
    expect(rendered.size).toBeGreaterThan(10);
  });

  test("expects no entry to be longer than it is", () => {
    const enclose = dataTagger("a secret");
    const asset = { id: "01K0", title: "A \u202elogo", version: 2, status: "rejected", issue: 7 } as const;
    const row = { id: 12, project: "atlas", valid_from: 1, source: "review", stops: 0, checks: null };
    const more = { run_id: null, standing: "confirmed", source_ref: "01K0" } as const;
    for (const actor of ["human:zoe", "human:z\u200bo"])
      for (const text of ["", "Plain", "Two\nlines, and a \u0007bell"]) {
        const decision = { ...row, ...more, actor, text };
        for (const entry of [
          decisionEntry(decision, enclose, 13),
          rejectionEntry({ ...decision, asset: null }, enclose),
          rejectionEntry({ ...decision, asset: { ...asset, task: null, pr: null } }, enclose, 13),
        ])
          expect(entry.full().length).toBeGreaterThanOrEqual(entry.lengthMin);
      }
  });
});
