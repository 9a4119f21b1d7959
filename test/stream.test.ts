/**
 * The live stream: what comes, when it starts, where it resumes, when it ends, and what a reader that stalls
 * costs.
 */
import { describe, expect, test } from "bun:test";
import { openData } from "../db/open.ts";
import type { Data } from "../src/data.ts";
import { secondMicros } from "../src/lib/time.ts";
import type { Appendable } from "../src/rows.ts";
import {
  dialects,
  event,
  freshDatabase,
  link,
  must,
  openApp,
  programToken,
  startServer,
  type TestApp,
  until,
} from "./support/harness.ts";
import { type Frame, type Frames, readFrames } from "./support/server-sent-events.ts";

const path = "/api/v1/feed/stream";
const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));

interface Open extends Frames, AsyncDisposable {
  /** The next so many events. */
  take(count: number): Promise<Frame[]>;
  /** Resolves when the server ends it. */
  ended(): Promise<void>;
}

/** Opens a stream at a real server, and gives it back once it listens. */
async function open(
  origin: string,
  token: string,
  query = "",
  headers: Record<string, string> = {},
): Promise<Open> {
  const gone = new AbortController();
  const asked = { headers: { authorization: `Bearer ${token}`, ...headers }, signal: gone.signal };
  const frames = readFrames(await fetch(origin + path + query, asked));
  const { events } = frames;
  return {
    ...frames,
    async take(count) {
      const taken: Frame[] = [];
      while (taken.length < count) {
        const next = await events.next();
        if (next.done) throw new Error(`the stream ended behind ${taken.length} of ${count} events`);
        taken.push(next.value);
      }
      return taken;
    },
    async ended() {
      while (!(await events.next()).done);
    },
    async [Symbol.asyncDispose]() {
      gone.abort();
    },
  };
}

const idsOf = (frames: Frame[]) => frames.map((frame) => frame.id);

describe.each(dialects)("the stream on %s", (dialect) => {
  const start = async (env = {}): Promise<TestApp & { origin: string; token: string }> => {
    const app = await openApp(dialect, env);
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
    return { ...app, origin: app.listen(), token: await app.mint(["feed:read"]) };
  };

  test("starts with what is new, each event once and as in the feed", async () => {
    await using app = await start();
    const { data } = app.ctx;
    await append(data, [event({ summary: "before" })]);
    await using stream = await open(app.origin, app.token);
    const hostile = 'two\nlines\r\n\nid: 99\ndata: {"forged":true}\n\n: \u2028';
    await append(data, [event({ summary: hostile }), event({ project: "atlas" })]);
    const frames = await stream.take(2);
    expect(idsOf(frames)).toEqual([2, 3]);
    expect(frames[0]?.event.summary).toBe(hostile);
    const wire = (await data.feed(null, { limit: 2 }))
      .map((row) => `id: ${row.id}\ndata: ${row.wire}\n\n`)
      .reverse();
    expect(stream.text()).toBe(`retry: 1000\n\n${wire.join("")}`);
  });

  test("says what it is, and that nobody may keep it", async () => {
    await using app = await start();
    const response = await app.ask(path, { token: app.token });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
    });
    await response.body?.cancel();
  });

  test("starts earlier with `after`, and resumes behind Last-Event-ID, which wins", async () => {
    await using app = await start();
    const { data } = app.ctx;
    const { added } = await append(
      data,
      Array.from({ length: 250 }, () => event()),
    );
    await using whole = await open(app.origin, app.token, "?after=1970-01-01T00:00:00Z");
    expect(idsOf(await whole.take(250))).toEqual(added.map((row) => row.id));
    await using late = await open(app.origin, app.token, "?after=2026-03-01T12:00:00.000239999Z");
    expect(idsOf(await late.take(10))).toEqual(added.slice(240).map((row) => row.id));
    await using resumed = await open(app.origin, app.token, "?after=1970-01-01T00:00:00Z", {
      "last-event-id": "248",
    });
    await append(data, [event()]);
    expect(idsOf(await resumed.take(3))).toEqual([249, 250, 251]);
  });

  test("shows what its filters let through", async () => {
    await using app = await start();
    const { data } = app.ctx;
    const filters = [
      "project=atlas",
      "kind=run.failed",
      "actor=agent:b",
      "lane=lane_b",
      "project=atlas&kind=run.failed",
    ];
    const streams = await Promise.all(filters.map((filter) => open(app.origin, app.token, `?${filter}`)));
    await append(data, [
      event(),
      event({ project: "atlas" }),
      event({ kind: "run.failed" }),
      event({ actor: "agent:b" }),
      event({ lane: "lane_b" }),
      event({ project: "atlas", kind: "run.failed", actor: "agent:b", lane: "lane_b" }),
      event({ project: "borealis" }),
    ]);
    const wanted = [[2, 6], [3, 6], [4, 6], [5, 6], [6]];
    for (const [index, stream] of streams.entries()) {
      expect([filters[index], idsOf(await stream.take(must(wanted[index]).length))]).toEqual([
        filters[index],
        must(wanted[index]),
      ]);
      await stream[Symbol.asyncDispose]();
    }
  });

  test("shows a token of some projects those, and nothing else", async () => {
    await using app = await start();
    const token = await app.mint(["feed:read"], { projects: ["borealis"] });
    await using stream = await open(app.origin, token, "?after=1970-01-01T00:00:00Z");
    await append(app.ctx.data, [
      event({ project: "atlas" }),
      event({ project: "borealis" }),
      event(),
      event({ project: "borealis" }),
    ]);
    expect(idsOf(await stream.take(2))).toEqual([2, 4]);
    await using resumed = await open(app.origin, token, "", { "last-event-id": "1" });
    expect(idsOf(await resumed.take(2))).toEqual([2, 4]);
  });

  test("shows what other processes append, and no imports of the past", async () => {
    await using app = await start();
    const other = await openData(app.url, { now: app.clock.now, log() {} });
    await append(other, [event()]);
    await using stream = await open(app.origin, app.token);
    await append(other, [event({ ts: app.clock.now() - secondMicros }), event({ summary: "there" })]);
    await append(app.ctx.data, [event({ summary: "here" })]);
    await append(other, [event({ summary: "there again" })]);
    await other.close();
    expect((await stream.take(3)).map((frame) => frame.event.summary)).toEqual([
      "there",
      "here",
      "there again",
    ]);
  });

  test("brings a burst of any size whole and in order, to every listener", async () => {
    await using app = await start();
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(app.origin, app.token)));
    await append(
      app.ctx.data,
      Array.from({ length: 1000 }, () => event()),
    );
    const ids = Array.from({ length: 1000 }, (_, index) => index + 1);
    for (const taken of await Promise.all(streams.map((stream) => stream.take(1000))))
      expect(idsOf(taken)).toEqual(ids);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
  });

  test("wakes all its listeners by one look at the database", async () => {
    await using app = await start();
    const { data } = app.ctx;
    let subscriptions = 0;
    const subscribe = data.onAppend;
    data.onAppend = (wake) => {
      subscriptions++;
      return subscribe(wake);
    };
    const streams = await Promise.all(Array.from({ length: 5 }, () => open(app.origin, app.token)));
    await append(data, [event()]);
    for (const stream of streams) expect(idsOf(await stream.take(1))).toEqual([1]);
    expect(subscriptions).toBe(1);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
  });
});

describe.each(dialects)("a stream on %s in time", (dialect) => {
  const withinSeconds = async (work: Promise<unknown>, seconds: number): Promise<boolean> =>
    Promise.race([work.then(() => true), Bun.sleep(seconds * 1000).then(() => false)]);

  /** It has sent what there is, and waits for more. */
  const settled = async (app: TestApp, stream: Open) => {
    await append(app.ctx.data, [event()]);
    await stream.take(1);
    await Bun.sleep(300);
  };

  test.concurrent("ends within five seconds of its token's revocation", async () => {
    await using app = await openApp(dialect);
    const origin = app.listen();
    const token = await app.mint(["feed:read"], { name: "leaver" });
    await using leaving = await open(origin, token);
    await using staying = await open(origin, await app.mint(["feed:read"]));
    await settled(app, leaving);
    await app.ctx.data.atomically((writes) => writes.revokeToken("leaver", app.clock.now()));
    expect(await withinSeconds(leaving.ended(), 5)).toBe(true);
    expect(idsOf(await staying.take(1))).toEqual([1]);
  });

  test.concurrent("ends with the next event where its token is revoked while many come", async () => {
    await using app = await openApp(dialect);
    await using stream = await open(app.listen(), await app.mint(["feed:read"], { name: "leaver" }));
    await settled(app, stream);
    await app.ctx.data.atomically((writes) => writes.revokeToken("leaver", app.clock.now()));
    await append(app.ctx.data, [event()]);
    await stream.ended();
    expect(stream.text()).not.toContain("id: 2\n");
  });

  test.concurrent("ends within five seconds of its token's last instant", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read"], { expires_at: app.clock.now() + secondMicros });
    await using stream = await open(app.listen(), token);
    await settled(app, stream);
    app.clock.advance(secondMicros);
    expect(await withinSeconds(stream.ended(), 5)).toBe(true);
  });

  test.concurrent("says at least every fifteen seconds that it is still there, and not much more often", async () => {
    await using app = await openApp(dialect);
    await using stream = await open(app.listen(), await app.mint(["feed:read"]));
    const begun = performance.now();
    const reading = stream.ended().catch(() => {});
    await until(() => stream.comments() > 0, "a comment comes", 15_500);
    expect(performance.now() - begun).toBeGreaterThan(10_000);
    await stream[Symbol.asyncDispose]();
    await reading;
  });
});

describe("a server with streams", () => {
  test("ends them when it is stopped, and exits in peace", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    await using stream = await open(server.origin, programToken);
    const ended = stream.ended();
    expect(await server.terminate()).toBe(0);
    await ended;
    expect(stream.text()).toStartWith("retry: 1000\n\n");
  });

  test("keeps little for readers that stall, and gives them all when they read on", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const [stalled, batches, length] = [20, 10, 1000];
    const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
    const body = JSON.stringify({
      events: Array.from({ length }, () => event({ summary: "x".repeat(1000) })),
    });
    const fill = async () => {
      for (let batch = 0; batch < batches; batch++)
        expect(
          (await fetch(`${server.origin}/api/v1/events`, { method: "POST", headers, body })).status,
        ).toBe(200);
    };
    await fill(); // what the appends themselves need is part of what was there before
    const { port } = new URL(server.origin);
    let received = 0;
    const readers = await Promise.all(
      Array.from({ length: stalled }, async () => {
        const socket = await Bun.connect({
          hostname: "127.0.0.1",
          port: Number(port),
          socket: { data: (_, chunk) => void (received += chunk.length) },
        });
        socket.pause();
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${programToken}\r\n\r\n`,
        );
        return socket;
      }),
    );
    await Bun.sleep(200);
    const before = residentMegabytes(server.process.pid);
    await fill();
    const grown = residentMegabytes(server.process.pid) - before;
    // Held for each, it would be two hundred and more.
    expect(grown).toBeLessThan(100);
    const sent = batches * length * 1000;
    for (const reader of readers) reader.resume();
    await until(() => received > stalled * sent, "the readers have it all", 60_000);
    for (const reader of readers) reader.end();
  });
});

const residentMegabytes = (pid: number): number =>
  Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]).stdout.toString()) / 1024;
