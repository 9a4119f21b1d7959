/** What `svc hook`, help, and the child for a picture load, which agents wait for: no package and no schemas. */
import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { must } from "../../support/conditions.ts";
import { sources } from "../../support/sources.ts";

const transpiler = new Bun.Transpiler({ loader: "ts" });
const texts = new Map(sources.map(({ path, text }) => [path, text]));
const importsOf = (path: string) => transpiler.scanImports(must(texts.get(path)));

/** The files and packages that these files load before they work. */
function loadedBy(...files: string[]): string[] {
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    if (!path.endsWith(".ts")) return;
    for (const { kind, path: to } of importsOf(path))
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
  expect(loaded.length).toBeLessThan(46);
});

// In one chunk, a dynamic import wraps the modules that it shares in functions, which have no bytecode.
test("svc hook loads nothing later but the engine for patterns of checks", () => {
  const later = loadedBy("cli/agents/hook.ts")
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => importsOf(path).filter(({ kind }) => kind === "dynamic-import"));
  expect(later.map(({ path }) => path)).toEqual(["re2js"]);
});

test("the help of a command loads no package and no schemas", () => {
  const loaded = loadedBy("cli/run-command.ts", "cli/help/print-help.ts");
  expect(loaded.filter(isSchema)).toEqual([]);
  expect(loaded.filter((path) => !path.endsWith(".ts")).toSorted()).toEqual([...["node:fs", "package.json"]]);
});

// The first picture of an uploader starts a child, and schemas alone would take it a millisecond.
test("a child that reads a picture loads no package but the colors, and no schemas", () => {
  const parts = ["inspect", "provenance/provenance", "images/image", "likeness/looks"];
  const loaded = loadedBy("cli/probe.ts", ...parts.map((name) => `src/files/probe/${name}.ts`));
  expect(loaded.filter(isSchema)).toEqual([]);
  expect(loaded.filter((path) => !path.endsWith(".ts")).toSorted()).toEqual([
    "node:fs",
    "pdfjs-dist/wasm/qcms_bg.wasm",
  ]);
});
