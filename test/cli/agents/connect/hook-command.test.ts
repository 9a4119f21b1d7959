/** The command of hooks survives the shell, wherever the program is. */
import { expect, test } from "bun:test";
import { hookCommand, isHookCommand } from "../../../../cli/agents/connect/hook-command.ts";

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
