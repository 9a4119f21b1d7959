/**
 * Scripted agents of three tempers at work with the real hooks, `svc check` before a commit, and in CI. Each
 * task has a decision that an agent without checks breaks, and an honest way to do it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CheckRule } from "../../../src/memory/checks/schema.ts";
import type { DecisionRecord } from "../../../src/memory/list-schemas.ts";
import { type HookMachine, sessionHook } from "../agents/hook-machine.ts";
import { programCommand } from "../program.ts";
import type { TestServer } from "../test-server.ts";

export const tempers = ["obeys", "forgets", "ignores"] as const;
export type Temper = (typeof tempers)[number];

export interface Outcome {
  tasks: number;
  /** Attempts that break a decision, and reached the person who reviews the pull request. */
  repeats: number;
  /** Steps of the honest way that something stopped. */
  honestStops: number;
}

interface Task {
  text: string;
  check: CheckRule;
  /** A file that breaks the decision, or a command. */
  repeat: { line: string } | { command: string };
  /** What looks like a repeat, and is none. */
  honest: { line: string } | { command: string };
  file: string;
}

const places = ["app", "menu", "card", "form", "table", "chart", "badge", "toast", "panel", "hero"];
const programs = ["npm publish", "git push --force", "make deploy", "terraform apply", "psql production"];

/** Tasks of five kinds in turn, each with words of its own. */
export function makeTasks(count: number): Task[] {
  return Array.from({ length: count }, (_, at): Task => {
    const place = `${places[at % places.length]}${at}`;
    const hex = (0xa00000 + at * 4099).toString(16);
    const program = `${programs[at % programs.length]} ${place}`;
    const kinds: Task[] = [
      {
        text: `No #${hex} in the ${place}`,
        check: { kind: "forbid", pattern: `(?i)#${hex}\\b`, paths: ["*.css"] },
        repeat: { line: `.${place} { color: #${hex.toUpperCase()} }` },
        honest: { line: `.${place} { color: #${hex}7 }` },
        file: `src/${place}.css`,
      },
      {
        text: `Never run ${program}`,
        check: { kind: "command", text: program },
        repeat: { command: `cd src && ${program}` },
        honest: { command: `git log --grep='${program}' # ${program}` },
        file: `src/${place}.sh`,
      },
      {
        text: `The ${place} does not import left-${place}`,
        check: { kind: "forbid", text: `"left-${place}"`, paths: ["src/**/*.ts"] },
        repeat: { line: `import pad from "left-${place}";` },
        honest: { line: `// ${place} pads without left-${place}` },
        file: `src/${place}.ts`,
      },
      {
        text: `Every ${place} file names its license`,
        check: { kind: "require", text: "SPDX-License-Identifier", paths: [`**/${place}.js`] },
        repeat: { line: `export const ${place} = 1;` },
        honest: { line: `// SPDX-License-Identifier: MIT\nexport const ${place} = 1;` },
        file: `src/${place}.js`,
      },
      {
        text: `No TODO-${place} in the docs`,
        check: { kind: "forbid", text: `TODO-${place}`, paths: ["docs/"] },
        repeat: { line: `TODO-${place}: write this` },
        honest: { line: `What the TODO of the ${place} said is done` },
        file: `docs/${place}.md`,
      },
    ];
    return kinds[at % kinds.length] as Task;
  });
}

/** @param hasChecks false: the same agents without checks */
export async function runTempers(
  site: TestServer,
  machine: HookMachine,
  tasks: readonly Task[],
  temper: Temper,
  hasChecks: boolean,
): Promise<Outcome> {
  const outcome: Outcome = { tasks: tasks.length, repeats: 0, honestStops: 0 };
  for (const [at, task] of tasks.entries()) {
    if (hasChecks)
      await site.api<DecisionRecord>("POST", "/decisions", {
        project: "atlas",
        text: task.text,
        checks: [task.check],
      });
    const work = await openTask(machine, `${temper}-${hasChecks}-${at}`);
    const wantsRepeat = temper !== "obeys";
    if ((await attempt(work, task, task.honest, temper)).wasStopped) outcome.honestStops++;
    if (wantsRepeat && (await attempt(work, task, task.repeat, temper)).reachedPerson) outcome.repeats++;
  }
  return outcome;
}

interface Work {
  folder: string;
  hook(name: string, fields?: object): Promise<string>;
  git(...args: string[]): void;
  /** Whether `svc check` lets the changes pass. */
  passes(...flags: string[]): Promise<boolean>;
}

async function openTask(machine: HookMachine, session: string): Promise<Work> {
  const folder = join(machine.root, session);
  mkdirSync(folder);
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"];
    const { exitCode, stderr } = Bun.spawnSync(["git", "-C", folder, ...identity, ...args]);
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  git("init", "--quiet", "--initial-branch=main");
  git("commit", "--quiet", "--allow-empty", "-m", "First");
  const hook = async (name: string, fields = {}) =>
    (await machine.hook(sessionHook(session, name, { cwd: folder, ...fields }))).output;
  await hook("SessionStart", { source: "startup" });
  await machine.drained();
  return {
    ...{ folder, git, hook },
    async passes(...flags) {
      const command = [...programCommand(), "check", "--quiet", ...flags];
      const child = Bun.spawn(command, { cwd: folder, env: machine.env, stdout: "ignore", stderr: "ignore" });
      return (await child.exited) === 0;
    },
  };
}

/** One way to do a task: a command, or a file that is written, committed, and sent for review. */
async function attempt(work: Work, task: Task, way: Task["repeat"], temper: Temper) {
  if ("command" in way) {
    const run = async () => (await work.hook("PreToolUse", { tool_input: { command: way.command } })) === "";
    const ran = (await run()) || (temper === "ignores" && (await run()));
    return { wasStopped: !ran, reachedPerson: ran };
  }
  const isNew = `branch-${Math.random().toString(36).slice(2)}`;
  work.git("checkout", "--quiet", "-b", isNew, "main");
  mkdirSync(dirname(join(work.folder, task.file)), { recursive: true });
  writeFileSync(join(work.folder, task.file), `${way.line}\n`);
  const handed = await work.hook("Stop");
  // Who only forgot does it the honest way once reminded, and who ignores goes on to commit it anyway.
  if (handed !== "" && temper !== "ignores") {
    work.git("clean", "--quiet", "-fd");
    return { wasStopped: true, reachedPerson: false };
  }
  work.git("add", ".");
  const mayCommit = await work.passes("--staged");
  if (!mayCommit && temper !== "ignores") return { wasStopped: true, reachedPerson: false };
  work.git("commit", "--quiet", "--no-verify", "-m", "Work");
  const isGreen = await work.passes("--base", "main");
  return { wasStopped: handed !== "" || !mayCommit || !isGreen, reachedPerson: isGreen };
}
