/**
 * What a server last answered, one JSON file for each question, for hooks and commands without a network.
 * `svc hook` reads it, so this imports only Node modules.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../login/private-file.ts";
import { stateFolder } from "../login/user-folders.ts";

/** Beyond this age an answer is not given: people may have decided otherwise since. */
const maxAgeMs = 7 * 24 * 3_600_000;

/** The folder of a kind of answers. */
export const answersFolder = (kind: string): string => join(stateFolder(), kind);

function pathOf(kind: string, question: readonly unknown[]): string {
  const name = new Bun.CryptoHasher("sha256").update(JSON.stringify(question)).digest("hex");
  return join(answersFolder(kind), `${name.slice(0, 32)}.json`);
}

/** The saved answer, if it was written in the last `maxMs`; null without one. @typeParam T its JSON */
export function readAnswer<T extends { at: number }>(
  kind: string,
  question: readonly unknown[],
  maxMs = maxAgeMs,
): T | null {
  try {
    const answer = JSON.parse(readFileSync(pathOf(kind, question), "utf8")) as T;
    return Date.now() - answer.at < maxMs ? answer : null;
  } catch {
    return null;
  }
}

/** @throws Error of a folder that cannot be written */
export function writeAnswer(kind: string, question: readonly unknown[], answer: { at: number }): void {
  replaceFile(pathOf(kind, question), JSON.stringify(answer));
}

/** Deletes the files of a kind that are too old to be read. */
export function deleteOldAnswers(kind: string): void {
  const folder = answersFolder(kind);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - writtenAt > maxAgeMs) rmSync(path, { force: true });
  }
}
