/** The GitHub Action and the GitLab template: valid by their schemas, and what they run reports a run. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import type { RunPage } from "../../../src/feed/runs/schema.ts";
import { type HookMachine, openHookMachine } from "../../support/agents/hook-machine.ts";
import { must, shellCommand, sourceRoot } from "../../support/harness.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

const read = (path: string): string => readFileSync(join(sourceRoot, path), "utf8");
const actionText = read("cli/connect/github-action/action.yml");
const action = Bun.YAML.parse(actionText) as {
  inputs: Record<string, unknown>;
  runs: { steps: { run?: string; env?: Record<string, string> }[] };
};
const template = Bun.YAML.parse(read("cli/connect/gitlab-ci/svc-run.yml")) as {
  ".svc-run": { script: string[] };
};

test.each([
  ["github-action", action, { name: "x", runs: { using: "composite", steps: [{ run: "no shell" }] } }],
  // The schema lets a hidden job be anything, so the job is checked under another name.
  ["gitlab-ci", { job: template[".svc-run"] }, { job: { script: 7 } }],
])("the file for %s is valid by the schema of SchemaStore, which finds a mistake", (name, file, wrong) => {
  const schema = JSON.parse(read(`test/support/schemas/${name}.json`));
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  expect([validate(file), validate.errors]).toEqual([true, null]);
  expect(validate(wrong)).toBe(false);
});

test("the action uses only inputs that it declares, and none inside a script", () => {
  const used = [...actionText.matchAll(/\binputs\.(\w+)/g)].map(([, name]) => must(name));
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
  const run = async (shell: keyof typeof scripts, env: Record<string, string>) => {
    const variables = {
      ...{ RUN_PROJECT: "atlas", RUN_ISSUE: "", RUN_PR: "", RUN_NAME: `${shell} job`, SVC_PROGRAM: svc },
      ...{ RUN_URL: "https://ci.test/1", CI_JOB_URL: "https://ci.test/1", SVC_SOURCE: "" },
    };
    const child = Bun.spawn([shell === "GitHub" ? "bash" : "sh", "-e", "-c", scripts[shell]], {
      cwd: machine.root,
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
});
