/** Rejections are found by what their asset says of itself. */
import { describe, expect, test } from "bun:test";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { recall } from "../../src/memory/recall/recall.ts";
import { dialects, must } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";
import { briefOf } from "../support/memory/brief.ts";

describe.each(dialects)("a rejection on %s", (dialect) => {
  test("is found by title, description, tags and issue of its asset, and is relevant to an intent that mentions them", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { ctx } = library;
    const fields = {
      title: "Hero picture, take 15",
      description: "For the landing page",
      tags: "spring-sale",
      issue: "4711",
    };
    const id = must((await library.upload({ project: "atlas", ...fields })).body.id);
    const other = must((await library.upload({ project: "atlas", title: "Icon" })).body.id);
    expect((await library.review(id, { decision: "rejected", note: "Too dark" })).status).toBe(200);
    expect((await library.review(other, { decision: "rejected", note: "Points the wrong way" })).status).toBe(
      200,
    );
    for (const caller of [adminCaller, { projects: ["atlas"] }])
      for (const query of [
        "third attempt at the hero picture",
        "landing page",
        "spring sale",
        "#4711",
        "dark",
      ]) {
        const { hits } = await recall(ctx, { query, kinds: ["review"] }, caller);
        expect(hits.map(({ text, heading }) => [text, heading])).toEqual([
          ["Too dark", "Hero picture, take 15"],
        ]);
      }
    const { text } = await briefOf(ctx, { intent: "Third attempt at the hero picture" });
    expect(text.indexOf("Too dark")).toBeLessThan(text.indexOf("Points the wrong way"));
    await ctx.data.rebuildDerivedRows(["index"]);
    expect((await recall(ctx, { query: "hero", kinds: ["review"] }, adminCaller)).count).toBe(1);
    expect(await ctx.data.findInconsistencies()).toEqual([]);
  });
});
