/** `svc run`: the command is untouched, and what it did is a run. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandName, lastLines } from "../../../cli/agents/wrapped-run/run-events.ts";
import type { Run, RunPage } from "../../../src/feed/runs/schema.ts";
import { type HookMachine, openHookMachine } from "../../support/agents/hook-machine.ts";
import { runInTerminal } from "../../support/agents/pseudo-terminal.ts";
import { must, program, programCommand, until } from "../../support/harness.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

let site: TestServer;
let machine: HookMachine;
beforeAll(async () => {
  [site, machine] = await Promise.all([openTestServer(), openHookMachine()]);
});
afterAll(async () => {
  await machine.close();
  await site[Symbol.asyncDispose]();
});

const start = (args: string[], env: Record<string, string> = {}, stdin = "") =>
  Bun.spawn([...programCommand(), "run", "--project", "atlas", ...args], {
    cwd: machine.root,
    env: { ...machine.env, SVC_URL: site.server.origin, SVC_TOKEN: site.token, ...env },
    stdio: [new Blob([stdin]), "pipe", "pipe"],
  });
type Started = ReturnType<typeof start>;

async function end(child: Started) {
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { output, errors, code };
}

const runs = async (): Promise<Run[]> => (await site.api<RunPage>("GET", "/runs")).runs;
const newestRun = async (): Promise<Run> => must((await runs())[0]);

describe("a command", () => {
  test("gets the input, writes the output, keeps its exit code, and is a run", async () => {
    const script = "cat; echo to stderr >&2";
    const ended = await end(
      start(["--issue", "7", "--name", "Build", "--", "sh", "-c", script], {}, "hello\n"),
    );
    const run = await newestRun();
    const page = `svc: Run ${site.server.origin}/runs/${run.id}?project=atlas\n`;
    expect(ended).toEqual({ output: "hello\n", errors: `${page}to stderr\n`, code: 0 });
    expect(run).toMatchObject({
      ...{ status: "finished", summary: "Build finished", project: "atlas", issue: 7 },
      duration_ms: expect.any(Number),
    });
  });

  test("that fails is reported with the last lines of its errors, without secrets", async () => {
    const script =
      'echo "push to https://me:hunter2@host failed, key $DEPLOY_KEY"; echo "E: $DEPLOY_KEY" >&2; exit 3';
    const ended = await end(start(["--", "sh", "-c", script], { DEPLOY_KEY: "s3cret-of-env" }));
    expect(ended).toMatchObject({ code: 3, errors: expect.stringMatching(/\nE: s3cret-of-env\n$/) });
    expect(await newestRun()).toMatchObject({
      status: "failed",
      summary: "sh failed with exit code 3: E: •••",
    });
  });

  test("that a signal ends has the exit code of a shell; the signal is handed on", async () => {
    const child = start(["--", "sh", "-c", 'trap "exit 42" TERM; echo ready; while :; do sleep 0.05; done']);
    const reader = child.stdout.getReader();
    await reader.read();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(42);
    expect((await end(start(["--", "sh", "-c", "kill -KILL $$"]))).code).toBe(137);
    expect(await newestRun()).toMatchObject({ summary: "sh failed with exit code 137" });
  });

  test("has the terminal: all three streams, its size, and Ctrl+C once", async () => {
    const script =
      'test -t 0 && test -t 1 && test -t 2 && stty size; trap "echo interrupted; exit 5" INT; echo ready; sleep 9';
    await using terminal = runInTerminal(
      ["run", "--project", "atlas", "--", "sh", "-c", script],
      { ...machine.env, SVC_URL: site.server.origin, SVC_TOKEN: site.token },
      { columns: 70, rows: 20 },
    );
    await until(() => terminal.output().includes("ready"), "the command");
    expect(terminal.output()).toContain("20 70");
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(5);
    expect(terminal.output().match(/interrupted/g)).toHaveLength(1);
    expect(await newestRun()).toMatchObject({ status: "finished", summary: "sh canceled" });
    const { events } = await site.api<{ events: object[] }>("GET", "/feed?kind=run.failed");
    expect(JSON.stringify(events)).not.toContain("canceled");
  });

  test("that does not exist is 127, as in a shell", async () => {
    expect(await end(start(["--", "no-such-program"]))).toEqual({
      ...{ code: 127, output: "" },
      errors: expect.stringMatching(/\nsvc: no-such-program: command not found\n$/),
    });
    expect(await newestRun()).toMatchObject({
      status: "failed",
      summary: "no-such-program could not be started",
    });
  });

  test("that svc run starts within another is its child", async () => {
    const inner = [...programCommand(), "run", "--project", "atlas", "--name", "inner", "--", "true"];
    expect((await end(start(["--name", "outer", "--", ...inner]))).code).toBe(0);
    const found = await runs();
    const named = (name: string) => must(found.find(({ summary }) => summary === `${name} finished`));
    expect(named("inner").parent).toBe(named("outer").id);
  });
});

test("without --project it belongs to the only project, and says so when there is none or another", async () => {
  const command = [...programCommand(), "run", "--name", "alone", "--", "true"];
  const run = async () =>
    end(
      Bun.spawn(command, {
        cwd: machine.root,
        env: { ...machine.env, SVC_URL: site.server.origin, SVC_TOKEN: site.token },
        stdio: [new Blob([""]), "pipe", "pipe"],
      }),
    );
  const { errors, code } = await run();
  expect([code, errors]).toEqual([0, expect.stringMatching(/^svc: Run .*\?project=atlas\n$/)]);
  expect(await newestRun()).toMatchObject({ project: "atlas", summary: "alone finished" });
  expect((await program(["project", "link", "borealis", "--repo", "acme/borealis"], site.env)).code).toBe(0);
  const before = await runs();
  expect(await run()).toMatchObject({
    code: 0,
    errors: "svc: This run belongs to no project. Choose one with --project: borealis, atlas.\n",
  });
  expect((await runs()).length).toBe(before.length);
});

test("without the server it works, and is reported when the server is back", async () => {
  await site.server.kill();
  const { code, errors } = await end(start(["--name", "offline", "--", "true"]));
  expect([code, errors]).toEqual([
    0,
    expect.stringMatching(/\nsvc: The run is not reported yet\. .* sent later\.\n$/),
  ]);
  await site.restart();
  await until(() => machine.waiting().length === 0, "the report", 60_000);
  expect(await newestRun()).toMatchObject({ status: "finished", summary: "offline finished" });
});

test("a wrong flag starts nothing", async () => {
  for (const [args, line] of [
    [["--issue", "x", "--", "echo", "ran"], /^svc: .*issue.*\n$/],
    [["--isue", "1", "--", "echo", "ran"], /^svc: .*Did you mean --issue\?\n$/],
    [["--"], /^svc: Missing .*\n$/],
  ] as const)
    expect(await end(start([...args]))).toEqual({ code: 2, output: "", errors: expect.stringMatching(line) });
});

test("a name holds the program and words of a task, no other argument", () => {
  const names = [
    ["/usr/bin/npm", "run", "build", "x"],
    ["make", "-j4", "all"],
    ["curl", "-H", "Bearer x"],
    ["login", "hunter2"],
  ];
  expect(names.map(commandName)).toEqual(["npm run build", "make", "curl", "login"]);
});

test("last lines are masked, cut from the start, and one line", () => {
  const limits = { linesMax: 3, bytesMax: 60 };
  const env = {
    TOKEN: "abc\ndefghi",
    HOME: "/home/me",
    SHORT: "ab",
    PART: "harbor",
    WHOLE: "harbor-lights",
  };
  const masked = (text: string) => lastLines(text, env, limits);
  expect(masked("1\n2\n\u001b[31m3\u001b[0m\r\n\n4\n")).toBe("2 / 3 / 4");
  expect(masked("value defghi in /home/me")).toBe("value ••• in /home/me");
  expect(masked("value harbor-lights")).toBe("value •••");
  expect(masked("Authorization: Bearer abcdef123456")).toBe("Authorization: Bearer •••");
  expect(masked("password=hunter2 x")).toBe("password=••• x");
  expect(masked("ghp_0123456789ABCDEFGHIJ")).toBe("•••");
  expect(masked(`${"x".repeat(58)}\nend`)).toBe("end");
});
