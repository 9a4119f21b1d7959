/** What the user has to know about the files of a project. */
import { sep } from "node:path";
import { isCommittable } from "../../repository/git.ts";
import type { ConnectChange } from "./changes/file-changes.ts";
import { type AgentSetup, telemetryTokenVariable, tokenVariable } from "./writers/writer.ts";

/** Stands for a token that only the user's environment has. */
export const keptInVariable = "kept";

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
export function variableNotes(
  files: readonly ConnectChange[],
  { token, telemetryToken }: { token: string; telemetryToken: string | null },
): string[] {
  const isUsed = (name: string) => files.some(({ after }) => new RegExp(`\\b${name}\\b`).test(after));
  return [
    ...(isUsed(tokenVariable) ? [`export ${tokenVariable}=${token}`] : []),
    ...(isUsed(telemetryTokenVariable) && telemetryToken !== keptInVariable
      ? [`export ${telemetryTokenVariable}=${telemetryToken}`]
      : []),
  ].map(
    (line) => `These files may be committed, so they hold no token. Set it where the agent starts: ${line}`,
  );
}
