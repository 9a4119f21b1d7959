/** Files with the tokens that settings of a project refer to by variables. No command prints a token again. */
import { join } from "node:path";
import { configFolder } from "../../login/user-folders.ts";
import type { Connection } from "../connections.ts";
import { readSettingsFile, writeSettingsFile } from "./settings/settings-file.ts";
import { telemetryTokenVariable, tokenVariable } from "./writers/writer.ts";

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
