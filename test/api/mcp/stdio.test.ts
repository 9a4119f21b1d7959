/**
 * `svc mcp`: nothing but JSON-RPC on standard output, whatever comes in, and never more than the caller may.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { toolOperations } from "../../../src/api/operations/index.ts";
import {
  connectStdio,
  eras,
  generations,
  message,
  type ToolAnswer,
  textOf,
} from "../../support/agents/mcp-clients.ts";
import {
  linkIn,
  migratedDatabase,
  program,
  programCommand,
  programEnvironment,
  type TestDatabase,
  temporaryFolder,
} from "../../support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await migratedDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, SVC_ASSET_STORE: "none", SVC_PUBLIC_STORE: "none" };
  for (const slug of ["atlas", "borealis"]) await linkIn(database, slug);
});
afterAll(() => database.close());

interface Reply {
  jsonrpc: string;
  id: number | null;
  result?: ToolAnswer & { tools?: unknown[] };
  error?: { code: number; message: string };
}

/** Writes all of the input at once, closes it, and waits for the end. */
async function told(input: string | Uint8Array, args: string[] = [], more: Record<string, string> = {}) {
  const child = Bun.spawn([...programCommand(), "mcp", ...args], {
    env: programEnvironment({ ...env, ...more }),
    stdin: new Blob([input as string]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, output, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const lines = output.split("\n").filter(Boolean);
  const replies = lines.map((line) => JSON.parse(line) as Reply);
  for (const { jsonrpc } of replies) expect(jsonrpc).toBe("2.0");
  return { code, replies, errors, replyTo: (id: number) => replies.find((reply) => reply.id === id) };
}

const line = (id: number, method: string, params = {}) =>
  `${JSON.stringify({ ...message("older", method, params), id })}\n`;
const call = (id: number, name: string, args = {}) => line(id, "tools/call", { name, arguments: args });

describe.each(generations)("%s", (generation) => {
  test("lists every tool, calls one, and ends the program by disconnecting", async () => {
    await using connected = await connectStdio(generation, env);
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(toolOperations.map(({ tool }) => tool.name));
    const page = (await connected.client.callTool({
      name: "svc_get_feed",
      arguments: { project: "atlas" },
    })) as ToolAnswer;
    expect(page.structuredContent).toMatchObject({
      count: 1,
      events: [{ kind: "project.linked", project: "atlas" }],
    });
    const { resources } = await connected.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("svc://projects/borealis");
  });
});

describe("input", () => {
  test("every request is answered before the program exits with 0 at the end of input", async () => {
    const count = 50;
    const input = Array.from({ length: count }, (_, index) =>
      call(index + 1, "svc_get_feed", { limit: 1 }),
    ).join("");
    const { code, replies, errors } = await told(input);
    expect([code, replies.length, errors]).toEqual([0, count, ""]);
    expect(replies.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: count }, (_, i) => i + 1),
    );
    for (const { result } of replies) expect(result?.structuredContent).toMatchObject({ count: 1 });
  });

  test("no input exits with 0 and no output", async () => {
    expect(await told("")).toMatchObject({ code: 0, replies: [], errors: "" });
  });

  test.each([
    ["garbage", "this is no JSON\n", -32700],
    ["binary garbage", new Uint8Array([0xff, 0xfe, 0x00, 0x80, 0x0a]), -32700],
    ["half a message", '{"jsonrpc":"2.0","id":9,"meth\n', -32700],
    ["nesting without end", `${"[".repeat(100_000)}\n`, -32700],
    ["a batch", `[${JSON.stringify(message("older", "tools/list"))}]\n`, -32600],
    ["what is no JSON-RPC", '{"hello":"world"}\n', -32600],
    ["a line of ten megabytes", `${"x".repeat(10_000_000)}\n`, -32700],
  ])("%s is answered with an error, and the next line is still served", async (_, input, code) => {
    const bytes = Buffer.concat([Buffer.from(input as string), Buffer.from(call(1, "svc_get_info"))]);
    const { replies, replyTo, code: exit } = await told(bytes);
    expect([exit, replies.length, replies.find(({ id }) => id === null)?.error?.code]).toEqual([0, 2, code]);
    expect(replyTo(1)?.result?.structuredContent).toMatchObject({ name: "svc" });
  });

  test.each([
    ["a byte order mark", `\ufeff${call(1, "svc_get_info")}`],
    ["carriage returns", call(1, "svc_get_info").replace("\n", "\r\n")],
    ["empty lines", `\n\r\n  \n${call(1, "svc_get_info")}\n\n`],
    ["no line break at the end", call(1, "svc_get_info").trimEnd()],
  ])("%s is handled", async (_, input) => {
    const { replies, replyTo, code } = await told(input);
    expect([code, replies.length]).toEqual([0, 1]);
    expect(replyTo(1)?.result?.structuredContent).toMatchObject({ name: "svc" });
  });

  test("a message of 1.5 MB is refused with its id, and the next line is answered", async () => {
    const { replyTo, code } = await told(
      call(1, "svc_get_feed", { actor: `agent:${"x".repeat(1_500_000)}` }) + call(2, "svc_get_info"),
    );
    expect([code, replyTo(1)?.result?.isError, replyTo(2)?.result?.isError]).toEqual([0, true, undefined]);
  });

  test("null arguments count as absent", async () => {
    const input =
      line(1, "tools/call", { name: "svc_get_info", arguments: null }) +
      call(2, "svc_get_feed", { project: null, limit: null });
    const { replyTo } = await told(input + line(3, "resources/list", { cursor: null }));
    expect(replyTo(1)?.result?.structuredContent).toMatchObject({ name: "svc" });
    expect(replyTo(2)?.result?.structuredContent).toMatchObject({ count: 2 });
    expect(replyTo(3)?.error).toBeUndefined();
  });

  test("input may end in the middle of a message", async () => {
    const { replies, replyTo, code } = await told(`${call(1, "svc_get_info")}{"jsonrpc":"2.0","id":2,"met`);
    expect([code, replies.length]).toEqual([0, 2]);
    expect(replyTo(1)?.result?.structuredContent).toMatchObject({ name: "svc" });
  });

  test("a canceled request does not keep the program running", async () => {
    const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n';
    expect((await told(call(1, "svc_get_feed") + cancelled)).code).toBe(0);
  });

  test("both protocol generations are served, chosen by the first line", async () => {
    for (const era of eras) {
      const { replyTo } = await told(`${JSON.stringify(message(era, "tools/list"))}\n`);
      expect(replyTo(1)?.result?.tools).toHaveLength(toolOperations.length);
    }
  });
});

describe("the caller", () => {
  const mint = async (name: string, ...args: string[]) =>
    (await program(["token", "create", name, ...args], env)).output.trim();
  const refusal = ({ result }: Reply = { jsonrpc: "2.0", id: null }) =>
    result?.isError ? textOf(result) : null;

  test("without a token, has every scope", async () => {
    const { replies } = await told(call(1, "svc_get_feed") + call(2, "svc_asset_list"));
    for (const reply of replies) expect([reply.id, refusal(reply)]).toEqual([reply.id, null]);
  });

  test("is limited by --scopes", async () => {
    const { replyTo } = await told(call(1, "svc_get_feed") + call(2, "svc_asset_list"), [
      "--scopes",
      "assets:read,memory:read",
    ]);
    expect(refusal(replyTo(1))).toBe(
      "This requires the scope feed:read. Ask the user to restart `svc mcp` with a SVC_TOKEN or --scopes that include it.",
    );
    expect(refusal(replyTo(2))).toBeNull();
  });

  test("is limited to the scopes and projects of SVC_TOKEN, and further by --scopes", async () => {
    const token = await mint("narrow", "--scopes", "feed:read,assets:read", "--project", "atlas");
    const input =
      call(1, "svc_get_feed") + call(2, "svc_get_project", { slug: "borealis" }) + call(3, "svc_asset_list");
    const { replyTo } = await told(input, [], { SVC_TOKEN: token });
    expect(replyTo(1)?.result?.structuredContent).toMatchObject({ count: 1, events: [{ project: "atlas" }] });
    expect(refusal(replyTo(2))).toContain("No project with slug 'borealis'");
    expect(refusal(replyTo(3))).toBeNull();
    const narrower = await told(input, ["--scopes", "feed:read,feed:write"], { SVC_TOKEN: token });
    expect(refusal(narrower.replyTo(1))).toBeNull();
    expect(refusal(narrower.replyTo(3))).toContain("assets:read");
  });

  test("is refused at the next call after the token is revoked", async () => {
    const token = await mint("soon-gone", "--scopes", "feed:read");
    await using connected = await connectStdio("client 2, 2026-07-28", {
      ...env,
      SVC_TOKEN: token,
      SVC_PUBLIC_READ: "1",
    });
    const ask = async () =>
      (await connected.client.callTool({ name: "svc_get_feed", arguments: {} })) as ToolAnswer;
    expect((await ask()).isError).toBeFalsy();
    await program(["token", "revoke", "soon-gone"], env);
    const refused = await ask();
    expect([refused.isError, textOf(refused)]).toEqual([
      true,
      expect.stringMatching(/revoked or have expired\. Ask the user to restart `svc mcp`/),
    ]);
  });

  test("with an unknown token gets one line on stderr and exit code 1, with an unknown scope exit code 2", async () => {
    const unknown = await told("", [], { SVC_TOKEN: "svc_unknown" });
    expect([unknown.code, unknown.errors]).toEqual([
      1,
      "svc: The token in SVC_TOKEN is not valid. It may have been revoked or have expired.\n",
    ]);
    const bad = await told("", ["--scopes", "feed:read,root"]);
    expect([bad.code, bad.errors]).toStrictEqual([
      2,
      expect.stringMatching(/^svc: Unknown scope "root" in --scopes\. Scopes: feed:read, .*\n$/),
    ]);
  });
});

test("an invalid database prints one line on stderr and exits with 1", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "svc.db");
  await Bun.write(path, "no database");
  const { code, replies, errors } = await told("", [], { SVC_DATABASE_URL: `sqlite:${path}` });
  expect([code, replies, errors.trim().split("\n").length]).toEqual([1, [], 1]);
  expect(errors).toStartWith("svc: ");
});
