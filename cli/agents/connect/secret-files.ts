/** The files that a connection writes a token to. */
import { trackedFault } from "../../repository/git-secrets.ts";
import { connectionsPath } from "../connections.ts";
import { type ConnectChange, holdsToken } from "./changes/file-changes.ts";
import { recordsPath } from "./changes/settings-record.ts";
import { SettingsFileError } from "./settings/settings-file.ts";
import { tokenFile } from "./token-file.ts";
import { type AgentSetup, tokenInput, tokenVariable } from "./writers/writer.ts";

/** Whether settings refer to the token by a variable, or have the agent ask for it. */
export const needsTokenFile = (files: readonly ConnectChange[]): boolean =>
  files.some(({ after }) => new RegExp(`\\b(${tokenVariable}|${tokenInput})\\b`).test(after));

/** @throws SettingsFileError if git tracks one of the files */
export function requireUntracked(paths: readonly string[]): void {
  const fault = paths.map(trackedFault).find((one) => one !== null);
  if (fault != null) throw new SettingsFileError(fault);
}

/** The paths of settings and of svc's own files that hold a token. */
export const secretPaths = (
  setup: AgentSetup,
  project: string,
  files: readonly ConnectChange[],
): string[] => [
  ...files.filter(({ after }) => holdsToken(setup, after)).map(({ path }) => path),
  ...[connectionsPath(), recordsPath()],
  ...(needsTokenFile(files) ? [tokenFile({ agent: setup.agent.id, project })] : []),
];
