/** Parameters of queries are checked. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { event, link, oneDialect, openApp, type TestApp } from "../../support/harness.ts";
import { badActors, badSlugs, badTimes, base, goodTimes, longActor } from "../../support/http/input.ts";

const written = encodeURIComponent;

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

const badQueries: [string, string[]][] = [
  ["limit", badIntegers],
  ["before", badTimes],
  ["after", badTimes],
  ["kind", ["", "issue", "Issue.opened", "issue.opened ", "issue.opened,pr.flown", "toString", "__proto__"]],
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

describe.each(oneDialect)("a query on %s", (dialect) => {
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

  test("with a bad actor is told the parts of one, not a pattern", async () => {
    const response = await ask(`${base}/feed?actor=zoe`, { token });
    const detail = "actor must be `<kind>:<name>`, where kind is human, bot, runner, or agent.";
    expect(await response.json()).toMatchObject({ detail });
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
