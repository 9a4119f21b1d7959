import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Connection,
  connectionFor,
  readConnections,
  removeConnection,
  saveConnection,
} from "../../../cli/agents/connections.ts";

let root: string;
let path: string;
const connection = (agent: string, folder: string | null, project = "acme"): Connection => ({
  agent,
  folder,
  server: "http://127.0.0.1:7070",
  project,
  token: "svc_test",
  branch_pattern: null,
  connected_at: "2026-11-23T21:00:00Z",
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svc-connections-"));
  path = join(root, "config/svc/connections.json");
});
afterEach(() => rmSync(root, { recursive: true }));

test("a connection is saved for the user alone, replaces the one of its place, and is removed", () => {
  expect(readConnections(path)).toEqual([]);
  saveConnection(connection("claude-code", null), path);
  saveConnection(connection("claude-code", root), path);
  saveConnection(connection("claude-code", null, "other"), path);
  expect(readConnections(path).map(({ folder, project }) => [folder, project])).toEqual([
    [root, "acme"],
    [null, "other"],
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(removeConnection("claude-code", null, path)?.project).toBe("other");
  expect(removeConnection("claude-code", null, path)).toBeNull();
  expect(readConnections(path)).toEqual([connection("claude-code", root)]);
});

test("a session uses the connection of the longest folder that holds it, else the one without a folder", () => {
  const inner = join(root, "inner");
  mkdirSync(join(inner, "deep"), { recursive: true });
  symlinkSync(inner, join(root, "link"));
  const all = [
    connection("codex", null, "any"),
    connection("codex", root, "root"),
    connection("codex", inner, "in"),
  ];
  const projectOf = (cwd: string, agent = "codex") => connectionFor(agent, cwd, all)?.project;
  expect(projectOf(join(inner, "deep"))).toBe("in");
  expect(projectOf(join(root, "link"))).toBe("in");
  expect(projectOf(join(root, "inner-other"))).toBe("root");
  expect(projectOf("/elsewhere")).toBe("any");
  expect(projectOf(inner, "cursor")).toBeUndefined();
});

test("a damaged file is one line that says what to do", () => {
  mkdirSync(join(root, "config/svc"), { recursive: true });
  writeFileSync(path, '{"connections":');
  expect(() => readConnections(path)).toThrow("is damaged. Delete it, then run svc connect again.");
});

test("a home that is no folder has no connections, and a file that cannot be reached is an error", () => {
  expect(readConnections("/dev/null/svc/connections.json")).toEqual([]);
  symlinkSync("svc", join(root, "svc")); // as a folder that may not be entered, also for root
  expect(() => readConnections(join(root, "svc/connections.json"))).toThrow("Cannot read");
});
