/** The brief that a session starts with, of servers that answer in time and of those that do not. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberNoAnswer } from "../../../cli/agents/briefs/brief-cache.ts";
import { sessionBrief } from "../../../cli/agents/briefs/session-brief.ts";

const { XDG_STATE_HOME } = process.env;
let folder: string;
let requests: string[];
let answer: () => Response | Promise<Response>;
let server: ReturnType<typeof Bun.serve>;

const brief = () =>
  sessionBrief(
    {
      ...{ agent: "codex", folder: null, server: server.url.origin, project: "atlas", token: "t" },
      ...{ branch_pattern: null, connected_at: "2026-01-01T00:00:00Z" },
    },
    "fix/42-login",
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

test("is new, for the issue of the branch, and comes from the cache for the next session", async () => {
  answer = () => Response.json({ text: "Maps are drawn for screens" });
  const first = await brief();
  expect(first?.text).toBe("Maps are drawn for screens");
  expect(await brief()).toEqual(first);
  expect(requests).toEqual(["42"]);
});

test("is not asked for again so soon after a server gave none", async () => {
  answer = () => new Response("", { status: 503 });
  expect([await brief(), await brief()]).toEqual([null, null]);
  expect(requests).toHaveLength(1);
});

test("is asked of a server though another one did not answer", async () => {
  answer = () => Response.json({ text: "Maps are drawn for screens" });
  rememberNoAnswer("http://127.0.0.1:9");
  expect(await brief()).not.toBeNull();
});
