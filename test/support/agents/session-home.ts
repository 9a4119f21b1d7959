/** A home with the sessions that the real programs wrote, in a repository of acme/atlas. */
import { Database } from "bun:sqlite";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentHome } from "./agent-home.ts";

const fixtures = join(import.meta.dir, "../../cli/agents/sessions/fixtures");
/** The folder of the repository in the recorded files. */
const recordedFolder = "/home/dev/atlas";

export const recorded = (path: string): string => readFileSync(join(fixtures, path), "utf8");

/** Each with the folder of the home that the files of an agent belong to. */
const folders = {
  "claude-code": ".claude/projects/-home-dev-atlas",
  codex: ".codex",
  "gemini-cli": ".gemini",
  copilot: ".copilot",
  opencode: ".local/share/opencode",
} as const;
export type RecordedAgent = keyof typeof folders;

/** Copies recorded files, whose sessions then worked in the repository of the home. */
export function addSessions(home: AgentHome, agent: RecordedAgent): void {
  const target = join(home.path, folders[agent]);
  cpSync(join(fixtures, agent), target, { recursive: true });
  for (const path of readdirSync(target, { recursive: true, encoding: "utf8" })) {
    const file = join(target, path);
    if (!statSync(file).isFile()) continue;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(recordedFolder, home.repository));
  }
  if (agent === "opencode") makeDatabase(target);
}

/** Makes the database of OpenCode from its rows. */
function makeDatabase(folder: string): void {
  const { session, message } = JSON.parse(readFileSync(join(folder, "rows.json"), "utf8"));
  using db = new Database(join(folder, "opencode.db"));
  db.run("pragma journal_mode = wal");
  db.run(
    "create table session (id text, parent_id text, directory text, title text, version text, time_created integer, time_updated integer)",
  );
  db.run("create table message (id text, session_id text, data text)");
  for (const row of session)
    db.run("insert into session values (?, ?, ?, ?, ?, ?, ?)", Object.values(row) as string[]);
  for (const { id, session_id, data } of message)
    db.run("insert into message values (?, ?, ?)", [id, session_id, JSON.stringify(data)]);
}

/** Writes a file that was changed at a time. */
export function writeSession(
  path: string,
  lines: readonly (object | string)[],
  changedAt = new Date(),
): void {
  mkdirSync(dirname(path), { recursive: true });
  const text = lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`)).join("");
  writeFileSync(path, text);
  utimesSync(path, changedAt, changedAt);
}
