/** The response cache: a reader who polls gets 304, and no reader gets an outdated response. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { dialects, event, link, must, openApp } from "../../support/harness.ts";

const feed = "/api/v1/feed?limit=5";
const reads = [feed, "/api/v1/projects", "/api/v1/projects/atlas", "/api/v1/projects/atlas/usage"];

describe.each(dialects)("a read on %s", (dialect) => {
  const open = async () => {
    const app = await openApp(dialect, { SVC_RATE_LIMIT: "1000/60" });
    await link(app.ctx.data, "atlas");
    await app.ctx.data.atomically((writes) => writes.append([event({ project: "atlas" })]));
    return { app, token: await app.mint(["feed:read"]) };
  };

  test.each(reads)(
    "of %s is answered with 304 as long as nothing changed, and with what changed then",
    async (path) => {
      const { app, token } = await open();
      await using _ = app;
      const first = await app.ask(path, { token });
      const etag = must(first.headers.get("etag"));
      const fields = { "cache-control": "private, no-cache", vary: "Authorization, Accept-Encoding" };
      expect(Object.fromEntries(first.headers)).toMatchObject({ etag, ...fields });
      for (const tag of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
        const again = await app.ask(path, { token, headers: { "if-none-match": tag } });
        expect([again.status, await again.text()]).toEqual([304, ""]);
        expect(Object.fromEntries(again.headers)).toMatchObject({
          etag,
          ...fields,
          "x-content-type-options": "nosniff",
        });
      }
      await app.ctx.data.atomically((writes) => writes.append([event({ project: "atlas", tokens_in: 7 })]));
      const changed = await app.ask(path, { token, headers: { "if-none-match": etag } });
      expect(changed.status).toBe(200);
      expect(changed.headers.get("etag")).not.toBe(etag);
    },
  );

  test("shows at once what another process appended, and to each token its own", async () => {
    const { app, token } = await open();
    await using _ = app;
    const elsewhere = await app.mint(["feed:read"], { projects: ["borealis"] });
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    for (let count = 1; count <= 4; count++) {
      const answers = await Promise.all(
        [token, token, elsewhere].map(async (one) => (await app.ask(feed, { token: one })).json()),
      );
      expect(answers.map((one) => one.count)).toEqual([count, count, 0]);
      await other.atomically((writes) => writes.append([event({ project: "atlas" })]));
    }
    await other.close();
  });

  test("is refused at once to a token that another process revoked, and to one whose time is over", async () => {
    const { app, token } = await open();
    await using _ = app;
    const brief = await app.mint(["feed:read"], { expires_at: app.clock.now() + secondMicros / 2 });
    const statuses = async () =>
      Promise.all([token, brief].map(async (one) => (await app.ask(feed, { token: one })).status));
    expect(await statuses()).toEqual([200, 200]);
    expect(await statuses()).toEqual([200, 200]);
    app.clock.advance(secondMicros / 2);
    expect(await statuses()).toEqual([200, 401]);
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    const [row] = (await other.tokens()).filter((one) => one.expires_at === null && one.revoked_at === null);
    await other.atomically((writes) => writes.revokeToken(must(row).name, app.clock.now()));
    expect(await statuses()).toEqual([401, 401]);
    await other.close();
  });

  test("knows at once a project that another process linked or moved on, and hides it from a token that may not see it", async () => {
    const { app, token } = await open();
    await using _ = app;
    const elsewhere = await app.mint(["feed:read"], { projects: ["atlas"] });
    const path = "/api/v1/projects/borealis";
    const found = async () => {
      const answers = await Promise.all([token, elsewhere].map((one) => app.ask(path, { token: one })));
      return Promise.all(answers.map(async (one) => [one.status, (await one.json()).digest?.total]));
    };
    for (let time = 0; time < 2; time++)
      expect((await found()).map(([status]) => status)).toEqual([404, 404]);
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    await link(other, "borealis");
    for (let time = 0; time < 2; time++)
      expect(await found()).toEqual([
        [200, 0],
        [404, undefined],
      ]);
    await other.atomically((writes) => writes.append([event({ project: "borealis" })]));
    expect(await found()).toEqual([
      [200, 1],
      [404, undefined],
    ]);
    await other.close();
  });

  test("is counted, and asks for its scope, whether its answer is known or not", async () => {
    const { app, token } = await open();
    await using _ = app;
    const left = async () =>
      Number(/r=(\d+)/.exec(must((await app.ask(feed, { token })).headers.get("ratelimit")))?.[1]);
    const first = await left();
    expect([await left(), await left()]).toEqual([first - 1, first - 2]);
    expect((await app.ask(feed)).status).toBe(401);
    expect((await app.ask(feed, { token: await app.mint(["assets:read"]) })).status).toBe(403);
  });
});

/** Only there it is known whether rows changed. */
describe("what is kept on SQLite", () => {
  const open = async (env = {}) => {
    const app = await openApp("sqlite", env);
    return { app, data: app.ctx.data, token: await app.mint(["feed:read"]) };
  };

  /** How often this read is made. */
  function counted(data: Data, name: "token" | "feed"): () => number {
    const read = data[name] as (...given: unknown[]) => Promise<unknown>;
    let count = 0;
    Object.assign(data, {
      [name](...given: unknown[]) {
        count++;
        return read(...given);
      },
    });
    return () => count;
  }

  /** The next such read gives what it finds only when it may go on; those behind it are as always. */
  function holdBack(data: Data, name: "token" | "feed") {
    const read = data[name] as (...given: unknown[]) => Promise<unknown>;
    const [found, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    Object.assign(data, {
      async [name](...given: unknown[]) {
        Object.assign(data, { [name]: read });
        const value = await read(...given);
        found.resolve();
        await goesOn.promise;
        return value;
      },
    });
    return { found: found.promise, goOn: goesOn.resolve };
  }

  test("is no token that was revoked while an earlier request asked whose it is", async () => {
    const { app, data, token } = await open();
    await using _ = app;
    const status = async () => (await app.ask(feed, { token })).status;
    const { found, goOn } = holdBack(data, "token");
    const early = status();
    await found;
    const [row] = await data.tokens();
    await data.atomically((writes) => writes.revokeToken(must(row).name, app.clock.now()));
    expect(await status()).toBe(401);
    goOn();
    expect([await early, await status()]).toEqual([200, 401]);
  });

  test("is no page that an earlier request read before an append", async () => {
    const { app, data, token } = await open();
    await using _ = app;
    const count = async () => (await (await app.ask(feed, { token })).json()).count;
    const { found, goOn } = holdBack(data, "feed");
    const early = count();
    await found;
    await data.atomically((writes) => writes.append([event()]));
    expect(await count()).toBe(1);
    goOn();
    expect([await early, await count()]).toEqual([0, 1]);
  });

  test("is whose token it is, until more than the feed changes, and of no more ways to write a token than there is room for", async () => {
    const { app, data, token } = await open();
    await using _ = app;
    const lookUps = counted(data, "token");
    let requestCount = 0;
    /** A page that was not requested before. */
    const ask = async (authorization = `Bearer ${token}`) => {
      const path = `/api/v1/feed?before=2026-01-01T00:00:00.${String(++requestCount).padStart(6, "0")}Z`;
      expect((await app.ask(path, { headers: { authorization } })).status).toBe(200);
      return lookUps();
    };
    expect([await ask(), await ask()]).toEqual([1, 1]);
    await data.append([event()]);
    expect(await ask()).toBe(1);
    await link(data, "atlas");
    expect([await ask(), await ask()]).toEqual([2, 2]);
    const long = `Bearer${" ".repeat(100)}${token}`;
    expect([await ask(long), await ask(long)]).toEqual([3, 4]);
    for (let way = 1; way <= 1_001; way++)
      await ask(`${wordOf(way % 64)}${" ".repeat(1 + Math.floor(way / 64))}${token}`);
    const before = lookUps();
    expect(await ask()).toBe(before + 1);
  });

  /** The word before a token, large where a bit is set. */
  const wordOf = (bits: number): string =>
    [..."bearer"].map((letter, at) => (bits & (1 << at) ? letter.toUpperCase() : letter)).join("");

  test("depends on the caller: with a token, without one, and with an unknown one", async () => {
    const { app, data, token } = await open({ SVC_PUBLIC_READ: "1" });
    await using _ = app;
    const pages = counted(data, "feed");
    const askers: Record<string, string>[] = [
      { authorization: `Bearer ${token}` },
      {},
      { authorization: "Bearer guessed" },
    ];
    for (const headers of askers) {
      const before = pages();
      // Who asks once may not ask again: it is copied for those who do.
      for (let turn = 0; turn < 4; turn++) expect((await app.ask(feed, { headers })).status).toBe(200);
      expect(pages()).toBe(before + 2);
    }
    await data.atomically((writes) => writes.append([event()]));
    const before = pages();
    for (let turn = 0; turn < 3; turn++) expect((await (await app.ask(feed)).json()).count).toBe(1);
    expect(pages()).toBe(before + 1);
  });

  test("is the same text as what is not, with the same tag", async () => {
    const { app, data } = await open({ SVC_PUBLIC_READ: "1" });
    await using _ = app;
    await data.atomically((writes) => writes.append([event({ summary: "Hafen · 港 · 🚢" })]));
    const answers: (string | null)[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const response = await app.ask(feed);
      answers.push(`${response.headers.get("etag")} ${await response.text()}`);
    }
    expect(answers[0]).toContain("Hafen · 港 · 🚢");
    expect(new Set(answers).size).toBe(1);
  });
});
