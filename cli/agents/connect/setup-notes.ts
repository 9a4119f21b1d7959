/** What the user has to know about the files of a project. */
import { sep } from "node:path";
import { isCommittable } from "../../repository/git.ts";
import { isOpen } from "./changes/apply-changes.ts";
import type { ConnectChange } from "./changes/file-changes.ts";
import type { AgentSetup } from "./writers/writer.ts";

/** Hooks hold the path of this program, which is another one on the machines of others. */
export function pathNotes(
  { projectFolder, hookCommand }: AgentSetup,
  files: readonly ConnectChange[],
): string[] {
  const command = JSON.stringify(hookCommand).slice(1, -1);
  const shared = files.filter(
    ({ path, after }) =>
      path.startsWith(projectFolder + sep) && after.includes(command) && isCommittable(projectFolder, path),
  );
  return shared.map(
    ({ path }) =>
      `${path} holds the path of svc on this machine. Commit it only if others have svc there too.`,
  );
}

/** How to set the variables that settings of a project refer to. */
export const tokenFileNote = (path: string): string =>
  "These files may be committed, so they hold no token. It is in a file that only you can read. " +
  `Where the agent starts: . ${path}`;

/** What became of files that hold a token now, before they are written. */
export function secrecyNotes(files: readonly ConnectChange[], excluded: readonly string[]): string[] {
  const shown = (mode: number) => (mode & 0o777).toString(8);
  return [
    ...files.filter(isOpen).map(({ path, record: { mode } }) => {
      const [from, to] = [mode ?? 0, (mode ?? 0) & 0o700].map(shown);
      return `${path} holds a token, so only you can read it now: its mode was ${from} and is ${to}.`;
    }),
    ...excluded.map((path) => `${path} holds a token, so git ignores it now (.git/info/exclude).`),
  ];
}
