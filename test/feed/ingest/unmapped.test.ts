/** No sender of events leaves an email address of no person in the database, in a backup, or in the log. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeUnmapped } from "../../../src/core/people/unmapped.ts";
import { importEvents } from "../../../src/feed/ingest/import.ts";
import { fileOf } from "../../support/database/database.ts";
import { readAllRows } from "../../support/database/seeded-deployment.ts";
import { deliverTo, fixture, forgeEnv, linkOn } from "../../support/forges/forge-deliveries.ts";
import { deliver, env } from "../../support/forges/github-deliveries.ts";
import { examples } from "../../support/forges/github-webhooks.ts";
import { dialects, link, openApp } from "../../support/harness.ts";
import { fixtureOf, requestsOf } from "../../support/telemetry/telemetry.ts";

const planted = /[\w.-]+@(planted|PLANTED)\.example/;
let count = 0;
const address = () => `stray-${++count}@planted.example`;

/** A copy with the address in each list of attributes, of records and of resources. */
const withUser = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withUser)
    : typeof value !== "object" || value === null
      ? value
      : Object.fromEntries(
          Object.entries(value).map(([name, one]) => [
            name,
            name === "attributes" && Array.isArray(one)
              ? [
                  ...one,
                  ...["user.email", "user.id"].map((key) => ({ key, value: { stringValue: address() } })),
                ]
              : withUser(one),
          ]),
        );

/** A delivery of which each email address is another. */
const withAddresses = (body: unknown): object =>
  JSON.parse(JSON.stringify(body).replace(/[\w.+-]+@[\w.-]+\.[a-z]+/g, address));

const programs = [
  "claude-code",
  "codex",
  "gemini-cli",
  "copilot",
  "usage-spans",
  "traceloop",
  "langfuse-spans",
];
const deliveries = {
  gitlab: { issue: "Issue Hook", push: "Push Hook", merge_request: "Merge Request Hook" },
  gitea: { "issues-event": "issues", "push-event": "push", "pull-request-event": "pull_request" },
  bitbucket: { "issue-created": "issue:created", "repo-push": "repo:push" },
} as const;

describe.each(dialects)("on %s", (dialect) => {
  test("whether it comes by events, hooks, an import, telemetry, a gateway, or a forge", async () => {
    await using app = await openApp(dialect, { ...forgeEnv, ...env });
    const { ctx } = app;
    await link(ctx.data, "atlas", "acme/atlas");
    await linkOn(app, "gitlab", "gitlab.com", ["lab", "acme/atlas"]);
    const token = await app.mint(["feed:write", "telemetry:write"], { projects: ["atlas"] });
    const step = { kind: "step.usage", actor: "agent:codex", summary: "Step", project: "atlas" } as const;
    const events = [step, { ...step, run_id: "r", dedupe_key: "hook:r:1" }, step];
    const posted = { token, json: { events: events.map((event) => ({ ...event, email: address() })) } };
    expect((await app.ask("/api/v1/events", posted)).status).toBe(200);
    async function* lines() {
      yield JSON.stringify({ ...step, email: address(), ts: "2026-01-01T00:00:00Z" });
    }
    await importEvents(ctx, lines(), () => {});
    let accepted = 0;
    for (const program of programs)
      for (const [signal, request] of requestsOf(await fixtureOf(program))) {
        const json = withUser(request);
        const response = await app.ask(`/api/otlp/v1/${signal}`, { token, json });
        expect([program, signal, response.status]).toEqual([program, signal, 200]);
        accepted++;
      }
    const rows = JSON.stringify(withAddresses(await fixtureOf("litellm"))).replaceAll(
      '"user_api_key_user_email":null',
      () => `"user_api_key_user_email":"${address()}"`,
    );
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    expect((await app.ask("/api/litellm", { method: "POST", body: rows, headers })).status).toBe(200);
    for (const [sender, bodies] of Object.entries(deliveries))
      for (const [name, event] of Object.entries(bodies)) {
        const body = withAddresses(await fixture(`${sender}/${name}`));
        await deliverTo(app, sender as keyof typeof deliveries, body, { event, query: "?project=atlas" });
      }
    for (const { name, body } of examples) await deliver(app, name, JSON.stringify(withAddresses(body)));
    expect([accepted > 8, count > 100]).toEqual([true, true]);
    await writeUnmapped(ctx);
    await ctx.audit.close();
    const { unmappedIdentities } = ctx.data;
    expect((await unmappedIdentities()).some(({ project }) => project === "atlas")).toBe(true);
    const found = (text: string) => planted.exec(text)?.[0];
    for (const [table, stored] of await readAllRows(ctx.data))
      expect([table, found(stored.join())]).toEqual([table, undefined]);
    expect(found(JSON.stringify(app.logged))).toBeUndefined();
    if (dialect === "postgres") return;
    const file = fileOf(app);
    for (const name of await readdir(dirname(file)))
      if (name.startsWith(basename(file)))
        expect([name, found(await Bun.file(join(dirname(file), name)).text())]).toEqual([name, undefined]);
    const written = await Bun.file(`${file}-wal`).text();
    expect(written.includes("agent:claude-code")).toBe(true);
  });
});
