/**
 * The file of connections: which project and server the sessions of an agent report to, with a token for
 * each. Only the user can read it. `svc hook` reads it on every call, so this imports only Node modules.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { replaceFile } from "../login/private-file.ts";
import { configFolder } from "../login/user-folders.ts";

export interface Connection {
  /** Name of the agent, such as `claude-code`. */
  agent: string;
  /** Sessions in this folder and below use the connection; null: sessions anywhere else. */
  folder: string | null;
  /** URL of the server, without the path of the API. */
  server: string;
  project: string;
  token: string;
  /** Finds the issue in the name of a branch; null for the default pattern. */
  branch_pattern: string | null;
  /** RFC 3339. */
  connected_at: string;
}

/** The file exists and is not a list of connections. */
export class ConnectionsError extends Error {
  override name = "CommandError"; // printed as one line, as other expected errors are
}

export const connectionsPath = (): string => join(configFolder(), "connections.json");

/** Every connection; none if there is no file. @throws ConnectionsError if it cannot be read or is damaged */
export function readConnections(path = connectionsPath()): Connection[] {
  let text: string;
  try {
    // To catch the error of a missing file takes 0.1 ms of CPU.
    if (!statSync(path, { throwIfNoEntry: false })) return [];
    text = readFileSync(path, "utf8");
  } catch (error) {
    // HOME of a service user, such as /dev/null, has no folders.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [];
    throw new ConnectionsError(`Cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    const { connections } = JSON.parse(text) as { connections: Connection[] };
    if (Array.isArray(connections)) return connections;
  } catch {}
  throw new ConnectionsError(`${path} is damaged. Delete it, then run svc connect again.`);
}

/**
 * The connection of an agent's session in the folder `cwd`: the one with the longest folder that holds it,
 * else the one without a folder; null if there is neither.
 */
export function connectionFor(
  agent: string,
  cwd: string,
  connections: readonly Connection[] = readConnections(),
): Connection | null {
  const place = realFolder(cwd);
  const length = ({ folder }: Connection): number => folder?.length ?? -1;
  return connections
    .filter((one) => one.agent === agent && (one.folder === null || isInside(place, one.folder)))
    .reduce<Connection | null>((best, one) => (best && length(best) >= length(one) ? best : one), null);
}

/** The connections of all agents whose folder holds this one, the longest first; then those without a folder. */
export function connectionsOf(cwd: string): Connection[] {
  const place = realFolder(cwd);
  return readConnections()
    .filter(({ folder }) => folder === null || isInside(place, folder))
    .toSorted((a, b) => (b.folder?.length ?? -1) - (a.folder?.length ?? -1));
}

/** Adds a connection, and replaces the one of the same agent and folder. */
export function saveConnection(connection: Connection, path = connectionsPath()): void {
  const saved = { ...connection, folder: connection.folder === null ? null : realFolder(connection.folder) };
  writeConnections([...readConnections(path).filter((one) => !isSamePlace(one, saved)), saved], path);
}

/** Removes a connection and returns it; null if there is none of this agent and folder. */
export function removeConnection(
  agent: string,
  folder: string | null,
  path = connectionsPath(),
): Connection | null {
  const place = { agent, folder: folder === null ? null : realFolder(folder) };
  const connections = readConnections(path);
  const removed = connections.find((one) => isSamePlace(one, place));
  if (!removed) return null;
  const others = connections.filter((one) => one !== removed);
  writeConnections(others, path);
  return removed;
}

type Place = Pick<Connection, "agent" | "folder">;

const isSamePlace = (a: Place, b: Place): boolean => a.agent === b.agent && a.folder === b.folder;

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Links resolved, so that a folder and a session below it compare; as it is if it does not exist. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

/** Replaces the file; a crash leaves the old one or the new one. */
function writeConnections(connections: readonly Connection[], path: string): void {
  try {
    replaceFile(path, `${JSON.stringify({ connections }, null, 2)}\n`);
  } catch (error) {
    throw new ConnectionsError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
