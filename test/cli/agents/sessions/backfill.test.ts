/** `svc backfill`: what it asks, skips, remembers and follows. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../../../src/feed/schema.ts";
import { type AgentHome, agentHome } from "../../../support/agents/agent-home.ts";
import { writeSession } from "../../../support/agents/session-home.ts";
import { programCommand, programEnvironment } from "../../../support/harness.ts";

const day = 86_400_000;

describe("svc backfill", () => {
  let home: AgentHome;
  let data: string;
  beforeAll(async () => {
    home = await agentHome({});
    data = join(home.path, "data");
  });
  beforeEach(() => {
    for (const folder of [".claude", ".state", "data"])
      rmSync(join(home.path, folder), { recursive: true, force: true });
    mkdirSync(data);
  });
  afterAll(async () => home?.[Symbol.asyncDispose]());

  const svc = (...args: string[]) => home.svc([...args, "--data-dir", data]);
  const link = () => svc("project", "link", "atlas", "--repo", "acme/atlas", "--quiet");
  const path = (id: string, folder = "-p") => join(home.path, ".claude/projects", folder, `${id}.jsonl`);
  const answer = (number: number, ms: number, fields: object = {}) => ({
    ...{
      type: "assistant",
      sessionId: "s",
      requestId: `req_${number}`,
      cwd: home.repository,
      gitBranch: "main",
    },
    timestamp: new Date(ms).toISOString(),
    message: {
      ...{ id: `msg_${number}`, model: "claude-sonnet-4-5", content: [{ type: "text", text: "secretword" }] },
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
    },
    ...fields,
  });
  const session = (id: string, ...lines: (object | string)[]) =>
    writeSession(path(id), lines, new Date(start + day));
  const start = Date.now() - 20 * day;
  const json = async (...args: string[]) => {
    const { code, output, errors } = await svc("backfill", "--yes", "--json", ...args);
    expect([code, errors.match(/svc: .*/)?.[0]]).toEqual([0, undefined]);
    return JSON.parse(output);
  };
  const steps = async () => {
    const { output } = await svc("feed", "--json", "--limit", "200", "--kind", "step.usage");
    return output
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Event);
  };

  test("says what there is and where it goes, and sends nothing for --dry-run or without an answer", async () => {
    await link();
    session("one", answer(1, start));
    const dry = await svc("backfill", "--dry-run");
    const since = new Date(start + day).toISOString().slice(0, 10);
    expect(dry.errors).toContain(
      `Found 1 session of 1 linked project in ${join(data, "svc.db")} since ${since}: Claude Code 1`,
    );
    expect(dry.code).toBe(0);
    const asked = await svc("backfill");
    expect([asked.code, asked.errors.split("\n").at(-2)]).toEqual([
      2,
      "svc: Add --yes to send this, or --dry-run to only look.",
    ]);
    expect(await steps()).toEqual([]);
  });

  test("links the repositories that have no project", async () => {
    await svc("project", "list"); // creates no database
    session("one", answer(1, start));
    await svc("project", "link", "other", "--repo", "acme/other", "--quiet");
    expect(await json()).toMatchObject({ sessions: 1, accepted: 3 });
    expect((await steps()).map(({ project }) => project)).toEqual(["atlas"]);
  });

  test("takes only sessions since a time, and of a project", async () => {
    await link();
    session("old", answer(1, start));
    writeSession(path("new"), [answer(2, start)], new Date());
    writeSession(path("gone", "-q"), [answer(3, start, { cwd: "/nowhere/at/all" })], new Date());
    expect(await json("--since", "7d")).toMatchObject({ sessions: 1, elsewhere: 1 });
    expect(await json("--project", "atlas")).toMatchObject({ sessions: 2, accepted: 3 });
    const { code, errors } = await svc("backfill", "--project", "none");
    expect([code, errors]).toEqual([1, 'svc: No project with slug "none". See svc project list.\n']);
  });

  test("skips what it cannot read, says so, and loses nothing else", async () => {
    await link();
    const broken = `{"type":"assistant","message":{"usage":{"input_tokens":1\n`;
    const huge = `{"type":"user","toolUseResult":"${"x".repeat(40 * 1024 * 1024)}"}\n`;
    const unknown = `{"type":"invented","usage":{"deep":1}}\nno json "usage":{\n`;
    const partial = JSON.stringify(answer(9, start)).slice(0, -30);
    session("damaged", answer(1, start), broken, huge, unknown, answer(2, start + 1000), partial);
    session("locked", answer(3, start));
    session("empty");
    chmodSync(path("locked"), 0o000);
    symlinkSync(path("loop"), path("loop"));
    const isRoot = process.getuid?.() === 0;
    expect(await json()).toMatchObject({ skipped: { "broken line": 2, "line of over 32 MB": 1 } });
    expect((await steps()).length).toBe(isRoot ? 3 : 2);
  });

  test("keeps the last and largest count of an answer, and drops what a side question repeats", async () => {
    await link();
    const usage = (output_tokens: number) => {
      const { message, ...line } = answer(1, start);
      return { ...line, message: { ...message, usage: { ...message.usage, output_tokens } } };
    };
    session("one", usage(1), usage(70), usage(70), answer(2, start + 1000));
    const aside = answer(1, start + 2000, { requestId: "req_8", isSidechain: true, agentId: "aside" });
    writeSession(join(home.path, ".claude/projects/-p/one/subagents/agent-aside.jsonl"), [aside]);
    await json();
    expect((await steps()).map(({ tokens_out }) => tokens_out)).toEqual([70, 5]);
  });

  test("reads only sessions that grew, also after a stop, and all again into another database", async () => {
    await link();
    session("one", answer(1, start));
    session("two", answer(2, start));
    expect(await json()).toMatchObject({ accepted: 6 });
    appendFileSync(path("one"), `${JSON.stringify(answer(3, start + 5000))}\n`);
    expect(await json()).toMatchObject({ accepted: 2, duplicates: 2 });
    expect(await json()).toMatchObject({ accepted: 0, duplicates: 0 });
    rmSync(data, { recursive: true });
    mkdirSync(data);
    await link();
    expect(await json()).toMatchObject({ accepted: 7 });
  });

  test("sends and keeps no word of a thousand prompts", async () => {
    await link();
    const words = Array.from({ length: 1000 }, (_, index) => `planted${index}word`);
    const lines = words.flatMap((word, index) => [
      {
        type: "user",
        cwd: home.repository,
        message: { content: word },
        timestamp: new Date(start).toISOString(),
      },
      { type: "last-prompt", lastPrompt: word },
      answer(index, start + index * 1000, { content: word, prompt: word, summary: word }),
    ]);
    session("words", ...lines);
    const sent: string[] = [];
    const projects = [{ slug: "atlas", repo: "acme/atlas", host: "github.com" }];
    await using server = Bun.serve({
      port: 0,
      async fetch(request) {
        sent.push(request.url, await request.text());
        const added = { accepted: 1, duplicates: 0, rejected: 0, message: "" };
        return Response.json(request.method === "GET" ? { projects, next_cursor: null } : added);
      },
    });
    const args = ["backfill", "--yes", "--server", server.url.origin];
    expect((await home.svc(args)).code).toBe(0);
    const wire = sent.join("\n");
    expect(words.filter((word) => wire.includes(word))).toEqual([]);
    expect([wire.includes(home.repository), wire.includes("req_999")]).toEqual([false, true]);
    expect(await json()).toMatchObject({ accepted: 1002 });
    const bytes = await Bun.file(join(data, "svc.db")).bytes();
    const log = await Bun.file(join(data, "svc.db-wal"))
      .bytes()
      .catch(() => new Uint8Array());
    const text = Buffer.concat([bytes, log]).toString("latin1");
    expect(words.filter((word) => text.includes(word))).toEqual([]);
    expect(text).not.toContain(home.repository);
  });

  test("follows a session that goes on, and ends it once it is silent", async () => {
    await link();
    const now = Date.now();
    writeSession(path("live"), [answer(1, now - 300_000), answer(2, now - 1000)]);
    writeFileSync(path("note"), "");
    await followOnce(home, data);
    expect(JSON.parse((await svc("runs", "--json")).output)).toMatchObject({ steps: 1, status: "running" });
  });
});

/** Follows the sessions of a home until the first round is over. */
async function followOnce(home: AgentHome, data: string): Promise<void> {
  const env = programEnvironment({
    HOME: home.path,
    XDG_CONFIG_HOME: "",
    XDG_STATE_HOME: join(home.path, ".state"),
  });
  const args = [...programCommand(), "backfill", "--yes", "--watch", "--data-dir", data];
  const child = Bun.spawn(args, { cwd: home.repository, env, stdout: "ignore", stderr: "pipe" });
  const reader = child.stderr.getReader();
  for (let text = ""; !text.includes("Added "); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(text);
    text += Buffer.from(value).toString();
  }
  child.kill();
  await child.exited;
}
