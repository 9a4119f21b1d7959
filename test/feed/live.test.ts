/**
 * The live stream: which events it sends, where it starts and resumes, when it ends, and what stalled readers
 * cost.
 */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import { secondMicros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { dialects, event, link, must, openApp, type TestApp, until } from "../support/harness.ts";
import { type Open, open, path } from "../support/http/feed-stream.ts";
import type { Frame } from "../support/http/server-sent-events.ts";

const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));

const idsOf = (frames: Frame[]) => frames.map((frame) => frame.id);

describe.each(dialects)("the stream on %s", (dialect) => {
  const start = async (env = {}): Promise<TestApp & { origin: string; token: string }> => {
    const app = await openApp(dialect, env);
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
    return { ...app, origin: app.listen(), token: await app.mint(["feed:read"]) };
  };

  test("starts with new events, each one once and as in the feed", async () => {
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

  test("follows every value of a filter with several", async () => {
    await using app = await start();
    await using stream = await open(
      app.origin,
      app.token,
      "?kind=pr.opened,pr.merged&project=atlas,borealis",
    );
    const of = (kind: "pr.opened" | "pr.closed" | "pr.merged", project: string) => event({ kind, project });
    await append(app.ctx.data, [
      ...[of("pr.opened", "borealis"), of("pr.closed", "atlas"), event({ kind: "pr.opened" })],
      of("pr.merged", "atlas"),
    ]);
    expect(idsOf(await stream.take(2))).toEqual([1, 4]);
  });

  test("has the content type of a stream and cannot be cached", async () => {
    await using app = await start();
    const response = await app.ask(path, { token: app.token });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
    });
    await response.body?.cancel();
  });

  test("starts earlier with `after`, and resumes after Last-Event-ID, which takes precedence", async () => {
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

  test("sends only events that match its filters", async () => {
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

  test("sends a token limited to some projects only their events", async () => {
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

  test("sends events appended by other processes, but no imported past events", async () => {
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

  test("delivers a burst completely and in order to every reader", async () => {
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

  test("wakes all readers with one database subscription", async () => {
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

describe.each(dialects)("timing of a stream on %s", (dialect) => {
  const withinSeconds = async (work: Promise<unknown>, seconds: number): Promise<boolean> =>
    Promise.race([work.then(() => true), Bun.sleep(seconds * 1000).then(() => false)]);

  /** Waits until the stream has sent everything and is idle. */
  const waitUntilIdle = async (app: TestApp, stream: Open) => {
    await append(app.ctx.data, [event()]);
    await stream.take(1);
    await Bun.sleep(300);
  };

  test.concurrent("ends within five seconds after its token is revoked", async () => {
    await using app = await openApp(dialect);
    const origin = app.listen();
    const token = await app.mint(["feed:read"], { name: "leaver" });
    await using leaving = await open(origin, token);
    await using staying = await open(origin, await app.mint(["feed:read"]));
    await waitUntilIdle(app, leaving);
    await app.ctx.data.atomically((writes) => writes.revokeToken("leaver", app.clock.now()));
    expect(await withinSeconds(leaving.ended(), 5)).toBe(true);
    expect(idsOf(await staying.take(1))).toEqual([1]);
  });

  test.concurrent("ends at the next event if its token is revoked under load", async () => {
    await using app = await openApp(dialect);
    await using stream = await open(app.listen(), await app.mint(["feed:read"], { name: "leaver" }));
    await waitUntilIdle(app, stream);
    await app.ctx.data.atomically((writes) => writes.revokeToken("leaver", app.clock.now()));
    await append(app.ctx.data, [event()]);
    await stream.ended();
    expect(stream.text()).not.toContain("id: 2\n");
  });

  test.concurrent("ends within five seconds after its token expires", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read"], { expires_at: app.clock.now() + secondMicros });
    await using stream = await open(app.listen(), token);
    await waitUntilIdle(app, stream);
    app.clock.advance(secondMicros);
    expect(await withinSeconds(stream.ended(), 5)).toBe(true);
  });

  test.concurrent("sends a keep-alive about every fifteen seconds", async () => {
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
