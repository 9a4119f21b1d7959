/** Whose work events are by the identity that their sender names: an email address, or a login on a forge. */
import { describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { People } from "../../../src/core/people/schema.ts";
import { receiveDelivery } from "../../../src/integrations/incoming-webhooks/receive.ts";
import { dialects, link, openApp, rowsOf } from "../../support/harness.ts";

const step = { kind: "step.usage", actor: "agent:codex", summary: "Step", project: "atlas" };

async function openOwners(dialect: (typeof dialects)[number]) {
  const app = await openApp(dialect);
  await link(app.ctx.data, "atlas");
  const admin = await app.mint(allScopes, { name: "admin" });
  const put = (path: string, json: object) =>
    app.ask(`/api/v1/people${path}`, { token: admin, method: "PUT", json });
  await put("/dana", { team: "maps", link: ["email:dana@example.com", "github:dana-k"] });
  const post = (token: string, ...events: object[]) => app.ask("/api/v1/events", { token, json: { events } });
  const unmapped = async () =>
    ((await (await app.ask("/api/v1/people", { token: admin })).json()) as People).unmapped;
  const owners = async () =>
    (await rowsOf(app.url, "select wire from events order by ts")).map(({ wire }) => {
      const { person = null, team = null } = JSON.parse(String(wire));
      return [person, team];
    });
  return { app, admin, put, post, unmapped, owners, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

describe.each(dialects)("on %s", (dialect) => {
  test("an email address finds its person, unless the token has an owner, and is never stored", async () => {
    await using at = await openOwners(dialect);
    await at.put("/ben", { team: "data" });
    const shared = await at.app.mint(["feed:write"]);
    const owned = await at.app.mint(["feed:write"], { owner: "ben" });
    const ofTeam = await at.app.mint(["feed:write"], { team: "night" });
    const email = "Dana@Example.com";
    for (const token of [shared, owned, ofTeam]) await at.post(token, { ...step, email });
    await at.post(shared, { ...step, email: "eve@example.com" }, step);
    expect(await at.owners()).toEqual([
      ...[
        ["dana", "maps"],
        ["ben", "data"],
        ["dana", "night"],
      ],
      ...[
        [null, null],
        [null, null],
      ],
    ]);
    expect(await at.unmapped()).toMatchObject([{ project: "atlas", identity: null, events: 1 }]);
    const stored = await rowsOf(at.app.url, "select wire, payload from events");
    expect(JSON.stringify(stored)).not.toContain("@");
  });

  test("unmapped identities are only counted, unless their project keeps them until they are mapped", async () => {
    await using at = await openOwners(dialect);
    const token = await at.app.mint(["feed:write"]);
    const report = () => at.post(token, { ...step, email: "eve@example.com" });
    await at.put("", { project: "atlas", keep: true });
    await report();
    await report();
    expect(await at.unmapped()).toMatchObject([{ identity: "email:eve@example.com", events: 2 }]);
    await at.put("/eve", { link: ["email:eve@example.com"] });
    await report();
    expect([await at.unmapped(), (await at.owners()).at(-1)]).toEqual([[], ["eve", null]]);
    await at.post(token, { ...step, email: "yan@example.com" });
    expect(await at.unmapped()).toMatchObject([{ identity: "email:yan@example.com" }]);
    await at.put("", { project: "atlas", keep: false });
    await at.post(token, { ...step, email: "yan@example.com" });
    expect(await at.unmapped()).toMatchObject([{ identity: null, events: 1 }]);
  });

  test("a login on a forge finds its person, and that of a bot none", async () => {
    await using at = await openOwners(dialect);
    const summary = "Issue 7 opened";
    const event = (actor: string) => ({ kind: "issue.opened", actor, summary, issue: 7 }) as const;
    await receiveDelivery(at.app.ctx, {
      sender: "github",
      delivery: { id: null },
      meaning: { repository: null, events: ["human:Dana-K", "bot:dana-k", "human:eve"].map(event) },
      projectOfUrl: "atlas",
    });
    expect(await at.owners()).toEqual([
      ["dana", "maps"],
      [null, null],
      [null, null],
    ]);
  });

  test("telemetry names it as user.email", async () => {
    await using at = await openOwners(dialect);
    const token = await at.app.mint(["feed:write"], { projects: ["atlas"] });
    const attribute = (key: string, value: object) => ({ key, value });
    const record = {
      timeUnixNano: "1767236645000000000",
      body: { stringValue: "claude_code.api_request" },
      attributes: [
        attribute("event.name", { stringValue: "api_request" }),
        attribute("session.id", { stringValue: "session-1" }),
        attribute("model", { stringValue: "claude-sonnet-4-5" }),
        attribute("input_tokens", { intValue: "10" }),
        attribute("output_tokens", { intValue: "5" }),
        attribute("cost_usd", { doubleValue: 0.1 }),
        attribute("user.email", { stringValue: "dana@example.com" }),
      ],
    };
    const scope = { name: "com.anthropic.claude_code.events" };
    const json = { resourceLogs: [{ resource: {}, scopeLogs: [{ scope, logRecords: [record] }] }] };
    const answer = await at.app.ask("/api/otlp/v1/logs", { token, json });
    expect(answer.status).toBe(200);
    expect(await at.owners()).toEqual([["dana", "maps"]]);
  });
});
