/**
 * The stable surface never breaks: it is written down in stable-surface.txt, and what the policy does not
 * allow fails here with the rule that it breaks. What the policy allows is written down by `bun run surface`.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findDeprecation } from "../../../src/core/deprecation.ts";
import { openApp, type TestApp, testClock } from "../../support/harness.ts";
import { type Fact, fromLine, stableSurface, toLine } from "../../support/http/stable-surface.ts";
import { compare } from "../../support/http/surface-breaks.ts";
import { surfaceEdits } from "../../support/http/surface-edits.ts";
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

const { altered, without, withNew } = surfaceEdits(() => surface);

const feed = "operation getFeed |";
const tool = "tool svc_get_feed |";

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
