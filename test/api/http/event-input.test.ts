/** The fields of events are checked. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { serviceKinds } from "../../../src/feed/kinds.ts";
import { event, link, must, oneDialect, openApp, rowsOf, type TestApp } from "../../support/harness.ts";
import { badActors, badSlugs, badTimes, base, big, goodTimes, longActor } from "../../support/http/input.ts";

type Field = [string, unknown[], unknown[]];
const badText = [
  "a\nb",
  "a\u0000",
  "a\u001b[31mb",
  "a\u0085",
  "a\u2028b",
  "\ud800",
  "a\udc00b",
  5,
  true,
  {},
  ["a"],
];

/** Field, invalid values, valid values. */
const fields: Field[] = [
  ["kind", [null, "", "issue", "ISSUE.OPENED", 5, ...serviceKinds], ["issue.opened", "preview.failed"]],
  [
    "actor",
    [...badActors, longActor, null, 5],
    ["human:zoe", "bot:dependabot[bot]", `agent:${big(128)}`, `runner:${"é".repeat(64)}`],
  ],
  [
    "summary",
    [...badText, null, "", big(1025), "é".repeat(513)],
    [big(1024), "é".repeat(512), "<b>'\"\\", "👩‍👩‍👧‍👦 ﷽"],
  ],
  ["project", [...badSlugs, "no-such", 5], ["atlas", null]],
  [
    "repo",
    ["", "atlas", "a//c", `a${"/b".repeat(22)}`, "/b", "a/", "a b/c", "a/b\u0000", `a/${big(254)}`, 5],
    ["acme/atlas", "acme/not-linked", "a/b/c", null],
  ],
  ["issue", [0, -1, 1.5, "1", 2_147_483_648, 9_007_199_254_740_992, 1e300, true], [1, 2_147_483_647, null]],
  ["pr", [0, -1, 1.5, "1", 2_147_483_648, 9_007_199_254_740_992, 1e300, true], [1, 2_147_483_647, null]],
  ["lane", ["", "lane_z", "LANE_A", 5], ["lane_b", null]],
  ["model", [...badText, "", big(129)], [big(128), null]],
  ["subscription", [...badText, "", big(129)], [big(128), null]],
  ["tokens_in", [-1, 1.5, "5", null, 9_007_199_254_740_992, 1e300], [0, 9_007_199_254_740_991]],
  ["tokens_out", [-1, 1.5, "5", null], [0, 5]],
  ["cache_read", [-1, 1.5, "5", null], [0, 5]],
  ["cache_write", [-1, 1.5, "5", null], [0, 5]],
  ["cost_equiv", [-0.01, "1", null, 1e13, 1e300], [0, 0.000001, 1e12]],
  ["duration_ms", [-1, 1.5, "5", 1e300], [0, 86_400_000, null]],
  [
    "url",
    [
      ...["", "x", "http://a.example", "javascript:alert(1)", "//a.example", "https://", "https://a b", 5],
      ...["\u0000", "\n", "\ud800", big(2048)].map((bad) => `https://a.example/${bad}`),
    ],
    ["https://a.example/x?y=1#z", null],
  ],
  ["ts", [...badTimes, 1_770_000_000, null], goodTimes],
  ["dedupe_key", [...badText, "", big(256), "é".repeat(128)], [big(255), null]],
];

describe.each(oneDialect)("a batch of events on %s", (dialect) => {
  let app: TestApp;
  let ask: TestApp["ask"];
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    ask = app.ask;
    token = await app.mint(["feed:read", "feed:write"]);
    await link(app.ctx.data, "atlas", "Acme/Atlas");
    await link(app.ctx.data, "borealis");
  });
  afterAll(() => app.close());

  const post = (events: unknown) => ask(`${base}/events`, { token, json: { events } });
  const newest = async (limit = 1) => {
    const response = await ask(`${base}/feed?limit=${limit}`, { token });
    return ((await response.json()) as { events: Record<string, unknown>[] }).events;
  };

  test.each(fields)("is refused as a whole for a bad %s, which the error names", async (field, bad) => {
    const before = await app.ctx.data.head();
    for (const value of bad) {
      const response = await post([
        event({ dedupe_key: `k ${Math.random()}` }),
        { ...event(), [field]: value },
      ]);
      const { detail } = (await response.json()) as { detail: string };
      expect([value, response.status]).toEqual([value, 400]);
      expect([value, detail]).toEqual([value, expect.stringContaining(`events[1].${field}`)]);
    }
    expect(await app.ctx.data.head()).toBe(before);
  });

  test.each(fields)("is accepted with any valid %s", async (field, _, good) => {
    for (const value of good) {
      const response = await post([{ ...event(), [field]: value }]);
      expect([value, response.status, await response.json()]).toEqual([
        value,
        200,
        { accepted: 1, duplicates: 0 },
      ]);
      const [shown] = await newest();
      if (field !== "ts" && field !== "dedupe_key") expect(must(shown)[field]).toEqual(value);
    }
  });

  test("contains 1 to 1,000 events", async () => {
    expect((await post([])).status).toBe(400);
    expect((await post(Array.from({ length: 1001 }, () => event()))).status).toBe(400);
    expect(await (await post(Array.from({ length: 1000 }, () => event()))).json()).toEqual({
      accepted: 1000,
      duplicates: 0,
    });
  });

  test("sent again adds nothing and reports duplicates", async () => {
    const events = [event({ dedupe_key: "again-1" }), event({ dedupe_key: "again-2" })];
    expect(await (await post(events)).json()).toEqual({ accepted: 2, duplicates: 0 });
    expect(await (await post([...events, event()])).json()).toEqual({ accepted: 1, duplicates: 2 });
  });

  test("is assigned to its project by slug, or by repository in any case", async () => {
    await post([
      event({ repo: "ACME/atlas" }),
      event({ project: "borealis", repo: "acme/atlas" }),
      event({ repo: "acme/unknown" }),
    ]);
    expect((await newest(3)).map((one) => [one.project, one.repo])).toEqual([
      [null, "acme/unknown"],
      ["borealis", "acme/atlas"],
      ["atlas", "ACME/atlas"],
    ]);
  });

  test("cannot set its time: the server clock orders the feed, and the claimed time is stored separately", async () => {
    app.clock.advance(1_000_000);
    await post([
      event({ summary: "old" } as object),
      { ...event({ summary: "claims" }), ts: "1970-01-01T00:00:00Z" },
    ]);
    await post([{ ...event({ summary: "future" }), ts: "9999-01-01T00:00:00Z" }]);
    const now = app.clock.now();
    expect((await newest(3)).map((one) => one.summary)).toEqual(["future", "claims", "old"]);
    expect(await app.ctx.data.head()).toBe(now + 2);
    const [kept] = await rowsOf(app.url, "select payload from events order by ts desc limit 1");
    expect(kept?.payload).toContain("9999-01-01T00:00:00Z");
  });

  test("text is stored in NFC", async () => {
    await post([event({ summary: "Zoe\u0308 \u212b" })]);
    expect((await newest())[0]?.summary).toBe("Zoë Å");
  });

  test("members that are none of a caller's business change nothing", async () => {
    const before = must((await newest())[0]).id as number;
    const foreign = {
      id: 7,
      wire: "{}",
      payload: { x: 1 },
      open: 1,
      digest: 2,
      delivery_id: "same",
      raw: big(100),
    };
    for (const more of [
      foreign,
      foreign,
      { ...foreign, delivery_id: 5 },
      { ...foreign, delivery_id: { a: 1 } },
      { delivery_id: "\u0000" },
    ])
      expect(await (await post([{ ...event(), ...more }])).json()).toEqual({ accepted: 1, duplicates: 0 });
    expect((await newest(5)).map((one) => one.id)).toEqual([5, 4, 3, 2, 1].map((n) => before + n));
    const remaining = await rowsOf(
      app.url,
      "select delivery_id, payload from events order by ts desc limit 5",
    );
    expect(remaining.map((row) => row.delivery_id)).toEqual(Array.from({ length: 5 }, () => null));
    // Only the token that reported the run, which svc adds.
    const payloads = remaining.map((row) => Object.keys(JSON.parse(row.payload as string)));
    expect(payloads).toEqual(Array.from({ length: 5 }, () => ["token"]));
  });

  test("names of Object.prototype are ordinary names", async () => {
    const poison = `"__proto__":{"polluted":1,"kind":"pr.opened"},"constructor":{"prototype":{"polluted":1}}`;
    const body = `{${poison},"events":[{${poison},"kind":"run.started","actor":"agent:a","summary":"s"}]}`;
    const headers = { "content-type": "application/json" };
    expect((await ask(`${base}/events`, { token, method: "POST", headers, body })).status).toBe(200);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((await newest())[0]?.kind).toBe("run.started");
    const inherited = `{"__proto__":{"events":[{"kind":"run.started","actor":"agent:a","summary":"s"}]}}`;
    expect((await ask(`${base}/events`, { token, method: "POST", headers, body: inherited })).status).toBe(
      400,
    );
  });
});
