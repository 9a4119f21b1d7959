/**
 * The stable surface never breaks: it is written down in stable-surface.txt, and what the policy does not
 * allow fails here with the rule that it breaks. What the policy allows is written down by `bun run surface`.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findDeprecation } from "../../src/deprecation.ts";
import { must, openApp, type TestApp, testClock } from "../support/harness.ts";
import { type Fact, fromLine, stableSurface, toLine } from "../support/stable-surface.ts";
import { compare } from "../support/surface-breaks.ts";
import { lines, snapshot } from "./renew-surface.ts";

let app: TestApp;
let surface: Fact[];
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_RATE_LIMIT: "60/60" });
  surface = await stableSurface(app);
});
afterAll(() => app.close());

/** What the table of deprecations says has come to its end. */
const retired = (of: string): boolean => {
  const [kind, name] = of.split(" ") as ["operation", string];
  const state = findDeprecation(app.ctx, kind, name)?.state;
  return state === "gone" || state === "removed";
};

test("has no breaking change", async () => {
  expect(compare(lines(await snapshot.text()).map(fromLine), surface, retired).breaking).toEqual([]);
});

test("matches its stored copy: run `bun run surface` after an addition", async () => {
  expect(surface.map(toLine)).toEqual(lines(await snapshot.text()));
});

test("covers every stable operation and tool", () => {
  const named = [...new Set(surface.map(({ of }) => of).filter((of) => !of.startsWith("kind ")))];
  const files = [
    "/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/server.json",
    "/.well-known/ai-catalog.json",
    "/.well-known/api-catalog",
  ];
  const wellKnown = [
    "/.well-known/mcp/server-card.json",
    "/.well-known/agent-skills/index.json",
    "/.well-known/oauth-protected-resource",
  ];
  expect(named.toSorted()).toEqual(
    [
      "api",
      ...["getInfo", "getFeed", "listProjects", "getProject"].map((id) => `operation ${id}`),
      ...["svc_get_info", "svc_get_feed", "svc_get_project", "svc_get_methodology"].map(
        (name) => `tool ${name}`,
      ),
      ...[...files, ...wellKnown].map((path) => `file ${path}`),
    ].toSorted(),
  );
});

/** The surface with one line changed, lost or won. */
function changed(line: string, ...instead: string[]): Fact[] {
  const before = surface.map(toLine);
  const at = before.findIndex((one) => one.startsWith(line));
  if (line !== "" && at < 0) throw new Error(`there is no line ${line}`);
  return before.toSpliced(line === "" ? before.length : at, line === "" ? 0 : 1, ...instead).map(fromLine);
}
/** A line with a part of it replaced. */
const altered = (line: string, from: string, to: string): Fact[] => {
  const whole = must(surface.map(toLine).find((one) => one.startsWith(line)));
  if (!whole.includes(from)) throw new Error(`${whole} has no ${from}`);
  return changed(line, whole.replace(from, to));
};
const without = (of: string): Fact[] => surface.filter((one) => one.of !== of);
const withNew = (...added: string[]): Fact[] => changed("", ...added);

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
      "a closed list is opened that nobody may extend",
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
      () => altered(`${feed} in | lane`, "type=string", "type=string | pattern=^x"),
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

describe("the policy allows", () => {
  const additions: [what: string, after: () => Fact[], allowed: number][] = [
    [
      "a new optional parameter",
      () => withNew(`${feed} in | who | place=query | presence=optional | type=string`),
      1,
    ],
    [
      "a new response field",
      () => withNew(`${feed} out | events[].weather | presence=required | type=string`),
      1,
    ],
    ["a new kind of event", () => withNew("kind run.paused"), 1],
    [
      "a new value of the kind of an event",
      () => altered(`${feed} out | events[].kind`, "known=", "known=run.paused,"),
      0,
    ],
    [
      "a new tool, with arguments that it requires",
      () =>
        withNew(
          "tool svc_new | is |  | scope=feed:read",
          "tool svc_new | in | who | presence=required | type=string",
        ),
      2,
    ],
    [
      "a new operation",
      () =>
        withNew(
          "operation getMore | is |  | at=GET /more | scope=feed:read",
          "operation getMore | is | 200 | media=application/json",
        ),
      2,
    ],
    [
      "a new optional argument of a tool",
      () => withNew(`${tool} in | who | presence=optional | type=string`),
      1,
    ],
    ["a new problem", () => withNew(`${feed} is | 418`), 1],
    [
      "a new file, and a new member of one",
      () =>
        withNew(
          "file /new.json | is |  | type=application/json",
          "file /server.json | out | icons | type=array",
        ),
      2,
    ],
    [
      "that what is given is never null, or always there",
      () => altered(`${feed} out | next_before`, "null,string", "string"),
      0,
    ],
    ["that what is taken may be more", () => altered(`${feed} in | limit`, "maximum=200", "maximum=500"), 0],
    [
      "that no scope is needed any more",
      () => altered(`${feed} is |  |`, "scope=feed:read", "scope=none"),
      0,
    ],
    [
      "a whole number where a number was",
      () => altered(`${feed} out | events[].cost_equiv`, "type=number", "type=integer"),
      0,
    ],
  ];
  test.each(additions)("%s", (_, after, allowed) => {
    const changes = compare(surface, after());
    expect(changes.breaking).toEqual([]);
    expect(changes.allowed).toHaveLength(allowed);
  });
});

test("something may be removed only after its sunset", async () => {
  const clock = testClock("2027-03-31T23:59:59Z");
  const row = {
    kind: "operation",
    name: "listProjects",
    deprecated: "2027-01-01T00:00:00Z",
    sunset: "2027-04-01T00:00:00Z",
    replacement: null,
  } as const;
  await using later = await openApp("sqlite", { SVC_RATE_LIMIT: "60/60" }, clock, { deprecations: [row] });
  const isRetired = (of: string) =>
    of === "operation listProjects" &&
    findDeprecation(later.ctx, "operation", "listProjects")?.state !== "deprecated";
  expect(compare(surface, without("operation listProjects"), isRetired).breaking).toHaveLength(1);
  expect(compare(surface, await stableSurface(later), isRetired).breaking).toEqual([]);
  clock.set("2027-04-01T00:00:00Z");
  const after = await stableSurface(later);
  expect(after.some(({ of }) => of === "operation listProjects")).toBe(false);
  expect(compare(surface, after, isRetired).breaking).toEqual([]);
});
