/** The GitHub Action and the GitLab template: valid by their schemas, and what they run reports a run, or checks decisions. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import type { RunPage } from "../../../src/feed/runs/schema.ts";
import { type HookMachine, openHookMachine } from "../../support/agents/hook-machine.ts";
import { must, shellCommand, sourceRoot } from "../../support/harness.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

const read = (path: string): string => readFileSync(join(sourceRoot, path), "utf8");
interface Action {
  inputs: Record<string, unknown>;
  runs: { steps: { run?: string; env?: Record<string, string> }[] };
}
const actionTexts = {
  run: read("cli/connect/github-action/action.yml"),
  check: read("cli/connect/github-action/check/action.yml"),
};
const action = Bun.YAML.parse(actionTexts.run) as Action;
const checkAction = Bun.YAML.parse(actionTexts.check) as Action;
const template = Bun.YAML.parse(read("cli/connect/gitlab-ci/svc-run.yml")) as {
  ".svc-run": { script: string[] };
};
const checkTemplate = Bun.YAML.parse(read("cli/connect/gitlab-ci/svc-check.yml")) as {
  ".svc-check": { script: string[] };
};

test.each([
  ["github-action", checkAction, { runs: { using: "composite" } }],
  ["gitlab-ci", { job: checkTemplate[".svc-check"] }, { job: { script: 7 } }],
  ["github-action", action, { name: "x", runs: { using: "composite", steps: [{ run: "no shell" }] } }],
  // The schema lets a hidden job be anything, so the job is checked under another name.
  ["gitlab-ci", { job: template[".svc-run"] }, { job: { script: 7 } }],
])("the file for %s is valid by the schema of SchemaStore, which finds a mistake", (name, file, wrong) => {
  const schema = JSON.parse(read(`test/support/schemas/${name}.json`));
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  expect([validate(file), validate.errors]).toEqual([true, null]);
  expect(validate(wrong)).toBe(false);
});

test.each([
  ["runs", actionTexts.run, action],
  ["checks", actionTexts.check, checkAction],
])("the action that %s uses only inputs that it declares, and none inside a script", (_, text, action) => {
  const used = [...text.matchAll(/\binputs\.(\w+)/g)].map(([, name]) => must(name));
  expect(used.filter((name) => !Object.hasOwn(action.inputs, name))).toEqual([]);
  expect(Object.keys(action.inputs).filter((name) => !used.includes(name))).toEqual([]);
  expect(action.runs.steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
});

describe("the script of", () => {
  let site: TestServer;
  let machine: HookMachine;
  let svc: string;
  beforeAll(async () => {
    [site, machine] = await Promise.all([openTestServer(), openHookMachine()]);
    svc = join(machine.root, "svc");
    writeFileSync(svc, `#!/bin/sh\nexec ${shellCommand()} "$@"\n`);
    chmodSync(svc, 0o755);
  });
  afterAll(async () => {
    await machine.close();
    await site[Symbol.asyncDispose]();
  });

  const scripts = {
    GitHub: must(action.runs.steps.at(-1)?.run),
    GitLab: must(template[".svc-run"].script[0]),
  };
  const checkScripts = {
    GitHub: must(checkAction.runs.steps.at(-1)?.run),
    GitLab: must(checkTemplate[".svc-check"].script[0]),
  };
  const run = async (
    shell: keyof typeof scripts,
    env: Record<string, string>,
    script = scripts[shell],
    cwd = machine.root,
  ) => {
    const variables = {
      ...{ RUN_PROJECT: "atlas", RUN_ISSUE: "", RUN_PR: "", RUN_NAME: `${shell} job`, SVC_PROGRAM: svc },
      ...{ RUN_URL: "https://ci.test/1", CI_JOB_URL: "https://ci.test/1", SVC_SOURCE: "" },
    };
    const child = Bun.spawn([shell === "GitHub" ? "bash" : "sh", "-e", "-c", script], {
      cwd,
      env: {
        ...{ ...machine.env, PATH: `${machine.root}:${machine.env.PATH}`, ...variables },
        ...{ SVC_URL: site.server.origin, SVC_TOKEN: site.token, ...env },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = await new Response(child.stdout).text();
    return { output, errors: await new Response(child.stderr).text(), code: await child.exited };
  };
  const newest = async () => must((await site.api<RunPage>("GET", "/runs")).runs[0]);

  test.each([
    ["GitHub", "runner:github", { RUN_PR: "34" }],
    ["GitLab", "runner:gitlab", { CI_MERGE_REQUEST_IID: "34" }],
  ] as const)("%s runs the command and reports it", async (name, actor, pr) => {
    const passed = await run(name, { ...pr, RUN_COMMAND: 'echo "a  b"' });
    const errors = expect.stringMatching(/^svc: Run http.*\?project=atlas\n$/);
    expect(passed).toEqual({ output: "a  b\n", errors, code: 0 });
    const wanted = { actor, pr: 34, summary: `${name} job finished`, status: "finished" };
    expect(await newest()).toMatchObject(wanted);
    expect((await run(name, { RUN_COMMAND: "exit 4" })).code).toBe(4);
    expect(await newest()).toMatchObject({ status: "failed" });
  });

  test.each(["GitHub", "GitLab"] as const)("%s runs the command without a token", async (name) => {
    const env = { SVC_TOKEN: "", RUN_COMMAND: "echo done; exit 3" };
    expect(await run(name, env)).toEqual({ output: "done\n", errors: "", code: 3 });
  });

  test.each([
    ["GitHub", { CHECK_BASE: "origin/main" }],
    ["GitLab", { CI_DEFAULT_BRANCH: "main" }],
  ] as const)("%s fails for a branch that breaks a decision, and names the line", async (name, base) => {
    const rule = { kind: "forbid", text: `red-${name}` };
    const body = { project: "atlas", text: `No red on ${name}`, checks: [rule] };
    const { id } = await site.api<{ id: number }>("POST", "/decisions", body);
    const cwd = join(machine.root, `checkout-${name}`);
    mkdirSync(cwd);
    const git = (...args: string[]) => {
      const identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"];
      expect(Bun.spawnSync(["git", "-C", cwd, ...identity, ...args]).exitCode).toBe(0);
    };
    const commit = (text: string) => {
      writeFileSync(join(cwd, "a.css"), text);
      git("add", ".");
      git("commit", "--quiet", "-m", text);
    };
    const check = (token: string) => {
      const env = { ...base, CHECK_PROJECT: "atlas", SVC_TOKEN: token, SVC_CHECK_TOKEN: token };
      return run(name, env, checkScripts[name], cwd);
    };
    git("init", "--quiet", "--initial-branch=main");
    commit(`red-${name}, which was here before`);
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    commit("blue");
    expect(await check(site.token)).toMatchObject({ code: 0, errors: "" });
    commit(`red-${name}`);
    const broken = await check(site.token);
    expect([broken.code, broken.output]).toEqual([1, expect.stringContaining(`a.css:1: decision ${id} (`)]);
    expect(await check("")).toEqual({
      ...{ output: "Not checked: there is no token for svc.\n", errors: "", code: 0 },
    });
  });
});
