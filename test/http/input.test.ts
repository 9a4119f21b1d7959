/** Input validation: queries, cursors, headers, events and bodies, on both databases. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { serviceKinds } from "../../src/feed/schema.ts";
import { bodyBytesMax, readBytes } from "../../src/lib/request-body.ts";
import { dialects, event, link, must, openApp, rowsOf, type TestApp } from "../support/harness.ts";

const base = "/api/v1";
const written = encodeURIComponent;

const badTimes = [
  ...[
    "",
    "now",
    "infinity",
    "-infinity",
    "epoch",
    "today",
    "1770000000",
    "1770000000000",
    "2026-01-02",
    "03:04:05Z",
    "2026-W01-1",
  ],
  ...[
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
  ],
  ...[
    "2026-01-02T24:00:00Z",
    "2026-01-02T03:60:00Z",
    "2026-01-02T03:04:61Z",
    "2026-01-02T03:04Z",
    "2026-01-02T03:04:05",
  ],
  ...[
    "2026-01-02 03:04:05Z",
    "2026-01-02T03:04:05.Z",
    "2026-01-02T03:04:05,5Z",
    "2026-01-02T03:04:05.1234567890Z",
  ],
  ...[
    "2026-01-02T03:04:05+0100",
    "2026-01-02T03:04:05+01",
    "2026-01-02T03:04:05+1:00",
    "2026-01-02T03:04:05+24:00",
  ],
  ...[
    "2026-01-02T03:04:05 00:00",
    "2026-01-02T03:04:05Z[UTC]",
    "2026-01-02T03:04:05Zulu",
    " 2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05Z\n",
  ],
  ...[
    "+002026-01-02T03:04:05Z",
    "26-01-02T03:04:05Z",
    "２０２６-01-02T03:04:05Z",
    "2026-1-2T03:04:05Z",
    "20260102T030405Z",
    "\u0000",
  ],
];
const goodTimes = [
  ...[
    "2026-01-02T03:04:05Z",
    "2026-01-02t03:04:05z",
    "2026-01-02T03:04:05.1Z",
    "2026-01-02T03:04:05.123456789Z",
    "2024-02-29T23:59:59Z",
  ],
  ...[
    "2026-01-02T03:04:05+05:45",
    "2026-01-02T03:04:05-23:59",
    "2026-01-02T03:04:05-00:00",
    "0000-01-01T00:00:00Z",
  ],
  ...["9999-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"],
];

const badIntegers = [
  "",
  "0",
  "201",
  "-1",
  "+5",
  " 5",
  "5 ",
  "5\n",
  "5.0",
  "5,6",
  "1e2",
  "0x10",
  "abc",
  "٥",
  "５",
  "null",
  "9".repeat(400),
];

const badActors = [
  "",
  "codex",
  "robot:codex",
  "human:",
  ":zoe",
  "Human:zoe",
  "human:a b",
  "human:a\u0000",
  "human:a\n",
  "token:ci",
  "human zoe",
];
const longActor = `bot:${"é".repeat(65)}`; // 130 bytes of name in 65 characters

const badSlugs = [
  "",
  "Atlas",
  "-a",
  "a b",
  "a_b",
  "a".repeat(64),
  "__proto__",
  "a\u0000",
  "a'; drop table events; --",
  "é",
  "../x",
];

const badQueries: [string, string[]][] = [
  ["limit", badIntegers],
  ["before", badTimes],
  ["after", badTimes],
  ["kind", ["", "issue", "Issue.opened", "issue.opened ", "issue.opened,pr.opened", "toString", "__proto__"]],
  ["actor", [...badActors, longActor, `human:${"a".repeat(129)}`]],
  ["lane", ["", "lane_z", "LANE_A", "lane_a ", "toString"]],
  ["project", badSlugs],
];
const goodQueries = [
  ...[
    "limit=1",
    "limit=200",
    "limit=007",
    "kind=issue.opened",
    "lane=lane_c",
    "project=no-such",
    `project=${"a".repeat(63)}`,
  ],
  ...[
    "actor=bot:dependabot[bot]",
    `actor=${written("human:Zoë")}`,
    `actor=human:${"a".repeat(128)}`,
    "actor=runner:1",
    "actor=agent:a:b",
  ],
  ...[
    "nothing=1&nothing=2&__proto__=x",
    "",
    ...goodTimes.map((time) => `before=${written(time)}&after=${written(time)}`),
  ],
];

describe.each(dialects)("a query on %s", (dialect) => {
  let app: TestApp;
  let ask: TestApp["ask"];
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect);
    ask = app.ask;
    token = await app.mint(["feed:read"]);
    await link(app.ctx.data, "atlas");
    await app.ctx.data.atomically((writes) => writes.append([event({ actor: "human:Zoë" })]));
  });
  afterAll(() => app.close());

  test.each(badQueries)("with a bad %s is a 400 that names it", async (name, values) => {
    for (const value of values) {
      const response = await ask(`${base}/feed?${name}=${written(value)}`, { token });
      const { detail = "" } = (await response.json()) as { detail?: string };
      expect([value, response.status, detail.split(" ", 1)[0]]).toEqual([value, 400, name]);
    }
  });

  test.each(goodQueries)("with %j is accepted", async (query) => {
    expect((await ask(`${base}/feed?${query}`, { token })).status).toBe(200);
  });

  test("with a repeated parameter is a 400", async () => {
    for (const query of [
      "limit=5&limit=5",
      "project=atlas&project=atlas",
      "before=x&before=y",
      "kind=pr.opened&limit=1&kind=pr.closed",
    ])
      expect([query, (await ask(`${base}/feed?${query}`, { token })).status]).toEqual([query, 400]);
  });

  test("with a plus that was not written as %2B is a 400, since it is a space", async () => {
    expect((await ask(`${base}/feed?before=2026-01-02T03:04:05+00:00`, { token })).status).toBe(400);
    expect((await ask(`${base}/feed?before=2026-01-02T03:04:05%2B00:00`, { token })).status).toBe(200);
  });

  test("is normalized to NFC", async () => {
    const response = await ask(`${base}/feed?actor=${written("human:Zoe\u0308")}`, { token });
    expect(await response.json()).toMatchObject({ count: 1 });
  });

  const badCursors = [
    ...["", "x", "%", "W10", "null", "a".repeat(513), Buffer.from('[1,"atlas"]').toString("base64url")],
    ...["AAAAAAAAAAB", "AAAAAAAAAAA=", "AAAAAAAAAAA ", "\nAAAAAAAAAAA", "AAAAAAAAAAAÄ", "AAAAAAAAAA\u0000"],
  ];
  test.each(badCursors)("with the invalid cursor %j is a 400", async (value) => {
    for (const path of ["/projects", "/feed"]) {
      const response = await ask(`${base}${path}?cursor=${written(value)}`, { token });
      expect([response.status, (await response.json()).detail]).toEqual([
        400,
        "cursor must be the `next_cursor` of the previous page.",
      ]);
    }
  });

  test("with a cursor of another list is a 400", async () => {
    const [feed, projects] = ["AAAAAAAAAAA", "AAAAAAAAAAAatlas"];
    for (const [path, own, other] of [
      ["/feed", feed, projects],
      ["/projects", projects, feed],
    ] as const) {
      expect((await ask(`${base}${path}?cursor=${own}`, { token })).status).toBe(200);
      expect((await ask(`${base}${path}?cursor=${other}`, { token })).status).toBe(400);
    }
  });

  const badIds = [
    "",
    "0",
    "-1",
    "1e3",
    "abc",
    "1, 2",
    "1.0",
    "9007199254740993",
    "9223372036854775808",
    "1".repeat(30),
    "9".repeat(400),
  ];
  test.each(badIds)("with the Last-Event-ID %j is a 400", async (id) => {
    const response = await ask(`${base}/feed/stream`, { token, headers: { "last-event-id": id } });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      400,
      "application/problem+json",
    ]);
  });

  test("with the Last-Event-ID of no event is a 404", async () => {
    const response = await ask(`${base}/feed/stream`, { token, headers: { "last-event-id": "2" } });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json",
    ]);
  });

  test("of the stream is validated like that of the feed", async () => {
    for (const query of ["kind=x", "after=now", "lane=lane_z", "actor=x", "project=X", "after=x&after=y"])
      expect([query, (await ask(`${base}/feed/stream?${query}`, { token })).status]).toEqual([query, 400]);
  });
});

type Field = [string, unknown[], unknown[]];
const big = (bytes: number) => "a".repeat(bytes);
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
    ["", "atlas", "a/b/c", "/b", "a/", "a b/c", "a/b\u0000", `a/${big(101)}`, 5],
    ["acme/atlas", "acme/not-linked", null],
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

describe.each(dialects)("a batch of events on %s", (dialect) => {
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
    const kept = await rowsOf(app.url, "select delivery_id, payload from events order by ts desc limit 5");
    expect(kept).toEqual(Array.from({ length: 5 }, () => ({ delivery_id: null, payload: null })));
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

describe("a body", () => {
  let app: TestApp;
  let ask: TestApp["ask"];
  let token: string;
  beforeAll(async () => {
    app = await openApp("sqlite");
    ask = app.ask;
    token = await app.mint(["feed:write"]);
  });
  afterAll(() => app.close());

  const good = JSON.stringify({ events: [event()] });
  const post = (
    body: BodyInit | null,
    type: string | null = "application/json",
    more: Record<string, string> = {},
  ) =>
    ask(`${base}/events`, {
      token,
      method: "POST",
      body,
      headers: { ...(type !== null && { "content-type": type }), ...more },
    });

  test("is JSON and says so, else 415", async () => {
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonx",
      "json",
      "*/*",
    ];
    for (const type of [...types, "application/ld+json", "text/json", "application/json/x"])
      expect([type, (await post(good, type)).status]).toEqual([type, 415]);
    expect((await post(new TextEncoder().encode(good), null)).status).toBe(415);
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      "application/json ;x=y",
    ])
      expect([type, (await post(good, type)).status]).toEqual([type, 200]);
  });

  const notJson = [
    "",
    " ",
    "{",
    "nonsense",
    `${good}${good}`,
    `${good}x`,
    "{'events':[]}",
    "{events:[]}",
    '{"events":[NaN]}',
    "\u0000",
  ];
  test.each(notJson)("of %j is not JSON: 400", async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  test.each([
    "null",
    "5",
    '"x"',
    "[]",
    "{}",
    '{"events":null}',
    '{"events":{}}',
    '{"events":[null]}',
    '{"events":["x"]}',
    '{"events":[[]]}',
  ])("of %s does not match the schema: 400", async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  test("is UTF-8: anything else is a 400, and nothing becomes a replacement character", async () => {
    const broken = [
      [0xff],
      [0xc3, 0x28],
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0xc0, 0xaf],
    ];
    const [head, tail] = good.split("Run") as [string, string];
    for (const bytes of broken) {
      const body = Buffer.concat([Buffer.from(`${head}Run`), Buffer.from(bytes), Buffer.from(tail)]);
      expect([bytes, (await post(body)).status]).toEqual([bytes, 400]);
    }
    expect((await post(Buffer.from(good, "utf16le"))).status).toBe(400);
    expect((await post(Bun.gzipSync(good), "application/json", { "content-encoding": "gzip" })).status).toBe(
      400,
    );
  });

  test("is at most 32 levels deep", async () => {
    const nested = (levels: number) =>
      `${good.slice(0, -3)},"x":${"[".repeat(levels)}${"]".repeat(levels)}}]}`;
    expect((await post(nested(29))).status).toBe(200); // the object, the list and the event are three levels
    expect((await post(nested(30))).status).toBe(400);
    const objects = (levels: number) =>
      `${good.slice(0, -3)},"x":${'{"x":'.repeat(levels)}1${"}".repeat(levels)}}]}`;
    expect([(await post(objects(29))).status, (await post(objects(30))).status]).toEqual([200, 400]);
    expect((await post(nested(1_000_000))).status).toBe(400);
  });

  test("of a hundred thousand members, or of one very long text, is a 400", async () => {
    const many = `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join()}}`;
    expect((await post(many)).status).toBe(400);
    expect((await post(JSON.stringify({ events: [event({ summary: big(2_000_000) })] }))).status).toBe(400);
  });

  const limit = 4 * 2 ** 20;
  const sized = (bytes: number) => good.slice(0, -1) + " ".repeat(bytes - good.length) + good.slice(-1);

  test("of events over 4 MiB is a 413, whether its length is said, not said, or a lie", async () => {
    expect((await post(sized(limit))).status).toBe(200);
    expect((await post(sized(limit + 1))).status).toBe(413);
    expect((await post(sized(limit + 1), "application/json", { "content-length": "10" })).status).toBe(413);
    expect((await post(good, "application/json", { "content-length": String(limit + 1) })).status).toBe(413);
  });

  test("without Content-Length is cut off at the limit by the real server too", async () => {
    const origin = app.listen();
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${origin}${base}/events`, { method: "POST", headers, body: endless });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      413,
      "application/problem+json",
    ]);
    expect(sent).toBeLessThan(10 * limit);
  });

  test("of any other operation can have 1 MiB", async () => {
    const request = (bytes: number) =>
      new Request("http://svc.test", { method: "POST", body: new Uint8Array(bytes) });
    expect((await readBytes(request(2 ** 20), bodyBytesMax, null)).length).toBe(2 ** 20);
    expect(await readBytes(request(2 ** 20 + 1), bodyBytesMax, null).catch((problem) => problem.status)).toBe(
      413,
    );
  });
});
