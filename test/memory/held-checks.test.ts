/** Checks of a decision that a person confirmed apply until a person confirms that it ended. */
import { describe, expect, test } from "bun:test";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { roles } from "../../src/core/auth/scopes.ts";
import { listProjectChecks } from "../../src/memory/checks/checks.ts";
import { recordCallerDecision, retireDecision } from "../../src/memory/decisions.ts";
import { confirmDecision, dropDecision } from "../../src/memory/proposals.ts";
import { loadInbox } from "../../src/overview/inbox/inbox.ts";
import { getDecision } from "../../src/overview/memory/decision-detail.ts";
import { dialects } from "../support/harness.ts";
import { openMemory } from "../support/memory/memory.ts";

const caller = (name: string, role: "agent" | "reviewer" | "admin"): Caller => ({
  ...adminCaller,
  name,
  scopes: new Set(roles[role].scopes),
});
const agent = caller("codex", "agent");
const mara = caller("mara", "reviewer");
const lead = caller("lead", "admin");

async function openDecided(dialect: (typeof dialects)[number]) {
  const app = await openMemory(dialect);
  const { ctx } = app;
  const decide = (text: string, by: Caller, fields = {}) =>
    recordCallerDecision(ctx, { project: "atlas", text, ...fields }, by);
  const checks = [{ kind: "forbid" as const, text: "#FF0000" }];
  const red = await decide("No pure red", lead, { checks });
  return {
    ctx,
    decide,
    red: red.id,
    inForce: async () =>
      (await listProjectChecks(ctx, { slug: "atlas" }, agent)).checks.map(({ decision }) => decision),
    waiting: async () =>
      (await loadInbox(ctx, {}, mara)).items
        .filter(({ reason }) => reason.startsWith("decision_"))
        .map(({ id }) => id),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

describe.each(dialects)("a confirmed decision with checks on %s", (dialect) => {
  test("replaced by agents keeps its checks until a person confirms the last of their decisions", async () => {
    await using app = await openDecided(dialect);
    const { decide, red } = app;
    const first = await decide("Some red", agent, { supersedes: red });
    expect(first.advice).toContain(`The checks of decision ${red} apply until a person confirms yours.`);
    const second = await decide("Much red", agent, { supersedes: first.id });
    expect([await app.inForce(), await app.waiting()]).toEqual([[red], [`decision-${second.id}`]]);
    expect((await getDecision(app.ctx, red, mara)).are_checks_held).toBe(true);
    expect(confirmDecision(app.ctx, { id: red }, mara)).rejects.toThrow(`decision ${second.id}`);
    await confirmDecision(app.ctx, { id: second.id }, mara);
    expect([await app.inForce(), await app.waiting()]).toEqual([[], []]);
    expect((await getDecision(app.ctx, red, mara)).are_checks_held).toBe(false);
  });

  test("is back with its checks once a person drops what an agent put in its place", async () => {
    await using app = await openDecided(dialect);
    const { id } = await app.decide("Some red", agent, { supersedes: app.red });
    await dropDecision(app.ctx, { id }, mara);
    const [restored, ...more] = await app.inForce();
    expect([more, restored !== app.red, await app.waiting()]).toEqual([[], true, []]);
    expect(await getDecision(app.ctx, Number(restored), mara)).toMatchObject({ text: "No pure red" });
  });

  test("retired by an agent waits for a person, who confirms that or restores it", async () => {
    await using app = await openDecided(dialect);
    const { advice } = await retireDecision(app.ctx, { id: app.red }, agent);
    expect(advice).toBe("Its checks still apply until a person confirms on Today that it ended.");
    expect([await app.inForce(), await app.waiting()]).toEqual([[app.red], [`ended-${app.red}`]]);
    expect(await dropDecision(app.ctx, { id: app.red }, mara)).toMatchObject({ standing: "confirmed" });
    const [again = 0] = await app.inForce();
    expect([again !== app.red, await app.waiting()]).toEqual([true, []]);
    await retireDecision(app.ctx, { id: again }, agent);
    await confirmDecision(app.ctx, { id: again }, mara);
    expect([await app.inForce(), await app.waiting()]).toEqual([[], []]);
    expect(confirmDecision(app.ctx, { id: again }, mara)).rejects.toThrow("not current");
  });

  test("ends with its checks when a person replaces or retires it, or what replaced it", async () => {
    await using app = await openDecided(dialect);
    const { decide } = app;
    const { id } = await decide("Some red", agent, { supersedes: app.red });
    await decide("No red at all", lead, { supersedes: id });
    expect(await app.inForce()).toEqual([]);
    const checks = [{ kind: "command" as const, text: "npm publish" }];
    const other = await decide("Never publish by hand", lead, { checks });
    expect((await retireDecision(app.ctx, { id: other.id }, lead)).advice).toBeNull();
    expect([await app.inForce(), await app.waiting()]).toEqual([[], []]);
  });
});
