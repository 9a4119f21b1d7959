/** Answers that are known again: a reader who polls is told so, and nobody sees one that no longer holds. */
import { describe, expect, test } from "bun:test";
import { openData } from "../db/open.ts";
import type { Data } from "../src/data.ts";
import { secondMicros } from "../src/time.ts";
import { dialects, event, link, must, openApp } from "./harness.ts";

const feed = "/api/v1/feed?limit=5";
const reads = [feed, "/api/v1/projects", "/api/v1/projects/atlas", "/api/v1/projects/atlas/usage"];

describe.each(dialects)("a read on %s", (dialect) => {
  const open = async () => {
    const app = await openApp(dialect, { SVC_RATE_LIMIT: "1000/60" });
    await link(app.ctx.data, "atlas");
    await app.ctx.data.atomically((writes) => writes.append([event({ project: "atlas" })]));
    return { app, token: await app.mint(["feed:read"]) };
  };

  test.each(reads)("of %s is answered with 304 as long as nothing changed, and with what changed then", async (path) => {
    const { app, token } = await open();
    await using _ = app;
    const first = await app.ask(path, { token });
    const etag = must(first.headers.get("etag"));
    const fields = { "cache-control": "private, no-cache", vary: "Authorization" };
    expect(Object.fromEntries(first.headers)).toMatchObject({ etag, ...fields });
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const again = await app.ask(path, { token, headers: { "if-none-match": tag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      expect(Object.fromEntries(again.headers)).toMatchObject({ etag, ...fields, "x-content-type-options": "nosniff" });
    }
    await app.ctx.data.atomically((writes) => writes.append([event({ project: "atlas", tokens_in: 7 })]));
    const changed = await app.ask(path, { token, headers: { "if-none-match": etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  test("shows at once what another process appended, and to each token its own", async () => {
    const { app, token } = await open();
    await using _ = app;
    const elsewhere = await app.mint(["feed:read"], { projects: ["borealis"] });
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    for (let count = 1; count <= 4; count++) {
      const answers = await Promise.all([token, token, elsewhere].map(async (one) => (await app.ask(feed, { token: one })).json()));
      expect(answers.map((one) => one.count)).toEqual([count, count, 0]);
      await other.atomically((writes) => writes.append([event({ project: "atlas" })]));
    }
    await other.close();
  });

  test("is refused at once to a token that another process revoked, and to one whose time is over", async () => {
    const { app, token } = await open();
    await using _ = app;
    const brief = await app.mint(["feed:read"], { expires_at: app.clock.now() + secondMicros / 2 });
    const statuses = async () => Promise.all([token, brief].map(async (one) => (await app.ask(feed, { token: one })).status));
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

  /** From now on this read waits behind what it found, until it may go on. */
  function holdBack<Name extends "token" | "feedPage">(data: Data, name: Name) {
    const read = data[name] as (...given: unknown[]) => Promise<unknown>;
    const [found, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = async (...given: unknown[]) => {
      const value = await read(...given);
      found.resolve();
      await goesOn.promise;
      return value;
    };
    Object.assign(data, { [name]: held });
    return {
      found: found.promise,
      /** For whoever asks later. */
      release: () => void Object.assign(data, { [name]: read }),
      goOn: () => goesOn.resolve(),
    };
  }

  test("is refused to a token that was revoked while an earlier request looked it up", async () => {
    const { app, token } = await open();
    await using _ = app;
    const { data } = app.ctx;
    const status = async () => (await app.ask(feed, { token })).status;
    const lookUp = holdBack(data, "token");
    const early = status();
    await lookUp.found;
    lookUp.release();
    const [row] = await data.tokens();
    await data.atomically((writes) => writes.revokeToken(must(row).name, app.clock.now()));
    expect(await status()).toBe(401);
    lookUp.goOn();
    expect(await early).toBe(200);
    expect(await status()).toBe(401);
  });

  test("shows what was appended while an earlier request read its page", async () => {
    const { app, token } = await open();
    await using _ = app;
    const { data } = app.ctx;
    const count = async () => (await (await app.ask(feed, { token })).json()).count;
    const reading = holdBack(data, "feedPage");
    const early = count();
    await reading.found;
    reading.release();
    await data.atomically((writes) => writes.append([event({ project: "atlas" })]));
    expect(await count()).toBe(2);
    reading.goOn();
    expect(await early).toBe(1);
    expect(await count()).toBe(2);
  });

  test("is counted, and asks for its scope, whether its answer is known or not", async () => {
    const { app, token } = await open();
    await using _ = app;
    const left = async () => Number(/r=(\d+)/.exec(must((await app.ask(feed, { token })).headers.get("ratelimit")))?.[1]);
    const first = await left();
    expect([await left(), await left()]).toEqual([first - 1, first - 2]);
    expect((await app.ask(feed)).status).toBe(401);
    expect((await app.ask(feed, { token: await app.mint(["assets:read"]) })).status).toBe(403);
  });
});

describe("while no row of SQLite changes", () => {
  test("a token is looked up for the first of its requests", async () => {
    await using app = await openApp("sqlite");
    const token = await app.mint(["feed:read"]);
    const { data } = app.ctx;
    const lookUp = data.token;
    let lookUps = 0;
    data.token = (hash) => {
      lookUps++;
      return lookUp(hash);
    };
    const ask = async () => {
      for (const limit of [1, 2, 3]) expect((await app.ask(`/api/v1/feed?limit=${limit}`, { token })).status).toBe(200);
      return lookUps;
    };
    expect(await ask()).toBe(1);
    await link(data, "atlas");
    expect(await ask()).toBe(2);
  });

  test("an answer is made once for whoever may read it, with a token, without one, and with one that nobody knows", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const known = await app.mint(["feed:read"]);
    let pages = 0;
    const { data } = app.ctx;
    const read = data.feedPage;
    data.feedPage = (...given) => {
      pages++;
      return read(...given);
    };
    for (const authorization of [`Bearer ${known}`, "", "Bearer guessed"]) {
      pages = 0;
      for (let turn = 0; turn < 3; turn++)
        expect((await app.ask(feed, authorization ? { headers: { authorization } } : {})).status).toBe(200);
      expect(pages).toBe(1);
    }
  });
});
