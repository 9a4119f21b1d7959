/** The files of the program with their imports, for tests of its structure. */
import { dirname, join, normalize } from "node:path";
import { repositoryRoot as root } from "./repository.ts";

export interface Source {
  path: string;
  text: string;
  /** What it imports, types and dynamic imports included: paths in the repository, names of packages. */
  imports: string[];
  /** The files that are loaded before it: without dynamic imports. */
  dependencies: string[];
}

const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };

export const sources: Source[] = await Promise.all(
  [...new Bun.Glob("{src,db,cli}/**/*.{ts,tsx}").scanSync(root)]
    .filter((path) => !path.endsWith(".d.ts"))
    .toSorted()
    .map(async (path) => {
      const text = await Bun.file(join(root, path)).text();
      const atRunTime = transpilers[path.endsWith("x") ? "tsx" : "ts"].scanImports(text.replace(/^#!.*/, ""));
      // The transpiler leaves out imports of types.
      const written = [...text.matchAll(/^(?:import|export)\b[^;"]*? from "([^"]+)"/gm)].map(
        ([, to]) => to as string,
      );
      const resolved = (to: string) => (to.startsWith(".") ? normalize(join(dirname(path), to)) : to);
      return {
        path,
        text,
        imports: [...new Set([...atRunTime.map((one) => one.path), ...written].map(resolved))],
        dependencies: written.filter((to) => to.startsWith(".")).map(resolved),
      };
    }),
);

/** A file of the program, not a package. */
export const isOurs = (path: string): boolean =>
  /^((src|db|cli)\/|(package\.json|CHANGELOG\.md)$)/.test(path);
