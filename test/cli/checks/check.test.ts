/** `svc check` in a checkout, with a server and without one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { saveConnection } from "../../../cli/agents/connections.ts";
import { listSpool } from "../../../cli/agents/spool/spool.ts";
import type { DecisionRecord } from "../../../src/memory/list-schemas.ts";
import { type AgentHome, agentHome } from "../../support/agents/agent-home.ts";
import { until } from "../../support/harness.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

let site: TestServer;
let home: AgentHome;
let id: number;

const git = (...args: string[]) => {
  const identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"];
  const { exitCode, stderr } = Bun.spawnSync(["git", "-C", home.repository, ...identity, ...args]);
  if (exitCode !== 0) throw new Error(stderr.toString());
};
const write = (path: string, text: string) => home.write(`repository/${path}`, text);
const decide = (text: string, checks: object[]) =>
  site.api<DecisionRecord>("POST", "/decisions", { project: "atlas", text, checks });

beforeAll(async () => {
  site = await openTestServer();
  home = await agentHome({});
  saveConnection(
    {
      ...{ agent: "claude-code", folder: home.repository, server: site.server.origin, project: "atlas" },
      ...{ token: site.token, branch_pattern: null, connected_at: new Date().toISOString() },
    },
    join(home.path, ".config/svc/connections.json"),
  );
  const red = { kind: "forbid", pattern: "(?i)#ff0000", paths: ["*.css"] };
  ({ id } = await decide("No pure red:\nit does not print", [red]));
  await decide("Changes keep the build", [{ kind: "run", run: "test ! -e broken", paths: ["src/"] }]);
  await write("old.css", "a { color: #FF0000 }\n");
  git("add", ".");
  git("commit", "-qm", "First");
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

test("what was there before is not judged; what is added is, with the words and the author of the decision", async () => {
  const kept = await home.svc(["check"]);
  expect([kept.code, kept.output]).toEqual([0, "Checked 0 files against 2 checks of atlas: all kept.\n"]);
  await write("old.css", "b {}\na { color: #FF0000 }\nc { color: #ff0000 }\n");
  await write("new.css", "#FF0000\n");
  const { code, output, errors } = await home.svc(["check"]);
  const words = `decision ${id} (bot:ana): No pure red: it does not print [no /(?i)#ff0000/ in *.css]`;
  expect(output).toBe(`old.css:3: ${words}\nnew.css:1: ${words}\n`);
  expect([code, errors]).toEqual([1, "svc: 1 decision of atlas not kept. Change what is named above.\n"]);
  expect((await home.svc(["check", "new.css"])).output).toBe(`new.css:1: ${words}\n`);
});

test("what is staged, committed since a branch, or in a diff is judged alone", async () => {
  git("branch", "base");
  git("add", "new.css");
  const staged = await home.svc(["check", "--staged", "--json"]);
  const { violations } = JSON.parse(staged.output);
  expect([
    staged.code,
    violations.map(({ path, line }: { path: string; line: number }) => [path, line]),
  ]).toEqual([1, [["new.css", 1]]]);
  git("commit", "-qm", "Second", "--no-verify");
  git("checkout", "-q", "old.css");
  expect((await home.svc(["check", "--base", "base"])).output).toStartWith("new.css:1: ");
  const diff = "--- a/a.css\n+++ b/a.css\n@@ -1,0 +2 @@\n+#FF0000\n";
  expect((await home.svc(["check", "--diff", "-"], {}, diff)).output).toStartWith("a.css:2: ");
  expect(await home.svc(["check", "--base", "no-such"])).toMatchObject({ code: 1 });
  expect((await home.svc(["check", "--staged", "--base", "base"])).code).toBe(2);
  git("reset", "-q", "--hard", "base");
});

test("a command that a person saved runs if its files changed, and says so", async () => {
  await write("src/app.ts", "1\n");
  const passed = await home.svc(["check"]);
  expect(passed).toMatchObject({ code: 0 });
  expect(passed.errors).toContain('svc: Running "test ! -e broken" for decision ');
  await write("broken", "");
  const { code, output } = await home.svc(["check"]);
  expect([code, output]).toEqual([
    1,
    expect.stringContaining('Changes keep the build ["test ! -e broken" has to'),
  ]);
  for (const path of ["broken", "src"]) rmSync(join(home.repository, path), { recursive: true });
});

test("without the server it checks what was brought last; what it stopped is counted once the server is back", async () => {
  await write("new.css", "b { color: #FF0000 }\n");
  const stops = async () => (await site.api<DecisionRecord>("GET", `/decisions/${id}`)).stops;
  await until(() => listSpool(join(home.path, ".state/svc/spool")).length === 0, "the reports of before");
  const before = await stops();
  await site.server.kill();
  for (let time = 0; time < 2; time++) expect((await home.svc(["check"])).code).toBe(1);
  await site.restart();
  await until(async () => (await stops()) === before + 1, "the count");
});

test("a token of before its role had the scope is told which one to create", async () => {
  const token = await site.mint("old-ci", ["feed:read", "feed:write", "assets:read", "assets:write"]);
  const { code, errors } = await home.svc(["check", "--project", "atlas"], {
    ...{ SVC_URL: site.server.origin, SVC_TOKEN: token },
  });
  expect(code).toBe(1);
  expect(errors).toContain("This token lacks the scope checks:read.");
  expect(errors).toContain("create a new one with `svc token create NAME --role ci`");
});

test("outside of a checkout it says so, and takes a diff", async () => {
  writeFileSync(join(home.path, "empty.diff"), "");
  const outside = { GIT_DIR: join(home.path, "none") };
  const { code, errors } = await home.svc(["check"], outside);
  expect([code, errors]).toEqual([1, expect.stringContaining("git: not a git repository")]);
  expect((await home.svc(["check", "--diff", join(home.path, "empty.diff")], outside)).code).toBe(0);
});
