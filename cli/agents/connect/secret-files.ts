/** The files that a connection writes a token to. */
import { join } from "node:path";
import { configFolder } from "../../login/user-folders.ts";
import { trackedFault } from "../../repository/git-secrets.ts";
import { type Connection, connectionsPath } from "../connections.ts";
import { type ConnectChange, holdsToken, recordsPath } from "./changes/file-changes.ts";
import { readSettingsFile, SettingsFileError, writeSettingsFile } from "./settings/settings-file.ts";
import { type AgentSetup, telemetryTokenVariable, tokenInput, tokenVariable } from "./writers/writer.ts";

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

/** Files with the tokens that settings of a project refer to by variables. No command prints a token again. */
type Place = Pick<Connection, "agent" | "project">;

export const tokenFile = ({ agent, project }: Place): string =>
  join(configFolder(), "tokens", `${agent}-${project}.env`);

/** Writes the variables, for a shell to read. @param telemetryToken null: as it is in the file, if at all */
export function saveTokens(path: string, token: string, telemetryToken: string | null): void {
  const present = new RegExp(`^export ${telemetryTokenVariable}=.*$`, "m").exec(
    readSettingsFile(path) ?? "",
  )?.[0];
  const telemetry = telemetryToken === null ? present : `export ${telemetryTokenVariable}=${telemetryToken}`;
  const lines = [`export ${tokenVariable}=${token}`, ...(telemetry ? [telemetry] : [])];
  writeSettingsFile(path, `${lines.join("\n")}\n`);
}

/** Deletes the file of a connection, unless another connection has replaced it. */
export function removeTokens(connection: Connection): void {
  const path = tokenFile(connection);
  if (readSettingsFile(path)?.includes(connection.token)) writeSettingsFile(path, null);
}
