/**
 * Sessions of OpenCode: the tables `session` and `message` of `opencode*.db`, which are read in place, as
 * their newest rows can be in the log of SQLite. Input leaves the cache out, and output the reasoning.
 * (1.18.33)
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { runIdOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import { countOf, nameOf, objectOf, parseText, timeOf } from "./fields.ts";
import { filesBelow, home, sessionFiles } from "./files.ts";
import type { PastRun, PastStep, Reading, SessionFiles, SessionPlace, SessionReader } from "./session.ts";
import { skip } from "./session.ts";

const folder = (): string => join(process.env.XDG_DATA_HOME || join(home(), ".local", "share"), "opencode");

interface SessionRow {
  id: string;
  parent_id: string | null;
  directory: string;
  time_created: number;
  time_updated: number;
}

/** What is read of a session that was found, by its key. */
const found = new Map<string, { path: string; row: SessionRow }>();

/** OpenCode can write while this reads. */
function open(path: string): Database {
  const db = new Database(path, { readonly: true });
  db.run("pragma busy_timeout = 5000");
  return db;
}

const databases = (): string[] => filesBelow(folder(), (name) => /^opencode.*\.db$/.test(name), 0);

function sessionsIn(path: string): SessionFiles[] {
  const state = sessionFiles(path, [path, `${path}-wal`]);
  if (!state) return [];
  using db = open(path);
  const rows = db
    .query<SessionRow, []>("select id, parent_id, directory, time_created, time_updated from session")
    .all();
  return rows.map((row) => {
    const key = `${path} ${row.id}`;
    found.set(key, { path, row });
    return {
      key,
      paths: state.paths,
      bytes: Math.round(state.bytes / rows.length),
      changedAt: row.time_updated,
      createdAt: row.time_created,
      version: String(row.time_updated),
    };
  });
}

function stepOf(id: string, text: string): PastStep | null {
  const data = objectOf(parseText(text));
  const time = objectOf(data.time);
  const at = timeOf(time.completed ?? time.created);
  if (data.role !== "assistant" || at === undefined) return null;
  const tokens = objectOf(data.tokens);
  const cache = objectOf(tokens.cache);
  const [model, provider] = [nameOf(data.modelID), nameOf(data.providerID)];
  const duration = countOf(time.completed) - countOf(time.created);
  return {
    at,
    key: id,
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    tokens_in: countOf(tokens.input),
    tokens_out: countOf(tokens.output) + countOf(tokens.reasoning),
    cache_read: countOf(cache.read),
    cache_write: countOf(cache.write),
    ...(typeof data.cost === "number" && data.cost > 0 && { cost: data.cost }),
    ...(duration > 0 && { duration_ms: duration }),
  };
}

async function read({ key, bytes }: SessionFiles, reading: Reading): Promise<PastRun[]> {
  const session = found.get(key);
  reading.advance(bytes);
  if (!session) return [];
  using db = open(session.path);
  const { id, parent_id, time_created, time_updated } = session.row;
  const rows = db
    .query<{ id: string; data: string }, [string]>(
      "select id, data from message where session_id = ? order by id",
    )
    .all(id);
  const steps = rows.flatMap((row) => stepOf(row.id, row.data) ?? []);
  const used = steps.filter(({ tokens_in = 0, tokens_out = 0 }) => tokens_in + tokens_out > 0);
  const started_at = timeOf(time_created);
  if (used.length === 0 || started_at === undefined) return [];
  const parent = nameOf(parent_id);
  return [
    {
      id: runIdOf(id),
      ...(parent !== undefined && { parent }),
      started_at,
      last_at: timeOf(time_updated) ?? started_at,
      steps: used,
    },
  ];
}

export const openCode: SessionReader = {
  agent: "opencode",
  find: (skipped) =>
    databases().flatMap((path) => {
      try {
        return sessionsIn(path);
      } catch {
        skip(skipped, "database of OpenCode that cannot be read"); // such as one of version 2
        return [];
      }
    }),
  placeOf({ key }): SessionPlace {
    const row = found.get(key)?.row;
    return { folder: row?.directory ?? null, startedAt: timeOf(row?.time_created) };
  },
  read,
};
