/** What `svc hook` and help load, which all agents wait for: no package and no schemas. */
import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { must } from "../../support/conditions.ts";
import { sources } from "../../support/sources.ts";

/** The files and packages that these files load before they work. */
function loadedBy(...files: string[]): string[] {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    if (!path.endsWith(".ts")) return;
    for (const { kind, path: to } of transpiler.scanImports(must(texts.get(path))))
      if (kind === "import-statement") load(to.startsWith(".") ? normalize(join(dirname(path), to)) : to);
  };
  for (const file of files) load(file);
  return [...loaded];
}

const isSchema = (path: string): boolean => /schema|wire\.ts$|typebox/.test(path);

// A hook that only reports has 50 ms.
test("svc hook loads only small files and two modules of Node before it starts", () => {
  const loaded = loadedBy("cli/agents/hook.ts");
  expect(loaded.filter(isSchema)).toEqual([]);
  expect(loaded.filter((path) => !path.endsWith(".ts")).toSorted()).toEqual(["node:fs", "node:path"]);
  expect(loaded.length).toBeLessThan(38);
});

test("the help of a command loads no package and no schemas", () => {
  const loaded = loadedBy("cli/run-command.ts", "cli/help/print-help.ts");
  expect(loaded.filter(isSchema)).toEqual([]);
  expect(loaded.filter((path) => !path.endsWith(".ts")).toSorted()).toEqual([...["node:fs", "package.json"]]);
});
