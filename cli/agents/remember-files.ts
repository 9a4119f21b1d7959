/** Remembers files that a tool changed until a report names them. */
import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { isRepositoryPath } from "../../src/core/repository-path.ts";
import type { HookInput } from "../../src/integrations/agent-hooks/agent-hooks.ts";
import { editedFiles } from "../../src/integrations/agent-hooks/edited-files.ts";
import { checkoutRoot } from "../repository/git-place.ts";
import { addTouchedFiles } from "./session-marks.ts";

/** Those outside of the checkout are left out. */
export function rememberFiles(session: string, folder: string, input: HookInput): void {
  const paths = pathsInside(folder, editedFiles(input));
  if (paths.length > 0) addTouchedFiles(session, paths);
}

/** The paths inside the checkout that holds the folder, as Git names them. */
function pathsInside(folder: string, paths: readonly string[]): string[] {
  const root = checkoutRoot(folder);
  if (root === null) return [];
  // Agents name files with or without the links on the way to the checkout.
  const roots = [root, realpathSync(root)];
  return paths.flatMap((path) => {
    const absolute = resolve(folder, path);
    const inside = roots
      .map((one) => relative(one, absolute))
      .find((one) => !one.startsWith("..") && !isAbsolute(one));
    const named = inside?.replaceAll(sep, "/") ?? "";
    return isRepositoryPath(named) ? [named] : [];
  });
}
