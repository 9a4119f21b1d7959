/** What checkouts report of the files of decisions: those whose files are gone rank lower, and a person is asked. */
import { describe, expect, test } from "bun:test";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { roles } from "../../src/core/auth/scopes.ts";
import { reportAnchors, setAnchors } from "../../src/memory/anchor-reports.ts";
import type { AnchorReport } from "../../src/memory/anchor-schema.ts";
import { recordCallerDecision } from "../../src/memory/decisions.ts";
import { recall } from "../../src/memory/recall/recall.ts";
import { brief } from "../../src/overview/brief/brief.ts";
import { loadInbox } from "../../src/overview/inbox/inbox.ts";
import { getDecision } from "../../src/overview/memory/decision-detail.ts";
import { dialects } from "../support/harness.ts";
import { openMemory } from "../support/memory/memory.ts";

type MemoryApp = Awaited<ReturnType<typeof openMemory>>;

const agent: Caller = { ...adminCaller, name: "codex", scopes: new Set(roles.agent.scopes) };
const blob = "9daeafb9864cf43055ae93beb0afd6c7d144bfa4";
const file = (path: string) => ({ path, blob });

const decide = async ({ ctx }: MemoryApp, text: string, ...paths: string[]) =>
  (await recordCallerDecision(ctx, { project: "atlas", text, anchors: paths.map(file) }, adminCaller)).id;
/** Reports from a commit some minutes after the decisions. */
const report = ({ ctx }: MemoryApp, minute: number, anchors: AnchorReport["anchors"], fields = {}) => {
  const at = new Date(Date.parse("2026-03-01T12:00:00Z") + minute * 60_000).toISOString();
  const repo = "acme/atlas";
  return reportAnchors(
    { ...ctx, now: () => Date.UTC(2026, 3) * 1000 },
    { slug: "atlas", at, repo, anchors, ...fields },
    agent,
  );
};
const lost = (decision: number, path: string) => ({ decision, path, blob: null });
const left = (decision: number, path: string) => ({ decision, path, blob });
const asked = async ({ ctx }: MemoryApp, who = adminCaller) =>
  (await loadInbox(ctx, {}, who)).items.filter(({ reason }) => reason === "files_gone").map(({ id }) => id);
const order = ({ ctx }: MemoryApp, ids: number[]) =>
  brief(ctx, { project: "atlas" }, agent).then(({ text }) =>
    ids.toSorted((a, b) => text.indexOf(`decision ${a}`) - text.indexOf(`decision ${b}`)),
  );

describe.each(dialects)("a decision on %s", (dialect) => {
  test("whose files are all gone comes last in briefs and recall, and is asked about until they are back", async () => {
    await using app = await openMemory(dialect);
    const maps = await decide(app, "Maps are drawn in one pass", "src/maps.ts", "src/legend.ts");
    const pins = await decide(app, "Pins are drawn in two passes", "src/pins.ts");
    const found = async () =>
      (await recall(app.ctx, { query: "drawn", project: "atlas" }, agent)).hits.map(({ id, gone }) => [
        id,
        gone,
      ]);
    expect(await order(app, [pins, maps])).toEqual([pins, maps]);
    expect(await found()).toEqual([
      [pins, false],
      [maps, false],
    ]);
    const half = [left(maps, "src/maps.ts"), lost(maps, "src/legend.ts"), lost(pins, "src/pins.ts")];
    expect(await report(app, 1, half)).toEqual({ taken: 2, gone: [pins] });
    expect(await order(app, [pins, maps])).toEqual([maps, pins]);
    expect(await found()).toEqual([
      [maps, false],
      [pins, true],
    ]);
    expect(await asked(app)).toEqual([`files-gone-${pins}`]);
    expect(await asked(app, agent)).toEqual([]);
    expect((await getDecision(app.ctx, pins, agent)).gone_at).toBe("2026-03-01T12:01:00.000000Z");
    await report(app, 2, [left(pins, "src/pins.ts")]);
    expect(await order(app, [pins, maps])).toEqual([pins, maps]);
    expect(await asked(app)).toEqual([]);
  });

  test("is not judged by an older commit, another repository, a part of its files, or the future", async () => {
    await using app = await openMemory(dialect);
    const maps = await decide(app, "Maps are SVG", "src/maps.ts", "src/legend.ts");
    const gone = [lost(maps, "src/maps.ts"), lost(maps, "src/legend.ts")];
    const none = { taken: 0, gone: [] };
    expect(await report(app, -5, gone)).toEqual(none);
    expect(await report(app, 5, gone.slice(1))).toEqual(none);
    expect(await report(app, 5, gone, { repo: "acme/other" })).toEqual(none);
    expect(await report(app, 5, gone, { repo: null })).toEqual(none);
    expect(await report(app, 60 * 24 * 900, gone)).toEqual(none);
    expect(
      (
        await report(
          app,
          7,
          gone.map((one) => ({ ...one, blob })),
        )
      ).taken,
    ).toBe(1);
    expect(await report(app, 6, gone)).toEqual(none);
    expect(await asked(app)).toEqual([]);
    expect(await report(app, 8, gone)).toEqual({ taken: 1, gone: [maps] });
  });

  test("that a person keeps without files, or with others, is not asked about again", async () => {
    await using app = await openMemory(dialect);
    const maps = await decide(app, "Maps are SVG", "src/maps.ts");
    const pins = await decide(app, "Pins are red", "src/pins.ts");
    await report(app, 1, [lost(maps, "src/maps.ts"), lost(pins, "src/pins.ts")]);
    expect((await asked(app)).toSorted()).toEqual([`files-gone-${maps}`, `files-gone-${pins}`]);
    await setAnchors(app.ctx, { id: maps, anchors: [] }, adminCaller);
    await setAnchors(app.ctx, { id: pins, anchors: [{ path: "src/marks.ts" }] }, adminCaller);
    expect(await asked(app)).toEqual([]);
    await report(app, 2, [lost(maps, "src/maps.ts"), lost(pins, "src/pins.ts")]);
    expect(await asked(app)).toEqual([]);
    const { anchors } = await brief(app.ctx, { project: "atlas" }, agent);
    expect(anchors.map(({ path }) => path)).toEqual(["src/marks.ts"]);
  });

  test("is kept over MCP by a person who records its text again without files; an agent names others", async () => {
    await using app = await openMemory(dialect);
    const pins = await decide(app, "Pins are red", "src/pins.ts");
    await report(app, 1, [lost(pins, "src/pins.ts")]);
    const again = (caller: Caller) =>
      recordCallerDecision(app.ctx, { project: "atlas", text: "Pins are red", anchors: [] }, caller);
    expect([(await again(agent)).id, await asked(app)]).toEqual([pins, [`files-gone-${pins}`]]);
    expect([(await again(adminCaller)).id, await asked(app)]).toEqual([pins, []]);
  });
});
