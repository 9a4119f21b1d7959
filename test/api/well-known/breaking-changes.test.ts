/** Every breaking change of the stable surface is reported with the rule it breaks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openApp, type TestApp } from "../../support/harness.ts";
import { type Fact, stableSurface } from "../../support/http/stable-surface.ts";
import { compare } from "../../support/http/surface-breaks.ts";
import { surfaceEdits } from "../../support/http/surface-edits.ts";

let app: TestApp;
let surface: Fact[];
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_RATE_LIMIT: "60/60" });
  surface = await stableSurface(app);
});
afterAll(() => app.close());

const { changed, altered, without, withNew } = surfaceEdits(() => surface);

const feed = "operation getFeed |";
const tool = "tool svc_get_feed |";

describe("a breaking change is reported with the rule it breaks:", () => {
  const breaks: [what: string, rule: RegExp, says: string, after: () => Fact[]][] = [
    [
      "a response field is removed",
      /^.*rule 3.*removed/,
      "gives events[].url is gone",
      () => changed(`${feed} out | events[].url`),
    ],
    [
      "a response field is renamed",
      /rule 3/,
      "gives count is gone",
      () => changed(`${feed} out | count `, `${feed} out | total | presence=required | type=integer`),
    ],
    [
      "its type changes",
      /rule 3.*retyped/,
      "can be of the type string",
      () => altered(`${feed} out | events[].id `, "type=integer", "type=string"),
    ],
    [
      "it may be null",
      /rule 3/,
      "can be of the type null",
      () => altered(`${feed} out | count `, "type=integer", "type=integer,null"),
    ],
    [
      "its format changes",
      /rule 3/,
      "had the format date-time",
      () => altered(`${feed} out | events[].ts `, "format=date-time", "format=date"),
    ],
    [
      "it may be absent",
      /rule 3/,
      "was always there",
      () => altered(`${feed} out | next_before `, "presence=required", "presence=optional"),
    ],
    [
      "a value of an enum is removed",
      /rule 3/,
      "no longer has the value run.failed",
      () => altered(`${feed} out | events[].kind`, "run.failed,", ""),
    ],
    [
      "an enum that is no kind of event gets a value",
      /rule 3/,
      "can have the value lost",
      () => altered("operation getProject | out | models[].status", "values=", "values=lost,"),
    ],
    [
      "a closed enum becomes open",
      /rule 3/,
      "can have any value",
      () => altered("operation getProject | out | models[].status", "values=", "known="),
    ],
    [
      "a header field is removed",
      /rule 3/,
      "gives header RateLimit-Policy is gone",
      () => changed(`${feed} out | header RateLimit-Policy`),
    ],
    ["a parameter is removed", /rule 3/, "takes lane is gone", () => changed(`${feed} in | lane`)],
    [
      "a required parameter is added",
      /rule 2/,
      "takes who is new and required",
      () => withNew(`${feed} in | who | place=query | presence=required | type=string`),
    ],
    [
      "a parameter becomes required",
      /rule 3/,
      "was optional and is required",
      () => altered(`${feed} in | project`, "presence=optional", "presence=required"),
    ],
    [
      "a parameter moves",
      /rule 3/,
      "has place header",
      () => altered(`${feed} in | project`, "place=query", "place=header"),
    ],
    [
      "a parameter takes a value less",
      /rule 3/,
      "no longer takes lane_b",
      () => altered(`${feed} in | lane`, "lane_b,", ""),
    ],
    [
      "a limit becomes narrower",
      /rule 3.*semantics/,
      "has maximum 100, had 200",
      () => altered(`${feed} in | limit`, "maximum=200", "maximum=100"),
    ],
    [
      "a default changes",
      /rule 3.*semantics/,
      "has default 20, had 50",
      () => altered(`${feed} in | limit`, "default=50", "default=20"),
    ],
    [
      "a pattern comes",
      /rule 3/,
      "has pattern ^x, had none",
      () => altered(`${feed} in | lane`, "type=array,string", "type=array,string | pattern=^x"),
    ],
    [
      "success has another status",
      /rule 3/,
      "status 200 is gone",
      () => changed(`${feed} is | 200`, `${feed} is | 206 | media=application/json`),
    ],
    ["a documented problem is removed", /rule 3/, "status 400 is gone", () => changed(`${feed} is | 400`)],
    [
      "success has another type",
      /rule 3/,
      "has media text/plain",
      () => altered(`${feed} is | 200`, "application/json", "text/plain"),
    ],
    [
      "a scope is needed that was not",
      /rule 3/,
      "has scope feed:read, had none",
      () => altered("operation getInfo | is | ", "scope=none", "scope=feed:read"),
    ],
    [
      "an operation moves",
      /rule 3/,
      "has at GET /events",
      () => altered(`${feed} is |  |`, "GET /feed", "GET /events"),
    ],
    [
      "an operation is removed",
      /rules 6 and 8/,
      "operation getFeed is gone",
      () => without("operation getFeed"),
    ],
    ["the base of the API changes", /rule 1/, "has base /api/v2", () => altered("api", "/api/v1", "/api/v2")],
    ["a kind of event is removed", /rule 3/, "kind run.failed is gone", () => without("kind run.failed")],
    [
      "a tool is renamed",
      /rules 6 and 8/,
      "tool svc_get_info is gone",
      () => surface.map((one) => (one.of === "tool svc_get_info" ? { ...one, of: "tool svc_info" } : one)),
    ],
    [
      "a tool requires a new argument",
      /rule 4/,
      "takes who is new and required",
      () => withNew(`${tool} in | who | presence=required | type=string`),
    ],
    ["a tool loses an argument", /rule 4/, "takes lane is gone", () => changed(`${tool} in | lane`)],
    [
      "a tool takes less",
      /rule 4/,
      "has maximum 100",
      () => altered(`${tool} in | limit`, "maximum=200", "maximum=100"),
    ],
    [
      "a tool needs another scope",
      /rule 3/,
      "has scope memory:read",
      () => altered(`${tool} is |  |`, "feed:read", "memory:read"),
    ],
    [
      "a tool gives a field less",
      /rule 3/,
      "gives next_before is gone",
      () => changed(`${tool} out | next_before`),
    ],
    ["a file is removed", /rule 9/, "file /llms.txt is gone", () => without("file /llms.txt")],
    [
      "a file has another type",
      /rule 9/,
      "has type text/html",
      () => altered("file /server.json | is |  |", "application/json", "text/html"),
    ],
    [
      "a file loses a member",
      /rule 3/,
      "gives remotes is gone",
      () => changed("file /server.json | out | remotes |"),
    ],
    [
      "a member of a file has another type",
      /rule 3/,
      "can be of the type object",
      () =>
        altered("file /.well-known/oauth-protected-resource | out | scopes_supported |", "array", "object"),
    ],
  ];
  test.each(breaks)("%s", (_, rule, says, after) => {
    const { breaking } = compare(surface, after());
    expect(breaking.join("\n")).toContain(says);
    expect(breaking[0]).toMatch(rule);
    expect(breaking).toHaveLength(1 + Number(/status 206/.test(breaking.join())));
  });
});
