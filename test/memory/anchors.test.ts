/** Decisions keep what they speak of in the repository, and briefs name it. */
import { describe, expect, test } from "bun:test";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { roles } from "../../src/core/auth/scopes.ts";
import { recordCallerDecision } from "../../src/memory/decisions.ts";
import { dropDecision } from "../../src/memory/proposals.ts";
import { brief } from "../../src/overview/brief/brief.ts";
import { getDecision } from "../../src/overview/memory/decision-detail.ts";
import { dialects } from "../support/harness.ts";
import { openMemory } from "../support/memory/memory.ts";

describe.each(dialects)("a decision on %s", (dialect) => {
  test("keeps the files and symbols that it speaks of, which briefs name while they carry it", async () => {
    await using app = await openMemory(dialect);
    const record = (text: string, fields = {}) =>
      recordCallerDecision(app.ctx, { project: "atlas", text, ...fields }, adminCaller);
    const blob = "9daeafb9864cf43055ae93beb0afd6c7d144bfa4";
    const { id } = await record("Round once.", {
      anchors: [{ path: "src/price.ts", symbol: "round", blob }],
    });
    const later = await record("Maps are SVG.");
    const anchors = async () => (await brief(app.ctx, { project: "atlas" }, adminCaller)).anchors;
    const since = "2026-03-01T12:00:00.000000Z";
    const price = { decision: id, path: "src/price.ts", symbol: "round", blob, since };
    expect(await anchors()).toEqual([price]);
    expect((await record("Maps are SVG.", { anchors: [{ path: "maps" }] })).added).toBe(false);
    const maps = { decision: later.id, path: "maps", symbol: null, blob: null, since };
    expect(await anchors()).toEqual([maps, price]);
    expect((await getDecision(app.ctx, later.id, adminCaller)).anchors).toEqual([maps]);
    const agent: Caller = { ...adminCaller, name: "codex", scopes: new Set(roles.agent.scopes) };
    const input = { project: "atlas", text: "Maps are PDF.", supersedes: later.id };
    const proposed = await recordCallerDecision(app.ctx, input, agent);
    expect(await anchors()).toEqual([price]);
    await dropDecision(app.ctx, { id: proposed.id }, adminCaller);
    expect((await anchors()).map(({ path }) => path)).toEqual(["maps", "src/price.ts"]);
  });
});
