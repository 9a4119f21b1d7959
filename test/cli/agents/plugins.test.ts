/** The files of the plugins are those that their definitions give. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { pluginFiles } from "../../../cli/build/plugins.ts";
import { repositoryRoot } from "../../support/repository.ts";

const files = pluginFiles();

test.each([...files.keys()])("%s is what `bun run plugins` writes", async (path) => {
  expect(await Bun.file(join(repositoryRoot, path)).text()).toBe(files.get(path) as string);
});

test("the folders of the plugins hold nothing else", () => {
  const folders = ["claude-code", "gemini-cli", "cursor"].map((name) => `cli/connect/${name}`);
  const present = folders.flatMap((folder) =>
    [...new Bun.Glob("**/*").scanSync({ cwd: join(repositoryRoot, folder), dot: true })].map(
      (file) => `${folder}/${file}`,
    ),
  );
  expect(present.toSorted()).toEqual([...files.keys()].filter((path) => path.startsWith("cli/")).toSorted());
});

test("they hold no token, and their hooks do nothing where svc is not installed", async () => {
  expect([...files.values()].join("")).not.toMatch(/svc_\w{40}/);
  const root = join(repositoryRoot, "cli/connect/claude-code");
  const env = { PATH: "/usr/bin:/bin", CLAUDE_PLUGIN_ROOT: root };
  const { hooks } = JSON.parse(files.get("cli/connect/claude-code/hooks/hooks.json") ?? "");
  for (const [{ hooks: list }] of Object.values(hooks) as [{ hooks: { command: string }[] }][]) {
    const command = list[0]?.command ?? "";
    const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", "-c", command], { env });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  }
});
