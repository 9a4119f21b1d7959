/** What `svc connect --list` shows: the connections, and when each agent last sent something. */
import { findAgent } from "../../../src/core/agents/agents.ts";
import { openRemote } from "../../api.ts";
import { ApiError, unwrap } from "../../client/client.ts";
import type { Column } from "../../output/fitted-table.ts";
import { formatAge } from "../../output/table.ts";
import { type Connection, readConnections } from "../connections.ts";
import type { SpoolStatus } from "../spool/status.ts";
import { checkInstalledHooks, type InstalledHooks } from "./installed-hooks.ts";

export interface ListedConnection extends Omit<Connection, "token" | "branch_pattern">, InstalledHooks {
  /** When the newest event of the agent's actor arrived; null if there is none, or if the server is away. */
  last_event_at: string | null;
  /** Why the server did not tell; null if it did. */
  error: string | null;
  /** The status that the server answered instead; null if it did not answer, or told. */
  error_status: number | null;
}

export const listConnections = (): Promise<ListedConnection[]> =>
  Promise.all(
    readConnections().map(async (connection) => {
      const { token: _, branch_pattern: __, ...listed } = connection;
      const [newest, hooks] = await Promise.all([newestEvent(connection), checkInstalledHooks(connection)]);
      return { ...listed, ...newest, ...hooks };
    }),
  );

type Sender = Pick<Connection, "agent" | "server" | "project" | "token">;

async function newestEvent({ agent, server, project, token }: Sender) {
  const actor = findAgent(agent)?.actor ?? `agent:${agent}`;
  const { api } = openRemote({ url: server, source: "--server", token, tokenSource: null });
  try {
    const query = { project: [project], actor: [actor], limit: 1 };
    const { events } = await unwrap(api.GET("/feed", { params: { query } }));
    return { last_event_at: events[0]?.ts ?? null, error: null, error_status: null };
  } catch (error) {
    const error_status = error instanceof ApiError ? error.status : null;
    return { last_event_at: null, error: (error as Error).message, error_status };
  }
}

export const connectionColumns: Column[] = [
  { head: "AGENT" },
  { head: "PROJECT" },
  { head: "SERVER", rank: 2, flexible: true },
  { head: "FOLDER", rank: 3, flexible: true },
  { head: "SINCE", rank: 1 },
  { head: "HOOKS" },
  { head: "LAST EVENT" },
];

export const connectionRow = (connection: ListedConnection, nowMs: number): string[] => {
  const { agent, project, server, folder, connected_at, hooks, last_event_at, error } = connection;
  const age = (time: string) => formatAge(Math.max(0, nowMs - Date.parse(time)));
  const last = error ? stateOf(connection) : last_event_at ? age(last_event_at) : "never";
  const name = findAgent(agent)?.label ?? agent;
  return [name, project, server, folder ?? "all", age(connected_at), hooks ?? "none", last];
};

const stateOf = ({ error_status }: ListedConnection): string => {
  if (error_status === null) return "server away";
  return error_status === 401 ? "token not valid" : `refused (${error_status})`;
};

/** What is wrong with connections, a line each. */
export const faultLines = (connections: readonly ListedConnection[]): string[] =>
  connections.flatMap(({ agent, error, hooks_error }) => {
    const label = findAgent(agent)?.label ?? agent;
    return [error, hooks_error].flatMap((fault) => (fault === null ? [] : [`${label}: ${fault}`]));
  });

/** What keeps reports of hooks on this machine, if anything does. */
export const spoolLines = ({ waiting, dropped, refused, refusals, destinations }: SpoolStatus): string[] => [
  ...(waiting > 0 ? [`Reports of hooks waiting to be sent: ${waiting}.`] : []),
  ...destinations.flatMap(({ server, error }) => (error ? [`Cannot send to ${server}: ${error}`] : [])),
  ...(refused > 0 ? [`Reports refused: ${refused}, the newest because: ${refusals.at(-1)?.reason}`] : []),
  ...(dropped > 0 ? [`Reports deleted unsent, because too many were waiting: ${dropped}.`] : []),
];
