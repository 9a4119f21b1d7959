/** The brief that a session starts with: for which issue it is asked of the server. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBrief } from "../../../cli/agents/briefs/brief-cache.ts";
import { sessionContext } from "../../../cli/agents/briefs/session-brief.ts";

const { XDG_STATE_HOME } = process.env;
let folder: string;
let requests: string[];
let answer: () => Response | Promise<Response>;
let server: ReturnType<typeof Bun.serve>;

const start = (branch_pattern: string | null = null) =>
  sessionContext(
    {
      agent: "codex",
      folder: null,
      server: server.url.origin,
      project: "atlas",
      token: "t",
      branch_pattern,
      connected_at: "2026-01-01T00:00:00Z",
    },
    { branch: "fix/42-login", folder },
    "session-1",
    // As if the process had started later than now: a busy machine takes longer to answer than a hook waits.
    -60_000,
  );

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-briefs-"));
  process.env.XDG_STATE_HOME = folder;
  requests = [];
  server = Bun.serve({
    port: 0,
    fetch(request) {
      requests.push(new URL(request.url).searchParams.get("issue") ?? "");
      return answer();
    },
  });
});
afterEach(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
  if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
});

test("is asked for at each start, for the issue of the branch", async () => {
  for (const text of ["Maps are drawn for screens", "Maps are drawn for paper"]) {
    answer = () => Response.json({ text });
    const { brief, text: context } = await start();
    expect(brief?.text).toBe(text);
    expect(context).toEndWith(text);
  }
  expect(requests).toEqual(["42", "42"]);
});

test("is that of the project, if the issue of the branch is found by a pattern of its own", async () => {
  answer = () => Response.json({ text: "Maps are drawn for screens" });
  expect((await start("^t-([0-9]+)")).text).toContain("Maps are drawn for screens");
  expect(requests).toEqual([""]);
});

test("is the saved one if the server gives none, for seven days", async () => {
  answer = () => new Response("", { status: 503 });
  const dayMs = 86_400_000;
  const key = { server: server.url.origin, project: "atlas", branch: null };
  const contextAt = async (days: number) => {
    const saved = {
      text: "Maps are drawn for screens",
      hash: "0",
      from: "cache",
      at: Date.now() - days * dayMs,
    };
    writeBrief(key, saved);
    return (await start()).text;
  };
  expect(await contextAt(6)).toContain("Maps are drawn for screens");
  expect(await contextAt(7)).not.toContain("Maps are drawn for screens");
});

test("is asked for again after a server gave none", async () => {
  answer = () => new Response("", { status: 503 });
  expect((await start()).text).toContain("answered with the status 503");
  answer = () => Response.json({ text: "Maps are drawn for screens" });
  expect((await start()).text).toContain("Maps are drawn for screens");
});
