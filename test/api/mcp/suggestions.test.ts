/** What tools say about unknown ids, and the schema and form of what they return. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Scope } from "../../../src/core/auth/scopes.ts";
import { mcpRequest, textOf } from "../../support/agents/mcp-clients.ts";
import {
  calls,
  file,
  type Library,
  openLibrary,
  request,
  textTools,
  upload,
} from "../../support/agents/mcp-library.ts";
import { must } from "../../support/harness.ts";

test("structured content matches the listed output schema", async () => {
  await using library = await openLibrary("sqlite");
  const listed = await library.ask("/mcp", mcpRequest("modern", "tools/list"));
  const { tools } = (
    (await listed.json()) as { result: { tools: { name: string; outputSchema?: object }[] } }
  ).result;
  const ajv = addFormats(new Ajv2020({ strict: false }));
  for (const { name, outputSchema } of tools) {
    const { structuredContent } = await request(
      library,
      library.token,
      name,
      await must(calls[name])(library),
    );
    if (outputSchema)
      expect([name, ajv.validate(outputSchema, structuredContent), ajv.errors]).toEqual([name, true, null]);
    if (textTools.has(name))
      expect([name, outputSchema, structuredContent]).toEqual([name, undefined, undefined]);
  }
});

describe("an error for something unknown suggests a tool that the caller may use:", () => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary("sqlite");
  });
  afterAll(() => library.close());

  const unknown = "01J9ZC5W8Q4T3M2N1K0H7G6F5D";
  const finalize = { id: unknown, project: "atlas", key: `atlas/${unknown}/a.txt` };
  const upload = { project: "atlas", filename: "a.txt" };
  const missing: [
    thing: string,
    scopes: Scope[],
    tool: string,
    args: Record<string, unknown>,
    says: RegExp,
    not: RegExp,
  ][] = [
    ["an asset", ["assets:read"], "svc_asset_get", { id: unknown }, /svc_asset_list/, /slug|svc_get_feed/],
    [
      "an asset to replace",
      ["assets:write"],
      "svc_asset_request_upload",
      { ...upload, replaces: unknown },
      /asset's id/,
      /svc_asset_list|slug/,
    ],
    [
      "a model",
      ["memory:read"],
      "svc_guidance",
      { model: "nope" },
      /Known models: none\..*model/,
      /slug|svc_get_feed/,
    ],
    [
      "an upload",
      ["assets:write"],
      "svc_asset_finalize",
      finalize,
      /svc_asset_request_upload/,
      /slug|svc_get_feed/,
    ],
    [
      "a project",
      ["feed:read"],
      "svc_get_project",
      { slug: "nope" },
      /Known projects: .*atlas/,
      /svc_|Ask the user/,
    ],
    [
      "a project of memory",
      ["memory:read"],
      "svc_brief",
      { project: "nope" },
      /Known projects: .*atlas/,
      /svc_|Ask the user/,
    ],
    [
      "a project of assets",
      ["assets:write"],
      "svc_asset_request_upload",
      { ...upload, project: "nope" },
      /Ask the user for the project's slug/,
      /svc_(get_)?feed|atlas/,
    ],
  ];
  test.each(missing)("%s", async (_, scopes, tool, args, says, not) => {
    const token = await library.mint(scopes);
    const answer = await request(library, token, tool, args);
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toMatch(says);
    expect(textOf(answer)).not.toMatch(not);
  });
});

test("a result names the arguments that were ignored", async () => {
  await using library = await openLibrary("sqlite");
  const textsOf = async (tool: string, args: Record<string, unknown>) => {
    const { content } = await request(library, library.token, tool, args);
    return (content as { text: string }[]).map(({ text }) => text);
  };
  const ignored = "Ignored unknown arguments: ticket. Known: ";
  const [brief, note, ...rest] = await textsOf("svc_brief", { project: "atlas", ticket: "Draw the map" });
  expect([brief, note, rest]).toEqual([
    expect.stringContaining("# Brief for atlas"),
    expect.stringContaining(`${ignored}project, intent, issue`),
    [],
  ]);
  expect((await textsOf("svc_get_feed", { ticket: "x" }))[1]).toStartWith(ignored);
  expect(await textsOf("svc_get_feed", {})).toHaveLength(1);
});

test("reading an asset includes its image if it is small", async () => {
  await using library = await openLibrary("sqlite");
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const token = await library.mint(["assets:read"]);
  const read = async (id: string) => {
    const response = await library.ask("/mcp", {
      ...mcpRequest("modern", "resources/read", { uri: `svc://assets/${id}` }),
      token,
    });
    return ((await response.json()) as { result: { contents: { mimeType: string; blob?: string }[] } }).result
      .contents;
  };
  const image = await upload(library, { project: "atlas" }, file("dot.png", png));
  const [text, picture] = await read(image);
  expect(text?.mimeType).toBe("text/plain");
  expect(picture).toMatchObject({ mimeType: "image/png", blob: png.toString("base64") });
  const note = await upload(library, { project: "atlas" });
  expect(await read(note)).toHaveLength(1);
});

test("an event is one line with its task and URL, if it has them", async () => {
  await using library = await openLibrary("sqlite");
  const fields = {
    kind: "pr.opened",
    actor: "human:mara",
    summary: "PR #12 opened",
    project: "atlas",
  } as const;
  const task = { issue: 7, pr: 12, url: "https://github.com/acme/atlas/pull/12" };
  await library.ctx.data.atomically((writes) => writes.append([fields, { ...fields, ...task }]));
  const text = textOf(await request(library, library.token, "svc_feed", { kind: "pr.opened" }));
  expect(text).toMatch(/Z pr\.opened atlas human:mara: PR #12 opened<\/data/);
  expect(text).toMatch(
    /Z pr\.opened atlas #7 PR 12 human:mara: PR #12 opened https:\/\/github\.com\/acme\/atlas\/pull\/12$/m,
  );
});
