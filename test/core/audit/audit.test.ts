/** The audit log: every write has a row, every refusal is counted, no secret is in it, its size is bounded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openAudit } from "../../../src/core/audit/audit.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { unavailable } from "../../../src/core/problem.ts";
import type { AuditRow } from "../../../src/core/rows.ts";
import { command } from "../../support/commands/command.ts";
import {
  createDatabase,
  dialects,
  event,
  link,
  migratedDatabase,
  openApp,
  programUser,
  rowsOf,
  type TestApp,
  temporaryFolder,
  until,
} from "../../support/harness.ts";

describe.each(dialects)("the audit on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect, { SVC_GITHUB_WEBHOOK_SECRET: "s" });
    await link(app.ctx.data, "atlas");
    token = await app.mint(allScopes, { name: "ci" });
  });
  afterAll(() => app.close());

  const rows = (query: { who?: string } = {}) => app.ctx.data.audit({ limit: 1000, ...query });
  const newest = async (): Promise<AuditRow | undefined> => (await rows())[0];
  const refusal = (what: string, status: number) => async () =>
    (await rows()).find((row) => row.what === what && row.status === status);
  const append = (events: unknown[], init = {}) =>
    app.ask("/api/v1/events", { token, json: { events }, ...init });

  test("has one row per request with its ID, regardless of the number of events", async () => {
    const before = (await rows()).length;
    const response = await append([event({ project: "atlas" }), event({ project: "atlas" })], {
      headers: { "x-request-id": "run-7" },
    });
    expect(response.headers.get("x-request-id")).toBe("run-7");
    expect(await newest()).toMatchObject({
      ...{
        who: "ci",
        via: "api",
        what: "appendEvents",
        project: "atlas",
        target: null,
        status: 200,
        address: null,
      },
      ...{ request: "run-7", count: 1, at: app.clock.now() },
    });
    expect((await rows()).length).toBe(before + 1);
  });

  test("has no row for a write that failed, but counts the refusal per minute and client", async () => {
    const refused = () => append([event({ project: "nowhere" })]);
    for (let time = 0; time < 3; time++) expect((await refused()).status).toBe(400);
    await until(refusal("appendEvents", 400), "the refusals are written");
    await until(async () => (await refusal("appendEvents", 400)())?.count === 3, "all three are counted");
    expect((await rows()).filter((row) => row.status === 400).length).toBe(1);
    expect(
      (
        await rowsOf(app.url, "select count(*) as n from audit where what = 'appendEvents' and status = 200")
      )[0]?.n,
    ).toEqual(dialect === "sqlite" ? 1 : "1");
    app.clock.advance(60 * secondMicros);
    await refused();
    await until(
      async () => (await rows()).filter((row) => row.status === 400).length === 2,
      "another minute is another row",
    );
  });

  test("distinguishes tools, sessions and anonymous clients, and stores no more about them than needed", async () => {
    await app.ask("/mcp", {
      token,
      json: {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "svc_decide", arguments: { project: "atlas", text: "A secret thought." } },
      },
      headers: { accept: "application/json, text/event-stream" },
    });
    expect(await newest()).toMatchObject({
      who: "ci",
      via: "mcp",
      what: "svc_decide",
      project: "atlas",
      status: 200,
    });
    const reader = await app.mint(["feed:read"], { name: "reader" });
    await app.ask("/api/v1/events", { token: reader, json: { events: [event()] } });
    await app.ask("/api/v1/feed", { token: "svc_unknown", address: "198.51.100.7" });
    await app.ask("/api/hooks/github", {
      json: {},
      headers: { "x-hub-signature-256": "sha256=00" },
      address: "198.51.100.8",
    });
    await until(refusal("/api/hooks/github", 401), "the refusals are written");
    expect(await refusal("appendEvents", 403)()).toMatchObject({ who: "reader", via: "api", count: 1 });
    expect(await refusal("getFeed", 401)()).toMatchObject({ who: null, via: "api", address: "198.51.100.7" });
    expect(await refusal("/api/hooks/github", 401)()).toMatchObject({
      who: null,
      via: "address",
      address: "198.51.100.8",
    });
    const text = JSON.stringify(await rowsOf(app.url, "select * from audit"));
    for (const secret of [token, reader, "svc_unknown", "secret thought", "sha256=00"])
      expect(text).not.toContain(secret);
    expect((await rows({ who: "reader" })).map(({ what }) => what)).toEqual(["appendEvents"]);
  });

  test("writes a flood of refusals in few rows, and counts every one", async () => {
    app.clock.advance(60 * secondMicros);
    const before = (await rows()).length;
    const clients = 200;
    for (let client = 0; client < clients; client++)
      await app.ask("/api/v1/feed", { address: `198.51.100.${client}` });
    const since = app.clock.now();
    const counted = async () =>
      (await app.ctx.data.audit({ since, limit: 1000 })).reduce((sum, row) => sum + row.count, 0);
    await until(async () => (await counted()) === clients, "all of them are counted");
    expect((await rows()).length - before).toBeLessThanOrEqual(31);
  });

  test("removes old and excess rows, and keeps rare rows from being displaced by frequent ones", async () => {
    const { data } = app.ctx;
    const rare = {
      who: "ana",
      via: "cli" as const,
      what: "token create",
      project: null,
      target: "x",
      status: 200,
      address: null,
      request: null,
    };
    await data.atomically(async (writes) => {
      await writes.addAudit({ ...rare, at: 1 });
      await writes.addAudit({ ...rare, at: app.clock.now() });
      for (let count = 0; count < 20; count++)
        await writes.addAudit({ ...rare, what: "appendEvents", at: app.clock.now() });
    });
    while ((await data.atomically((writes) => writes.trimAudit(2, 10))) > 0);
    const left = await rows();
    expect(left.filter(({ what }) => what === "token create").map(({ at }) => at)).toEqual([app.clock.now()]);
    expect(left.filter(({ what, status }) => what === "appendEvents" || status !== 200).length).toBe(10);
  });

  test("records the last use of a token with a precision of 15 minutes", async () => {
    const used = await app.mint(["feed:read"], { name: "used" });
    const lastUse = async () =>
      (await app.ctx.data.tokens()).find(({ name }) => name === "used")?.last_used_at;
    expect(await lastUse()).toBeNull();
    const first = app.clock.now();
    await app.ask("/api/v1/feed", { token: used });
    await until(async () => (await lastUse()) === first, "the first use is written");
    app.clock.advance(14 * 60 * secondMicros);
    await app.ask("/api/v1/feed", { token: used });
    await app.ctx.audit.close();
    expect(await lastUse()).toBe(first);
    app.clock.advance(60 * secondMicros);
    await app.ask("/api/v1/feed", { token: used });
    await until(async () => (await lastUse()) === app.clock.now(), "a later use is written");
  });
});

test("responses do not wait for the audit log, and failed writes are retried later", async () => {
  const written: unknown[] = [];
  const logged: string[] = [];
  let isAway = true;
  const data = {
    async atomically(work: (writes: unknown) => Promise<unknown>) {
      if (isAway) throw unavailable("The database does not answer; try again.");
      return work({ addAudit: async (row: unknown) => void written.push(row), touchTokens: async () => {} });
    },
  } as unknown as Parameters<typeof openAudit>[0]["data"];
  const audit = openAudit({ data, now: () => 1, log: (_, message) => void logged.push(message) });
  const act = {
    who: null,
    via: "api" as const,
    what: "getFeed",
    project: null,
    target: null,
    address: "192.0.2.1",
    request: null,
  };
  audit.recordRefusal(act, unavailable("x"));
  await audit.close();
  expect({ written, logged }).toEqual({ written: [], logged: ["cannot write the audit log"] });
  isAway = false;
  await audit.close();
  expect(written).toMatchObject([{ what: "getFeed", status: 503, count: 1 }]);
});

test("every writing command has a row, even if it failed, unless it is wrong usage; rows contain no input except known names", async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: folder.path };
  await Bun.write(join(folder.path, "bad.ndjson"), "no event\n");
  await createDatabase(`sqlite:${join(folder.path, "svc.db")}`);
  const secret = "svc_Zm9vYmFy";
  const commands: [string[], number][] = [
    [["prefer", "commit.style", "short"], 0],
    [["prefer", "commit.style", "short", "--project", "nowhere"], 1],
    [["project", "link", "atlas", "--repo", secret], 2],
    [["project", "link", "atlas", "--repo", "acme/atlas", "--lanes", "nowhere"], 1],
    [["token", "create", secret, "--scopes", "feed:read"], 2],
    [["token", "revoke", secret], 2],
    [["token", "revoke", "gone"], 1],
    [["model", "onboard", "m", "--provider", "p", "--lanes", "nowhere"], 1],
    [["consolidate", "nowhere"], 1],
    [["event", "import", join(folder.path, "bad.ndjson")], 1],
    [["restore", join(folder.path, "bad.ndjson"), "--force"], 1],
    [["doctor", "--fix"], 0],
  ];
  for (const [words, code] of commands)
    expect([words, (await command(words, env)).code]).toEqual([words, code]);
  const { output } = await command(["audit", "--json"], env);
  const rows = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.map(({ via, what, target, status }) => [via, what, target, status])).toEqual([
    ["cli", "prefer", null, 200],
    ["cli", "prefer", null, 404],
    ["cli", "linkProject", null, 400],
    ["cli", "token create", null, 400],
    ["cli", "revokeToken", null, 404],
    ["cli", "onboardModel", null, 400],
    ["cli", "consolidate", null, 404],
    ["cli", "event import", null, 400],
    ["cli", "restore", null, 400],
    ["cli", "doctor --fix", null, 200],
  ]);
  expect(new Set(rows.map(({ who }) => who))).toEqual(new Set([`human:${programUser}`]));
  expect(output).not.toContain(secret);
});

describe.each(dialects)("on %s", (dialect) => {
  test("svc token rotate creates a new secret, the previous one works for its grace period, and svc audit shows who did it", async () => {
    await using database = await migratedDatabase(dialect);
    const env = { SVC_DATABASE_URL: database.url, USER: undefined }; // as in a systemd unit
    const first = (await command(["token", "create", "ci", "--scopes", "feed:read"], env)).output.trim();
    const second = (await command(["token", "rotate", "ci", "--grace", "1h"], env)).output.trim();
    const third = (await command(["token", "rotate", "ci"], env)).output.trim();
    expect(new Set([first, second, third]).size).toBe(3);
    expect((await command(["token", "rotate", "nobody"], env)).code).toBe(1);
    expect((await command(["token", "rotate", "ci", "--grace", "8d"], env)).code).toBe(2);
    const { output } = await command(["audit", "--json"], env);
    const auditRows = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(auditRows.map(({ via, what, target, outcome }) => ({ via, what, target, outcome }))).toEqual([
      { via: "cli", what: "token create", target: "ci", outcome: "ok" },
      { via: "cli", what: "token rotate", target: "ci", outcome: "ok" },
      { via: "cli", what: "token rotate", target: "ci", outcome: "ok" },
      { via: "cli", what: "token rotate", target: "nobody", outcome: "refused: 404 Not Found" },
    ]);
    expect(new Set(auditRows.map(({ who }) => who))).toEqual(new Set([`human:${programUser}`]));
    expect((await command(["audit", "--since", "1h", "--limit", "1"], env)).output).toMatch(
      /TIME .*\n.* cli +token rotate +nobody +refused: 404 Not Found/,
    );
  });

  test("the previous secret of a rotated token works until its grace period ends", async () => {
    await using app = await openApp(dialect);
    const before = await app.mint(["feed:read"], { name: "ci" });
    const [row] = await app.ctx.data.tokens();
    const status = async () => (await app.ask("/api/v1/feed", { token: before })).status;
    const rotate = (grace: number | null) =>
      app.ctx.data.atomically((writes) =>
        writes.rotateToken("ci", crypto.randomUUID(), app.clock.now(), grace && app.clock.now() + grace),
      );
    expect(await rotate(60 * secondMicros)).toBe(true);
    app.clock.advance(60 * secondMicros - 1);
    expect(await status()).toBe(200);
    app.clock.advance(1);
    expect(await status()).toBe(401);
    expect((await app.ctx.data.tokens())[0]).toMatchObject({ name: "ci", scopes: row?.scopes });
    const other = await app.mint(["feed:read"], { name: "other" });
    await app.ctx.data.atomically((writes) => writes.rotateToken("other", "x", app.clock.now(), null));
    expect((await app.ask("/api/v1/feed", { token: other })).status).toBe(401);
    const third = await app.mint(["feed:read"], { name: "third" });
    await app.ctx.data.atomically((writes) =>
      writes.rotateToken("third", "y", app.clock.now(), app.clock.now() + 60 * secondMicros),
    );
    expect((await app.ask("/api/v1/feed", { token: third })).status).toBe(200);
    // an unknown grace period counts as over
    await rowsOf(app.url, "update tokens set previous_until = null where name = 'third'");
    expect((await app.ask("/api/v1/feed", { token: third })).status).toBe(401);
  });
});
