/** The files that anchors speak of, as the history renamed and deleted them. */
import type { Anchor } from "../../src/memory/anchor-schema.ts";
import { git, isInside, logFields, objectsAt, textsOf } from "./git-objects.ts";

/** A file is followed through this many renames. */
const renamesMax = 8;

const shallowArgs = ["rev-parse", "--is-shallow-repository"];

/** A checkout, and the time at which a session stops to wait for its history. */
export interface Search {
  folder: string;
  revision: string;
  until: number;
}

/** A file as it is now: its id, `gone`, or null if its history took too long. */
type Now = string | "gone" | null;

/**
 * The id of the file that each anchor speaks of, under its newest name; `gone` if it was deleted, or has no
 * such symbol, and null if it is not known in time. Null without a repository or a commit.
 */
export function anchorObjects(search: Search, anchors: readonly Anchor[]): Now[] | null {
  const { folder, revision, until } = search;
  if (anchors.length === 0) return [];
  const paths = [...new Set(anchors.map(({ path }) => path))];
  const objects = objectsAt(folder, revision, paths);
  if (!objects) return null;
  const missing = paths.filter((path) => !objects.has(path));
  const renamed = findRenamed(search, missing.filter(isInside));
  const now = anchors.map(
    ({ path }) => objects.get(path) ?? (isInside(path) ? (renamed.get(path) ?? null) : "gone"),
  );
  const named = now.filter((id, at) => anchors[at]?.symbol && id !== null && id !== "gone");
  const texts = textsOf(folder, new Set(named as string[]), until - performance.now());
  return now.map((id, at) => {
    const symbol = anchors[at]?.symbol;
    if (id === null || id === "gone" || !symbol) return id;
    const text = texts && (texts.get(id) ?? "");
    return text === null ? null : hasWord(text, symbol) ? id : "gone";
  });
}

/** Files that were renamed or deleted, by the commits that removed each of their names. */
function findRenamed(search: Search, paths: readonly string[]): Map<string, string> {
  const { folder, revision } = search;
  const found = new Map<string, string>();
  /** The path that an anchor names, by the name that its file had last. */
  let names = new Map(paths.map((path) => [path, path]));
  for (let hop = 0; hop < renamesMax && names.size > 0; hop++) {
    const removals = findRemovals(search, [...names.keys()]);
    if (!removals) return found;
    const isShallow = removals.size < names.size && git(folder, shallowArgs)?.trim() === "true";
    const renames = removals.size > 0 ? findRenames(search, removals) : new Map<string, string>();
    if (!renames) return found;
    const next = new Map<string, string>();
    for (const [name, path] of names) {
      const to = renames.get(name);
      // A shallow clone has not every commit that could have renamed it.
      if (to === undefined && !removals.has(name) && isShallow) continue;
      if (to === undefined) found.set(path, "gone");
      else next.set(to, path);
    }
    const objects = next.size > 0 ? objectsAt(folder, revision, [...next.keys()]) : null;
    for (const [name, path] of next) {
      const id = objects?.get(name);
      if (id === undefined) continue;
      found.set(path, id);
      next.delete(name);
    }
    names = next;
  }
  for (const path of names.values()) found.set(path, "gone");
  return found;
}

/** The newest commit that removed each name, as far as there is one; null if it took too long. */
function findRemovals(
  { folder, revision, until }: Search,
  names: readonly string[],
): Map<string, string> | null {
  const found = new Map<string, string>();
  // A name that was removed often can fill a log: those that are left are asked for again.
  for (let left = names; left.length > 0; left = left.filter((name) => !found.has(name))) {
    const args = ["-n", String(left.length), "--no-renames", "--diff-filter=D", "--name-only", revision];
    const log = logFields(folder, [...args, "--", ...left], until - performance.now());
    if (!log) return null;
    const before = found.size;
    for (const { commit, fields } of log)
      for (const name of fields) if (left.includes(name) && !found.has(name)) found.set(name, commit);
    if (log.length < left.length || found.size === before) break;
  }
  return found;
}

/** What each name became in the commit that removed it, if it was renamed; null if it took too long. */
function findRenames(
  { folder, until }: Search,
  removals: ReadonlyMap<string, string>,
): Map<string, string> | null {
  const args = [
    "--no-walk=unsorted",
    "-M",
    "--diff-filter=R",
    "--name-status",
    ...new Set(removals.values()),
  ];
  const log = logFields(folder, args, until - performance.now());
  if (!log) return null;
  const found = new Map<string, string>();
  for (const { commit, fields } of log)
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [, name = "", to = ""] = fields.slice(at);
      if (removals.get(name) === commit) found.set(name, to);
    }
  return found;
}

/** Whether a text has a word, which no letter, digit, or underscore touches. */
function hasWord(text: string, word: string): boolean {
  const name = word.replace(/[^\p{L}\p{N}_]/gu, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, "u").test(text);
}
