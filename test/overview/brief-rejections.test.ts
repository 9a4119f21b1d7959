/** Rejections come first in a brief, as what reviewers wrote is not to be repeated. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ReviewWait } from "../../src/library/review-requests/wait-schema.ts";
import type { DecisionRecord } from "../../src/memory/list-schemas.ts";
import type { Decided } from "../../src/memory/schema.ts";
import { dialects, link, must, oneDialect, openApp, scaled, writeInBatches } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";
import { briefOf, sectionOf, sectionTitles } from "../support/memory/brief.ts";

describe.each(dialects)("the feedback loop on %s", (dialect) => {
  test("the note of a rejection comes first in the brief until the asset is approved", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { ctx } = library;
    const upload = async (issue: number, title: string) =>
      must((await library.upload({ project: "atlas", issue: String(issue), title })).body.id);
    const [banner, other] = [await upload(12, "Banner"), await upload(13, "Icon")];
    for (let index = 0; index < 80; index++) {
      const fields = {
        project: "atlas",
        source: "cli",
        source_ref: null,
        actor: "human:zoe",
        valid_from: library.clock.now(),
      };
      await ctx.data.atomically((writes) =>
        writes.addDecision({
          ...fields,
          text: `The banner of issue 12, rule ${index}: ${"word ".repeat(20)}`,
        }),
      );
    }
    library.clock.advance(1_000_000);
    expect((await library.review(other, { decision: "rejected", note: "Points the wrong way" })).status).toBe(
      200,
    );
    expect(
      (
        await library.review(banner, {
          decision: "rejected",
          note: "Shows last year's logo",
          by: "human:maria",
        })
      ).status,
    ).toBe(200);

    const query = { intent: "Make the banner again", issue: 12, max_chars: 4_000 };
    const { text } = await briefOf(ctx, query);
    expect(sectionTitles(text)[0]).toBe("Rejected for issue 12: do not repeat");
    const first = sectionOf(text, "Rejected for issue 12: do not repeat");
    expect(first).toMatch(
      new RegExp(
        `^- ....-..-.., asset ${banner}, issue 12, not replaced yet: <data-[0-9a-f]{16} by="human:maria">Banner, version 1: Shows last year's logo<`,
        "m",
      ),
    );
    expect(first).not.toContain("Points the wrong way");
    expect((await briefOf(ctx, { issue: 12, max_chars: 500 })).text).toContain("Shows last year's logo");
    const full = (await briefOf(ctx, { issue: 12, max_chars: 100_000 })).text;
    for (const note of ["Points the wrong way", "Shows last year's logo"])
      expect(full.split(note).length).toBe(2);

    const openLine = new RegExp(`asset ${other}[^<\\n]*, not replaced yet: <`);
    expect(full).toMatch(openLine);
    await library.upload({ project: "atlas", replaces: other });
    expect((await briefOf(ctx, { max_chars: 100_000 })).text).not.toMatch(openLine);

    expect((await library.review(banner, { decision: "approved", note: "Now it is right" })).status).toBe(
      200,
    );
    expect((await briefOf(ctx, query)).text).not.toContain("last year's logo");
  });

  test("reviewers change the words that a rejection has in briefs, and nothing else of it", async () => {
    await using library = await openLibrary(dialect, "disk");
    const title = "Banner";
    const { id } = (await library.upload({ project: "atlas", issue: "12", title })).body;
    const note = "Too dark";
    await library.review(id, { decision: "rejected", note });
    library.clock.advance(1_000_000);
    const decisionOf = async () =>
      must((await library.say<ReviewWait>(`/assets/${id}/review`)).body.items[0]);
    const { decision_id: first } = await decisionOf();
    const reword = (decision: number | null, text: string) =>
      library.say<DecisionRecord>(`/decisions/${decision}/reword`, { method: "POST", json: { text } });
    const reworded = await reword(first, "Nothing on the banner goes below 4.5:1");
    expect([reworded.status, reworded.body]).toEqual([
      200,
      expect.objectContaining({ source: "review", source_ref: id, supersedes: first, valid_until: null }),
    ]);
    const { text } = await briefOf(library.ctx, { issue: 12 });
    const rejected = sectionOf(text, "Rejected for issue 12: do not repeat");
    expect([rejected.includes("below 4.5:1"), text.includes(note)]).toEqual([true, false]);
    expect(await decisionOf()).toMatchObject({ decision_id: reworded.body.id, note });
    expect((await reword(reworded.body.id, "Nothing on the banner goes below 4.5:1")).body.id).toBe(
      reworded.body.id,
    );
    expect((await reword(first, "Lighter")).status).toBe(409);
    const plain = await library.say<Decided>("/decisions", {
      json: { project: "atlas", text: "Maps are drawn for paper" },
    });
    expect((await reword(plain.body.id, "Lighter")).status).toBe(400);
    // The same review again, as after a lost response, brings the first words not back.
    await library.review(id, { decision: "rejected", note });
    expect((await briefOf(library.ctx, { issue: 12 })).text).not.toContain(note);
    await library.review(id, { decision: "approved" });
    expect((await briefOf(library.ctx, { issue: 12 })).text).not.toContain("below 4.5:1");
  });

  test("the brief lists open reviews", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { id } = (await library.upload({ project: "atlas", issue: "12", title: "Banner" })).body;
    expect(sectionOf((await briefOf(library.ctx)).text, "Open reviews")).toContain(
      `asset ${id} (file, version 1, issue 12), by token:tester: Banner`,
    );
  });
});

describe.each(dialects)("rejections in a brief on %s", (dialect) => {
  const fields = { project: "atlas", source_ref: null, actor: "human:zoe" };
  const rejection = (note: string, valid_from: number, more: object = {}) => ({
    ...fields,
    source: "review",
    text: note,
    valid_from,
    ...more,
  });

  test("the newest one is in every brief, whatever the intent and length, and no brief is too long", async () => {
    const word = fc.constantFrom("banner", "harbor", "tide", "pale", "logo", "route", "map", "\u202e", "𝓦𝓪𝓵");
    const text = fc.array(word, { minLength: 1, maxLength: 400 }).map((words) => words.join(" "));
    const projects = fc.record({
      ...{
        rules: fc.integer({ min: 0, max: 40 }),
        rejections: fc.array(text, { minLength: 1, maxLength: 12 }),
        summary: text,
      },
      ...{
        repo: fc.constantFrom("acme/atlas", `acme/${"a".repeat(90)}`),
        actor: fc.constantFrom("human:zoe", `human:${"\u200b".repeat(40)}`),
      },
      asks: fc.array(fc.record({ intent: text, max_chars: fc.integer({ min: 500, max: 50_000 }) }), {
        minLength: 3,
        maxLength: 3,
      }),
    });
    await using app = await openApp(dialect);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(projects, async ({ rules, rejections, summary, repo, actor, asks }) => {
        const project = `p${count++}`;
        await app.ctx.data.atomically(async (writes) => {
          await writes.linkProject(
            { slug: project, repo: `${repo}${count}`, summary, check_cmd: "bun run check" },
            1,
          );
          for (let index = 0; index < rules; index++)
            await writes.addDecision({
              ...fields,
              project,
              source: "cli",
              text: `Rule ${index} of the banner`,
              valid_from: 100 + index,
            });
          for (const [index, note] of rejections.entries())
            await writes.addDecision(
              rejection(note, index, { project, actor, source_ref: `${project}-${index}-` }),
            );
        });
        for (const { intent, max_chars } of [...asks, { intent: "banner", max_chars: 500 }]) {
          const { text } = await briefOf(app.ctx, { project, intent, max_chars });
          expect(text.length).toBeLessThanOrEqual(max_chars);
          expect(text).toContain(`asset ${project}-${rejections.length - 1}-`);
        }
      }),
      // What a brief leaves out is a rule above SQL.
      { numRuns: scaled(dialect === "sqlite" ? 20 : 4, 300) },
    );
  });

  test("the newest of 15 stands before all 300 decisions, in 2,000 and 8,000 characters, for any intent", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    await writeInBatches(app.ctx.data, 300, (writes, index) =>
      writes.addDecision({
        ...fields,
        source: "cli",
        text: `Rule ${index} about the login form`,
        valid_from: 1_000 + index,
      }),
    );
    await writeInBatches(app.ctx.data, 15, (writes, index) =>
      writes.addDecision(
        rejection(`The tint ${index} is wrong. ${"It was agreed otherwise. ".repeat(30)}`, index),
      ),
    );
    for (const max_chars of [2_000, 8_000])
      for (const intent of ["", "Change the login form", "Translate the footer", "oven"]) {
        const { text } = await briefOf(app.ctx, { intent, max_chars });
        expect(text).toContain("The tint 14 is wrong.");
        expect(text.indexOf("The tint 14")).toBeLessThan(
          text.includes("Rule") ? text.indexOf("Rule") : text.length,
        );
      }
  });

  test("relevant ones come before the others, and all of them before other decisions", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    await app.ctx.data.atomically(async (writes) => {
      for (const [index, note] of [
        "The harbor is too dark",
        "The tide is missing",
        "Points the wrong way",
      ].entries())
        await writes.addDecision(rejection(note, index + 1));
      await writes.addDecision({
        ...fields,
        source: "cli",
        text: "The harbor is drawn at night",
        valid_from: 9,
      });
    });
    const { text } = await briefOf(app.ctx, { intent: "Draw the harbor" });
    const places = [
      "The harbor is too dark",
      "Points the wrong way",
      "The tide is missing",
      "drawn at night",
    ].map((one) => text.indexOf(one));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  test("a long note is truncated if space is short, and says where the full note is", async () => {
    await using library = await openLibrary(dialect, "disk");
    const id = must((await library.upload({ project: "atlas", title: "Banner" })).body.id);
    const note = `Shows the old logo. ${"The new one was agreed in May. ".repeat(100)}`;
    expect((await library.review(id, { decision: "rejected", note })).status).toBe(200);
    const { text, included } = await briefOf(library.ctx, { max_chars: 1_000 });
    expect(included["Rejected: do not repeat"]).toBe(1);
    expect(text).toContain("Banner, version 1: Shows the old logo. The new one");
    expect(text).toMatch(/…<\/data-[0-9a-f]{16}> \(truncated; full note: svc_asset_get\)$/m);
    expect((await briefOf(library.ctx, { max_chars: 5_000 })).text).toContain(note.trim());
  });
});

describe.each(oneDialect)("the newest rejection on %s", (dialect) => {
  test("is whole in a brief wherever it fits, whatever the share of its section, and next that of the issue", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { ctx, clock } = library;
    const noteOf = (about: string, length: number) =>
      `${about} ${"is wrong ".repeat(500)}`.slice(0, length).trim();
    const reject = async (issue: number, note: string) => {
      clock.advance(1_000_000);
      const { id } = (await library.upload({ project: "atlas", issue: String(issue), title: "Banner" })).body;
      expect((await library.review(must(id), { decision: "rejected", note })).status).toBe(200);
    };
    await writeInBatches(ctx.data, 100, (writes, index) =>
      writes.addDecision({
        project: "atlas",
        source: "cli",
        source_ref: null,
        actor: "human:zoe",
        text: `Rule ${index} about the banner: ${"word ".repeat(20)}`,
        valid_from: 100 + index,
      }),
    );
    const [ofIssue, newest] = [noteOf("The tint", 2_900), noteOf("The logo", 3_523)];
    await reject(13, noteOf("The route", 2_000));
    await reject(12, ofIssue);
    await reject(13, noteOf("The tide", 2_000));
    await reject(14, newest);
    for (const issue of [12, 14, undefined])
      for (const intent of ["", "Draw the banner", "oven"])
        for (const max_chars of [4_000, 4_500, 6_000, 8_000, 20_000]) {
          const query = { intent, max_chars, ...(issue && { issue }) };
          const { text } = await briefOf(ctx, query);
          expect(text.length).toBeLessThanOrEqual(max_chars);
          expect(text).toContain(newest);
          if (issue === 12 && max_chars >= 8_000) expect(text).toContain(ofIssue);
        }
  });
});
