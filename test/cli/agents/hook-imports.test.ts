/** A hook that only reports has 50 ms: `svc hook` loads no package, no schemas, and two modules of Node before it works. */
import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { must } from "../../support/conditions.ts";
import { sources } from "../../support/sources.ts";

test("svc hook loads only small files and two modules of Node before it starts", () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    if (path.startsWith("node:")) return;
    for (const { kind, path: to } of transpiler.scanImports(must(texts.get(path))))
      if (kind === "import-statement") load(to.startsWith(".") ? normalize(join(dirname(path), to)) : to);
  };
  load("cli/agents/hook.ts");
  expect([...loaded].filter((path) => /schema|wire\.ts$/.test(path))).toEqual([]);
  expect([...loaded].filter((path) => path.startsWith("node:")).toSorted()).toEqual(["node:fs", "node:path"]);
  expect(loaded.size).toBeLessThan(38);
});
