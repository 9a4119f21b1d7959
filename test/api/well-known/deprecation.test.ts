/**
 * The versioning policy at work: what a table of deprecations makes of an operation, a tool, a field and a
 * file, day by day.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { httpOperations, toolOperations } from "../../../src/api/operations/index.ts";
import { signedUploadPath } from "../../../src/api/operations/raw/uploads.ts";
import {
  type Deprecation,
  deprecations,
  listDeprecations,
  noticeDays,
} from "../../../src/core/deprecation.ts";
import { paths } from "../../../src/core/info.ts";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import { mcpRequest } from "../../support/agents/mcp-clients.ts";
import { openApp, type TestApp, testClock } from "../../support/harness.ts";
import { repositoryRoot } from "../../support/repository.ts";

const days = { deprecated: "2027-01-01T00:00:00Z", sunset: "2027-04-01T00:00:00Z" };
const table: Deprecation[] = [
  { kind: "operation", name: "listProjects", replacement: "getFeed", ...days },
  { kind: "operation", name: "getProject", replacement: "getUsage", ...days },
  { kind: "operation", name: "listAssets", replacement: "getAsset", ...days },
  { kind: "tool", name: "svc_feed", replacement: "svc_get_feed", ...days },
  { kind: "tool", name: "svc_project", replacement: null, ...days },
  { kind: "field", name: "Event.subscription", replacement: "Event.model", ...days },
  { kind: "field", name: "getFeed.lane", replacement: null, ...days },
  { kind: "field", name: "svc_get_feed.lane", replacement: null, ...days },
  { kind: "file", name: paths.llmsFull, replacement: paths.llms, ...days },
  { kind: "file", name: paths.apiCatalog, replacement: null, ...days },
];

const clock = testClock();
let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_PUBLIC_READ: "1", SVC_RATE_LIMIT: "1000/60" }, clock, {
    deprecations: table,
  });
});
afterAll(() => app.close());

const within = "2027-03-31T23:59:59.5Z";
const gone = "2027-04-01T00:00:00Z";
const stillGone = "2027-04-30T23:59:59Z";
const removed = "2027-05-01T00:00:00Z";
beforeEach(() => clock.set(within));

// biome-ignore lint/suspicious/noExplicitAny: documents of others' shapes
const json = async (path: string): Promise<any> => (await app.ask(path)).json();
const fieldsOf = ({ headers }: Response) =>
  ["deprecation", "sunset", "link"].map((name) => headers.get(name));
const policy =
  '</docs/versioning>; rel="deprecation"; type="text/html", </docs/versioning>; rel="sunset"; type="text/html"';
const announced = (more = "") => ["@1798761600", "Thu, 01 Apr 2027 00:00:00 GMT", policy + more];

// biome-ignore lint/suspicious/noExplicitAny: results of a library
const mcp = async (method: string, params: Record<string, unknown> = {}): Promise<any> =>
  (await app.ask("/mcp", mcpRequest("older", method, params))).json();
const toolsListed = async (): Promise<
  { name: string; description: string; _meta?: object; inputSchema: object }[]
> => (await mcp("tools/list")).result.tools;
const called = (name: string) =>
  mcp("tools/call", { name, arguments: name === "svc_project" ? { slug: "atlas" } : {} });

describe("a deprecated operation", () => {
  test("sends Deprecation, Sunset, and links to the policy and the replacement with every response", async () => {
    const instead = ', </api/v1/feed>; rel="successor-version"';
    expect(fieldsOf(await app.ask("/api/v1/projects"))).toEqual(announced(instead));
    expect(fieldsOf(await app.ask("/api/v1/projects", { method: "HEAD" }))).toEqual(announced(instead));
    const refused = await app.ask("/api/v1/projects?limit=0");
    expect([refused.status, ...fieldsOf(refused)]).toEqual([400, ...announced(instead)]);
    const unknown = await app.ask("/api/v1/projects/atlas");
    expect([unknown.status, ...fieldsOf(unknown)]).toEqual([
      404,
      ...announced(', </api/v1/projects/atlas/usage>; rel="successor-version"'),
    ]);
    const anonymous = await app.ask("/api/v1/assets");
    // An id is needed for what takes its place, so the link leads to where that is described.
    expect([anonymous.status, ...fieldsOf(anonymous)]).toEqual([
      401,
      ...announced(', </docs/api#getAsset>; rel="successor-version"'),
    ]);
  });

  test("sends the headers with a 429, too", async () => {
    await using tight = await openApp("sqlite", { SVC_RATE_LIMIT: "1/60" }, clock, { deprecations: table });
    await tight.ask("/api/v1/info");
    const limited = await tight.ask("/api/v1/assets");
    expect([limited.status, fieldsOf(limited)[0]]).toEqual([429, "@1798761600"]);
  });

  test("affects neither other operations nor the web pages", async () => {
    for (const path of ["/api/v1/feed", "/api/v1/info", "/web/projects"])
      expect([path, ...fieldsOf(await app.ask(path))]).toEqual([path, null, null, null]);
  });

  test("is marked in the OpenAPI document, with its replacement", async () => {
    const { paths: described } = await json(paths.openapi);
    expect(described["/projects"].get).toMatchObject({
      deprecated: true,
      description: expect.stringContaining(
        "Deprecated since 2027-01-01, works until 2027-04-01. Use `getFeed` instead.",
      ),
    });
    const { responses } = described["/projects"].get;
    for (const status of ["200", "400", "410", "500"])
      expect(Object.keys(responses[status].headers)).toEqual(
        expect.arrayContaining(["Deprecation", "Sunset", "Link"]),
      );
    expect(described["/feed"].get.deprecated).toBeUndefined();
    expect(described["/feed"].get.responses["410"]).toBeUndefined();
  });

  test("returns 410 with its replacement for thirty days from its sunset, then 404", async () => {
    // What is kept for those who poll ends with it.
    expect((await app.ask("/api/v1/projects")).status).toBe(200);
    for (const time of [gone, stillGone]) {
      clock.set(time);
      for (const path of ["/api/v1/projects", "/api/v1/assets"]) {
        const answer = await app.ask(path);
        expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
          path,
          410,
          "application/problem+json",
        ]);
        expect(fieldsOf(answer)[0]).toBe("@1798761600");
        expect(await answer.json()).toMatchObject({
          title: "Gone",
          status: 410,
          detail: expect.stringContaining("retired on 2027-04-01; use"),
        });
      }
    }
    clock.set(removed);
    const answer = await app.ask("/api/v1/projects");
    expect([answer.status, ...fieldsOf(answer)]).toEqual([404, null, null, null]);
    expect((await app.ask("/api/v1/projects", { method: "DELETE" })).status).toBe(404);
    expect((await app.ask("/api/v1/assets", { method: "DELETE" })).headers.get("allow")).toBe(
      "POST, OPTIONS",
    );
    expect((await app.ask("/web/projects")).status).toBe(200);
  });

  test("is in no document after its sunset", async () => {
    expect(Object.keys((await json(paths.openapi)).paths)).toContain("/projects");
    clock.set(gone);
    const { paths: described } = await json(paths.openapi);
    expect(described["/projects"]).toBeUndefined();
    expect(Object.keys(described["/assets"])).toEqual(["post"]);
  });
});

describe("a deprecated tool", () => {
  test("says so in its description, and works as before", async () => {
    const tool = (await toolsListed()).find(({ name }) => name === "svc_feed");
    expect(tool?.description).toEndWith(
      "Deprecated since 2027-01-01, works until 2027-04-01. Use `svc_get_feed` instead.",
    );
    expect(tool?._meta).toEqual({ deprecated: true, sunset: days.sunset, replacement: "svc_get_feed" });
    expect((await called("svc_feed")).result.isError).toBeUndefined();
  });

  test("is not listed after its sunset; a call names the replacement, and a month later the tool is unknown", async () => {
    clock.set(gone);
    expect((await toolsListed()).map(({ name }) => name)).not.toContain("svc_feed");
    const capabilities = (await json(paths.aiCatalog)).entries[0].capabilities;
    expect(capabilities).not.toContain("svc_feed");
    expect(capabilities).toContain("svc_get_feed");
    expect((await called("svc_feed")).result).toMatchObject({
      isError: true,
      content: [{ text: "svc_feed was retired on 2027-04-01; use svc_get_feed instead." }],
    });
    expect((await called("svc_project")).result.content[0].text).toBe(
      "svc_project was retired on 2027-04-01.",
    );
    clock.set(removed);
    expect((await called("svc_feed")).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("Unknown tool 'svc_feed'"),
    });
  });
});

test("a deprecated field is marked in its schema, among the parameters and in the tool", async () => {
  const { components, paths: described } = await json(paths.openapi);
  const { subscription, model } = components.schemas.Event.properties;
  expect(subscription).toMatchObject({
    deprecated: true,
    description: expect.stringContaining("Use `Event.model` instead."),
  });
  expect(model.deprecated).toBeUndefined();
  const parameters = described["/feed"].get.parameters as { name: string; deprecated?: true }[];
  expect(parameters.filter((one) => one.deprecated).map(({ name }) => name)).toEqual(["lane"]);
  const tool = (await toolsListed()).find(({ name }) => name === "svc_get_feed");
  expect(tool?.inputSchema).toMatchObject({ properties: { lane: { deprecated: true } } });
});

describe("a deprecated file", () => {
  test("sends the headers for GET, HEAD and 304", async () => {
    const instead = announced(', </llms.txt>; rel="successor-version"');
    const whole = await app.ask(paths.llmsFull);
    expect(fieldsOf(whole)).toEqual(instead);
    expect(fieldsOf(await app.ask(paths.llmsFull, { method: "HEAD" }))).toEqual(instead);
    const same = await app.ask(paths.llmsFull, {
      headers: { "if-none-match": whole.headers.get("etag") as string },
    });
    expect([same.status, ...fieldsOf(same)]).toEqual([304, ...instead]);
    expect(whole.headers.get("access-control-expose-headers")).toContain("Deprecation");
  });

  test("keeps its other links", async () => {
    const link = (await app.ask(paths.apiCatalog)).headers.get("link");
    expect(link).toContain('rel="api-catalog"');
    expect(link).toContain(policy);
  });

  test("returns 410, then 404", async () => {
    clock.set(gone);
    const answer = await app.ask(paths.llmsFull);
    expect([answer.status, answer.headers.get("sunset")]).toEqual([410, "Thu, 01 Apr 2027 00:00:00 GMT"]);
    clock.set(removed);
    expect((await app.ask(paths.llmsFull)).status).toBe(404);
  });
});

test("each deprecation has a state that depends on the date", () => {
  const statesAt = (time: string) => {
    clock.set(time);
    return [...new Set(listDeprecations(app.ctx).map(({ state }) => state))];
  };
  expect([within, gone, stillGone, removed].map(statesAt)).toEqual([
    ["deprecated"],
    ["gone"],
    ["gone"],
    ["removed"],
  ]);
});

/** What is wrong with a table by the policy. */
async function faultsOf(rows: readonly Deprecation[]): Promise<string[]> {
  const names = {
    operation: httpOperations.map((op) => op.id),
    tool: toolOperations.map((op) => op.tool.name),
    file: Object.values(paths) as string[],
    field: rows.flatMap((row) => (row.kind === "field" ? [row.name] : [])),
  };
  const changelog = await Bun.file(join(repositoryRoot, "CHANGELOG.md")).text();
  const notes = await Bun.file(
    join(repositoryRoot, "src/api/docs/pages/reference/agent-readiness.md"),
  ).text();
  return rows.flatMap(({ kind, name, deprecated, sunset, replacement }) => {
    const notice = (toMicros(sunset) - toMicros(deprecated)) / dayMicros;
    const wrong: [boolean, string][] = [
      [!(notice >= noticeDays), `has ${notice} days of notice, not ${noticeDays}`],
      [!names[kind].includes(name), "is not there"],
      [
        replacement !== null && kind !== "field" && !names[kind].includes(replacement),
        `has no replacement ${replacement}`,
      ],
      [!changelog.includes(name), "is not in the changelog"],
      [!notes.includes(name), "is not in the agent-readiness notes"],
    ];
    return wrong.flatMap(([is, says]) => (is ? [`${kind} ${name} ${says}`] : []));
  });
}

test("each deprecation gives ninety days of notice, names something that exists, and is announced", async () => {
  expect(await faultsOf(deprecations)).toEqual([]);
  const row = {
    kind: "tool",
    name: "svc_lost",
    deprecated: "2027-01-01T00:00:00Z",
    sunset: "2027-03-31T00:00:00Z",
    replacement: "svc_found",
  } as const;
  expect(await faultsOf([row])).toEqual([
    "tool svc_lost has 89 days of notice, not 90",
    "tool svc_lost is not there",
    "tool svc_lost has no replacement svc_found",
    "tool svc_lost is not in the changelog",
    "tool svc_lost is not in the agent-readiness notes",
  ]);
});

test("nothing is deprecated today, so no response or document says so", async () => {
  expect(deprecations).toEqual([]);
  await using today = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
  for (const path of ["/api/v1/projects", paths.llmsFull])
    expect(fieldsOf(await today.ask(path))).toEqual([null, null, null]);
  const document = await (await today.ask(paths.openapi)).json();
  delete document.paths[signedUploadPath]; // an upload that has expired is a 410
  expect(JSON.stringify(document)).not.toMatch(/"deprecated"|"410"|Sunset/);
});
