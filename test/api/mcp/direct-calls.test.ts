/** Tool calls that are answered without the MCP library, beside the same calls answered by it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isSpecType, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import type { Context } from "../../../src/api/context.ts";
import { protocolVersions } from "../../../src/api/mcp/server-info.ts";
import { answerHandshake } from "../../../src/api/mcp/stdio/handshake.ts";
import type { LineStreams } from "../../../src/api/mcp/stdio/lines.ts";
import { serveMcpLines } from "../../../src/api/mcp/stdio/stdio.ts";
import type { Era as ConnectionEra } from "../../../src/api/mcp/tools/call-era.ts";
import { answerDirectly, findDirectCall, isPlainCall } from "../../../src/api/mcp/tools/direct-calls.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { type Era, envelope, eras, mcpRequest, message } from "../../support/agents/mcp-clients.ts";
import { event, must, openApp, type TestApp } from "../../support/harness.ts";

/** svc ignores it, and leaves calls with it to the library. */
const unknownParameter = { unknown: true };

const calls: [title: string, name: string, args: Record<string, unknown>][] = [
  ["a page of the feed", "svc_get_feed", { limit: 1 }],
  ["a public document", "svc_get_info", {}],
  ["text only", "svc_brief", { project: "atlas", intent: "cache" }],
  ["an invalid argument", "svc_get_feed", { limit: 0 }],
  ["a project that does not exist", "svc_recall", { q: "cache", project: "nowhere" }],
  ["a missing scope", "svc_asset_list", {}],
];

const summaries = ["First", "Second: 😀 <data-0 by=x>"];

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await openApp("sqlite");
  await app.ctx.data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1));
  await app.ctx.data.append(summaries.map((summary) => event({ project: "atlas", summary })));
  token = await app.mint(["feed:read", "memory:read"]);
});
afterAll(() => app.close());

const params = (name: string, args: Record<string, unknown>, more = {}) => ({
  name,
  arguments: args,
  ...more,
});
const headersOf = (era: Era, name: string) =>
  new Headers(mcpRequest(era, "tools/call", params(name, {})).headers as Record<string, string>);

describe.each(eras)("of the %s protocol", (era) => {
  test.each(calls)("a call for %s gets the response that the library gives", async (_, name, args) => {
    const ask = async (more: object) => {
      const response = await app.ask("/mcp", {
        ...mcpRequest(era, "tools/call", params(name, args, more)),
        token,
      });
      return [response.status, response.headers.get("content-type"), await response.text()];
    };
    const direct = await ask({});
    expect(direct[0]).toBe(200);
    expect(direct).toEqual(await ask(unknownParameter));
  });

  test("an ordinary call is answered directly, and others by the library", () => {
    const find = (name: string, more = {}, headers: Record<string, string> = {}) => {
      const all = headersOf(era, name);
      for (const [header, value] of Object.entries(headers)) all.set(header, value);
      return findDirectCall(app.ctx, message(era, "tools/call", params(name, {}, more)), all)?.era;
    };
    const served: ConnectionEra = era === "modern" ? "modern" : "legacy";
    expect(find("svc_get_feed")).toBe(served);
    for (const other of [
      find("svc_nope"),
      find("svc_wait_for_review"), // reports progress
      find("svc_get_feed", unknownParameter),
      find("svc_get_feed", { arguments: "x" }),
      find("svc_get_feed", {}, { "mcp-protocol-version": "1999-01-01" }),
    ])
      expect(other).toBeUndefined();
  });
});

/** Ordinary calls, and almost ordinary ones. */
const odd = (change: object) => ({
  ...message("older", "tools/call", params("svc_get_info", {})),
  ...change,
});
const messages: unknown[] = [
  ...[null, true, 1, "tools/call", [], {}, odd({}), odd({ id: "one" }), odd({ id: 0 }), odd({ id: -1 })],
  ...[odd({ id: null }), odd({ id: 1.5 }), odd({ id: 2 ** 53 }), odd({ id: {} }), odd({ id: undefined })],
  ...[odd({ jsonrpc: "1.0" }), odd({ jsonrpc: undefined }), odd({ method: "tools/list" }), odd({ more: 1 })],
  ...[[odd({})], odd({ params: [] }), odd({ params: "svc_get_info" }), odd({ params: {} })],
  ...[odd({ params: { name: 1 } }), odd({ params: { name: "svc_get_info" } })],
  ...[null, [], "x", 1, {}, { limit: null }].map((args) =>
    odd({ params: { name: "svc_get_feed", arguments: args } }),
  ),
].map((one) => JSON.parse(JSON.stringify(one)));

test("what is answered directly is valid to the library", () => {
  const plain = messages.filter(isPlainCall);
  expect(plain).toHaveLength(7);
  for (const one of plain) {
    expect([one, isSpecType.CallToolRequest(one)]).toEqual([one, true]);
    expect(parseJSONRPCMessage(one)).toEqual(one);
  }
});

test("a call is judged by its own parameters, whatever was judged before", () => {
  const era = (_meta: unknown, headers?: Headers) =>
    findDirectCall(app.ctx, odd({ params: params("svc_get_info", {}, { _meta }) }), headers)?.era ?? null;
  const later = { ...envelope, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  const [headers, otherTool] = ["svc_get_info", "svc_get_feed"].map((name) => headersOf("modern", name));
  for (let time = 0; time < 2; time++) {
    expect([era({}), era({ progressToken: 1 })]).toEqual(["legacy", "legacy"]);
    expect([era(envelope), era(envelope, headers)]).toEqual(["modern", "modern"]);
    for (const refused of [
      era({ progressToken: {} }),
      era({}, headers),
      era(envelope, new Headers()),
      era(envelope, otherTool),
      era(later),
      era(later, headers),
    ])
      expect(refused).toBeNull();
  }
});

test("the same output has the tags of its own deployment", async () => {
  const other = { ...app.ctx, secret: "of another deployment" };
  const textOf = async (ctx: Context) => {
    const call = findDirectCall(ctx, odd({ params: params("svc_get_feed", { kind: "run.failed" }) }));
    return answerDirectly(ctx, must(call), () => adminCaller, true);
  };
  const [first, second, again] = [await textOf(app.ctx), await textOf(other), await textOf(app.ctx)];
  expect(first).toContain('"structuredContent":{"events":[],');
  expect([first === second, again]).toEqual([false, first]);
});

const plainStreams = async (streams: LineStreams) => streams;

/**
 * Serves these messages in this process.
 * @param greet answers the first of them, or leaves it to the library
 * @returns the lines that it writes, in order
 */
async function serveLines(
  messages: object[],
  greet: (streams: LineStreams) => Promise<LineStreams> = plainStreams,
): Promise<string[]> {
  const written: string[] = [];
  async function* input() {
    for (const sent of messages) yield new TextEncoder().encode(`${JSON.stringify(sent)}\n`);
  }
  const write = async (lines: string) => void written.push(...lines.split("\n"));
  const streams = await greet({ input: input(), write });
  await serveMcpLines(Promise.resolve(app.ctx), () => adminCaller, streams);
  return written;
}

/** A handshake, with these members of `params` in place of plain ones. */
const initialize = (id: unknown, change: object = {}) => ({
  ...message("older", "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: { roots: { listChanged: true }, sampling: {} },
    clientInfo: { name: "a client", title: "A client", version: "1" },
    ...change,
  }),
  id,
});

test("a handshake gets one response, which the library gives too, before the library is there", async () => {
  for (const [first, isAnswered] of [
    ...protocolVersions.slice(1).map((protocolVersion) => [initialize(0, { protocolVersion }), true]),
    [initialize("one", { capabilities: {} }), true],
    [initialize(1, { protocolVersion: "1999-01-01" }), false],
    [initialize(1, { protocolVersion: protocolVersions[0] }), false],
    [initialize(1, { clientInfo: { name: "without a version" } }), false],
    [initialize(1, { clientInfo: { name: "a", version: "1", icons: [] } }), false],
    [initialize(1, { capabilities: { roots: 1 } }), false],
    [initialize(1, { _meta: {} }), false],
    [initialize(null), false],
    [message("older", "tools/list"), false],
  ] as [object, boolean][]) {
    const next = { ...message("older", "resources/templates/list"), id: "next" };
    const greeted: unknown[] = [];
    const lines = await serveLines([first, next], async (streams) => {
      const handshake = await answerHandshake(streams);
      greeted.push(handshake.answered);
      return handshake;
    });
    expect([first, greeted[0] !== null]).toEqual([first, isAnswered]);
    expect(lines).toEqual(await serveLines([first, next]));
  }
});

describe.each(eras)("on stdio, of the %s protocol", (era) => {
  const call = (id: number, more = {}) => ({
    ...message(era, "tools/call", params("svc_get_feed", { limit: 1 }, more)),
    id,
  });

  test("a direct call gets the response that the library gives", async () => {
    const lines = await serveLines([call(1), call(2), call(3), call(4, unknownParameter)]);
    expect(lines.map((text) => (JSON.parse(text) as { id: number }).id).toSorted()).toEqual([1, 2, 3, 4]);
    const results = new Set(lines.map((text) => text.replace(/"id":\d}$/, "")));
    expect([...results]).toEqual([expect.stringContaining('"structuredContent":{"events":[{')]);
  });

  test("a call that was canceled gets no response", async () => {
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } };
    const lines = await serveLines([call(1), call(2), call(3), cancelled, call(4)]);
    expect(lines.map((text) => (JSON.parse(text) as { id: number }).id).toSorted()).toEqual([1, 2, 4]);
  });
});
