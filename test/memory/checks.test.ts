/** The checks of decisions: what a person saves, what an agent proposes, and what is counted. */
import { describe, expect, test } from "bun:test";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { roles } from "../../src/core/auth/scopes.ts";
import { listProjectChecks, recordStop, setChecks } from "../../src/memory/checks/checks.ts";
import { ruleText } from "../../src/memory/checks/rule-text.ts";
import type { CheckRule } from "../../src/memory/checks/schema.ts";
import { listDecisions } from "../../src/memory/decision-history.ts";
import { recordCallerDecision } from "../../src/memory/decisions.ts";
import { confirmDecision, dropDecision } from "../../src/memory/proposals.ts";
import { dialects, must } from "../support/harness.ts";
import { eventsOf, openMemory } from "../support/memory/memory.ts";

type MemoryApp = Awaited<ReturnType<typeof openMemory>>;

const caller = (name: string, role: "agent" | "admin"): Caller => ({
  ...adminCaller,
  name,
  scopes: new Set(roles[role].scopes),
});
const [agent, lead] = [caller("codex", "agent"), caller("lead", "admin")];
const noRed: CheckRule = { kind: "forbid", text: "#FF0000", paths: ["**/*.css"] };
const noPublish: CheckRule = { kind: "command", text: "npm publish" };

const decide = ({ ctx }: MemoryApp, text: string, by: Caller, fields = {}) =>
  recordCallerDecision(ctx, { project: "atlas", text, ...fields }, by);
const inForce = async ({ ctx }: MemoryApp) =>
  (await listProjectChecks(ctx, { slug: "atlas" }, agent)).checks.map(({ decision, rule }) => [
    decision,
    ruleText(rule),
  ]);

describe.each(dialects)("a check on %s", (dialect) => {
  test("of a person applies at once; one of an agent is proposed, and does nothing until a person saves it", async () => {
    await using app = await openMemory(dialect);
    const own = await decide(app, "No pure red", lead, { checks: [noRed] });
    expect(own.checks).toEqual([{ ...noRed, standing: "confirmed", actor: "bot:lead" }]);
    const proposed = await decide(app, "Releases are made in CI", agent, { checks: [noPublish] });
    expect(proposed.checks).toEqual([{ ...noPublish, standing: "proposed", actor: "bot:codex" }]);
    await confirmDecision(app.ctx, { id: proposed.id }, lead);
    expect(await inForce(app)).toEqual([[own.id, 'no "#FF0000" in **/*.css']]);
    await setChecks(app.ctx, { id: proposed.id, checks: [noPublish] }, lead);
    expect((await inForce(app))[0]).toEqual([proposed.id, 'do not run "npm publish"']);
  });

  test("of a decision that is proposed, retired, or replaced is not given to programs", async () => {
    await using app = await openMemory(dialect);
    const proposed = await decide(app, "Use globes", agent);
    await setChecks(app.ctx, { id: proposed.id, checks: [noRed] }, lead);
    const old = await decide(app, "Use maps", lead, { checks: [noRed] });
    await decide(app, "Use pins", lead, { supersedes: old.id });
    expect(await inForce(app)).toEqual([]);
    const refusal = await setChecks(app.ctx, { id: old.id, checks: [] }, lead).catch((error) => error.status);
    expect(refusal).toBe(409);
  });

  test("comes back with the decision that an agent replaced, once that is dropped", async () => {
    await using app = await openMemory(dialect);
    const old = await decide(app, "Use maps", lead, { checks: [noRed] });
    await recordStop(app.ctx, { id: old.id, key: "1" }, agent);
    const { id } = await decide(app, "Use globes", agent, { supersedes: old.id });
    await dropDecision(app.ctx, { id }, lead);
    const { decisions } = await listDecisions(app.ctx, { project: "atlas" }, lead);
    expect(decisions).toMatchObject([{ text: "Use maps", checks: [noRed], stops: 1 }]);
  });

  test("that stopped something is counted once for each key, and is an event", async () => {
    await using app = await openMemory(dialect);
    const { id } = await decide(app, "No pure red", lead, { checks: [noRed] });
    const stop = (key: string) => recordStop(app.ctx, { id, key, by: "agent:codex", run_id: "run-1" }, agent);
    expect([await stop("a"), await stop("a"), await stop("b")].map(({ stops }) => stops)).toEqual([1, 1, 2]);
    const [event] = (await eventsOf(app.ctx, "check.stopped")).toReversed();
    expect(must(event)).toMatchObject({
      ...{ actor: "agent:codex", run_id: "run-1" },
      summary: `Stopped by decision ${id}: No pure red`,
    });
  });

  test("that says nothing, too much, or is no RE2 is refused with the reason", async () => {
    await using app = await openMemory(dialect);
    const reasonOf = (rule: CheckRule) =>
      decide(app, "Words", lead, { checks: [rule] }).catch((error) => error.detail);
    expect(await reasonOf({ kind: "forbid" })).toBe("A check of kind forbid needs text or pattern.");
    expect(await reasonOf({ kind: "command", text: "a", run: "b" })).toBe(
      "A check of kind command has no run.",
    );
    expect(await reasonOf({ kind: "forbid", text: "a", pattern: "b" })).toContain("either text or pattern");
    expect(await reasonOf({ kind: "forbid", pattern: "(?=a)" })).toContain("is not RE2 syntax");
    expect(await reasonOf({ kind: "forbid", pattern: "a*" })).toContain("matches every text");
    expect(await reasonOf({ kind: "run", run: " " })).toContain("is blank");
  });
});
