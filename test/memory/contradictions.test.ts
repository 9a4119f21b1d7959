/** A decision answers with the current ones that say the opposite. */
import { describe, expect, test } from "bun:test";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { roles } from "../../src/core/auth/scopes.ts";
import { contradicts } from "../../src/memory/contradictions/contradiction.ts";
import { findContradicted } from "../../src/memory/contradictions/find.ts";
import { recordCallerDecision, recordDecision, retireDecision } from "../../src/memory/decisions.ts";
import { brief } from "../../src/overview/brief/brief.ts";
import { getDecision } from "../../src/overview/memory/decision-detail.ts";
import { dialects } from "../support/harness.ts";
import { openMemory } from "../support/memory/memory.ts";
import { pairsOf, shareFound } from "./contradictions/set.ts";

type MemoryApp = Awaited<ReturnType<typeof openMemory>>;
const lead: Caller = { ...adminCaller, name: "lead", scopes: new Set(roles.admin.scopes) };
const decide = ({ ctx }: MemoryApp, text: string, fields = {}, caller = lead) =>
  recordCallerDecision(ctx, { project: "atlas", text, ...fields }, caller);
const review = ({ ctx }: MemoryApp, text: string, asset: string) =>
  ctx.data.atomically((writes) =>
    recordDecision(
      writes,
      { project: "atlas", text, source: "review", source_ref: asset },
      "human:mara",
      ctx.now(),
    ),
  );

test("contradictions are found in most pairs that have one, and in few that agree", async () => {
  const [opposite, agreeing] = [await pairsOf("opposite"), await pairsOf("agreeing")];
  const heldOut = ({ isHeldOut }: { isHeldOut: boolean }) => isHeldOut;
  expect(shareFound(opposite)).toBeGreaterThan(0.92);
  expect(shareFound(opposite.filter(heldOut))).toBeGreaterThan(0.85);
  expect(shareFound(agreeing)).toBeLessThan(0.02);
  expect(shareFound(agreeing.filter(heldOut))).toBeLessThan(0.07);
  const of = (pairs: typeof opposite, name: string) =>
    shareFound(pairs.filter(({ voice }) => voice === name));
  expect(of(opposite, "cases")).toBeGreaterThanOrEqual(0.9);
  expect([of(agreeing, "cases"), of(agreeing, "later")]).toEqual([
    expect.closeTo(0, 1),
    expect.closeTo(0, 1),
  ]);
  const teams = await pairsOf("teams");
  expect(of(teams, "opposite")).toBeGreaterThan(0.7);
  expect(of(teams, "agreeing")).toBeLessThan(0.05);
  const german = await pairsOf("german");
  expect([of(german, "opposite"), of(german, "agreeing")]).toEqual([0.5, 0]);
});

test("a contradiction names what differs; a text in another language, or of nothing, has none", () => {
  expect(contradicts("Make the buttons blue.", "Buttons are green.")).toEqual({
    here: "blue",
    there: "green",
  });
  expect(contradicts("Retry at most 5 times.", "Retry at most 3 times.")).toEqual({ here: "5", there: "3" });
  expect(contradicts("Never deploy on Fridays.", "Friday deploys are fine.")).toEqual({
    here: null,
    there: null,
  });
  for (const text of [
    "",
    "…",
    "不要在周五部署。",
    "Nie am Freitag ausliefern.",
    "a".repeat(4096),
    "( ".repeat(2000),
  ])
    expect(contradicts(text, "Deploy on Fridays.")).toBeNull();
});

describe.each(dialects)("a new decision on %s", (dialect) => {
  test("answers with the current ones that say the opposite, and how to replace them", async () => {
    await using app = await openMemory(dialect);
    const tabs = await decide(app, "Use tabs for indentation.");
    await decide(app, "Tests live next to the code.");
    await decide(app, "Indent with spaces.", { project: "beacon" });
    const spaces = await decide(app, "Indent with spaces.");
    expect(spaces.contradicts).toEqual([
      { id: tabs.id, text: tabs.text, actor: tabs.actor, here: "spaces", there: "tabs" },
    ]);
    expect(spaces.advice).toContain(`#${tabs.id} says the opposite`);
    const again = await decide(app, "Indent with spaces.", { supersedes: tabs.id });
    expect([again.added, again.contradicts, again.advice]).toEqual([false, [], null]);
    expect((await decide(app, "Use tabs for indentation.", { supersedes: spaces.id })).contradicts).toEqual(
      [],
    );
  });

  test("is shown with the older one, in briefs too, until one of them ends", async () => {
    await using app = await openMemory(dialect);
    const { id: older } = await decide(app, "Buttons are green.");
    const { id: newer } = await decide(app, "Make the buttons blue.");
    const text = async (intent?: string) =>
      (await brief(app.ctx, { project: "atlas", ...(intent && { intent }) }, lead)).text;
    for (const intent of [undefined, "buttons"]) {
      expect(await text(intent)).toContain(
        `decision ${older} (the newer decision ${newer} says the opposite):`,
      );
      expect(await text(intent)).toContain(`decision ${newer}:`);
    }
    expect((await getDecision(app.ctx, newer, lead)).contradicts.map(({ id }) => id)).toEqual([older]);
    expect((await getDecision(app.ctx, older, lead)).contradicted_by.map(({ id }) => id)).toEqual([newer]);
    await retireDecision(app.ctx, { id: newer }, lead);
    expect(await text()).not.toContain("says the opposite");
    expect((await getDecision(app.ctx, older, lead)).contradicted_by).toEqual([]);
  });

  test("is compared with the notes of rejections, which are not compared with those of other assets", async () => {
    await using app = await openMemory(dialect);
    const { id } = await review(app, "The background must be white.", "01A");
    expect((await review(app, "Use a dark background.", "01B")).contradicts).toEqual([]);
    const found = (await decide(app, "Backgrounds are dark.")).contradicts.map((one) => one.id);
    expect(found).toContain(id);
  });

  test("finds the opposite of frequent words among many, the same for every caller", async () => {
    await using app = await openMemory(dialect);
    const { id } = await decide(app, "Cache entries expire after 5 minutes.");
    await app.ctx.data.atomically(async (writes) => {
      for (let number = 0; number < 400; number++)
        await writes.addDecision({
          ...{ project: "atlas", text: `The cache of part ${number} is measured.`, source: "mcp" },
          ...{ source_ref: null, actor: "human:mara", valid_from: app.ctx.now() },
        });
    });
    const given = { project: "atlas", text: "The cache expires after one hour.", source: "mcp" };
    const found = await findContradicted(app.ctx.data, given);
    expect(found.map(({ decision }) => decision.id)).toEqual([id]);
    const limited = { ...lead, projects: ["atlas"] };
    expect((await decide(app, given.text, {}, limited)).contradicts.map((one) => one.id)).toEqual([id]);
  });
});
