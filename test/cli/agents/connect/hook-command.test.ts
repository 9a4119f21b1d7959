/** The command of hooks survives the shell, wherever the program is. */
import { expect, test } from "bun:test";
import {
  hookCommand,
  inRunnerCache,
  isHookCommand,
  programIn,
} from "../../../../cli/agents/connect/hook-command.ts";

test.each([
  "/usr/local/bin/svc",
  "/Users/mara/Library/Application Support/svc",
  '/tmp/it\'s "here" $HOME `x`/svc',
  "/tmp/\\ ; rm -rf é/svc",
])("%s reaches the shell as one word", (program) => {
  const command = hookCommand("codex", [program], "linux");
  const { stdout } = Bun.spawnSync(["/bin/sh", "-c", `printf '%s\\n' ${command}`]);
  expect(stdout.toString()).toBe(`${program}\nhook\ncodex\n`);
  expect(isHookCommand(command, "codex")).toBe(true);
  expect(isHookCommand(command, "claude-code")).toBe(false);
});

test("a path with spaces is quoted for cmd on Windows", () => {
  const command = hookCommand("cursor", ["C:\\Program Files\\svc.exe"], "win32");
  expect(command).toBe('"C:\\Program Files\\svc.exe" hook cursor');
  expect(isHookCommand(command, "cursor")).toBe(true);
});

test("a command of a downloaded executable is one of svc, and one of another program is not", () => {
  expect(isHookCommand(hookCommand("codex", ["/opt/svc-linux-x64"], "linux"), "codex")).toBe(true);
  expect(isHookCommand("/opt/other hook codex", "codex")).toBe(false);
  expect(isHookCommand("/opt/svc hook copilot || :", "copilot")).toBe(true);
});

test.each([
  "/usr/local/bin/svc",
  "/Users/mara/Library/Application Support/svc",
  '/tmp/it\'s "here" $HOME `x`/svc',
])("the program of a command is %s again", (program) => {
  expect(programIn(hookCommand("codex", [program], "linux"))).toBe(program);
});

test.each([
  "/home/mara/.npm/_npx/6f1c2a/node_modules/svc/bin/svc",
  "C:\\Users\\Mara\\AppData\\Local\\npm-cache\\_npx\\6f1c2a\\node_modules\\svc\\svc.exe",
  "/tmp/bunx-1000-svc@latest/node_modules/svc/bin/svc",
  "/home/mara/.cache/pnpm/dlx/4a1e/node_modules/svc/bin/svc",
  "/tmp/xfs-1b2c/dlx-4711/node_modules/svc/bin/svc",
  "/home/mara/.cache/uv/archive-v0/x1/bin/svc",
  "/home/mara/.local/pipx/.cache/4a1e/bin/svc",
])("%s is in the cache of a package runner", (program) => {
  expect(inRunnerCache([program])).toBe(program);
});

test.each([
  "/usr/local/lib/node_modules/svc/bin/svc",
  "/home/mara/.bun/bin/svc",
  "/home/mara/.local/share/pipx/venvs/svc/bin/svc",
])("%s stays", (program) => {
  expect(inRunnerCache([program])).toBeNull();
});
