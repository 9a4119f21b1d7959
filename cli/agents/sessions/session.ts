/** What the files of an agent say about its past sessions: numbers, names and times, and nothing else. */
import type { AgentId } from "../../../src/core/agents/agents.ts";
import type { BackfillRun, BackfillStep } from "../../../src/integrations/backfill/schema.ts";
import type { GitRemote } from "../../repository/git-place.ts";

export type PastStep = BackfillStep;
/** A run before its project is known. */
export type PastRun = Omit<BackfillRun, "agent" | "project" | "email" | "ended_at"> & {
  /** When it was last written to. */
  last_at: string;
};

/** A session and its subagents: files that are read together. */
export interface SessionFiles {
  /** Names it among those of its agent, and never leaves the machine. */
  key: string;
  paths: readonly string[];
  bytes: number;
  /** Of the file that was written last, in milliseconds. */
  changedAt: number;
  /** Of the file that was created first. */
  createdAt: number;
  /** Another value says that there is more to read. */
  version: string;
}

/** Where a session worked, and since when. */
export interface SessionPlace {
  startedAt?: string | undefined;
  folder: string | null;
  /** If the session names its remote. */
  remote?: GitRemote | null;
}

/** What was not understood, by what it is, such as `broken line`. */
export type Skipped = Map<string, number>;

/** What is shared by all that is read in one go. */
export interface Reading {
  skipped: Skipped;
  /** The calls that were read, so that a copy in another session is none. */
  calls: CallIds;
  /** Counts bytes. */
  advance(bytes: number): void;
}

/** How the files of an agent are found and read. */
export interface SessionReader {
  agent: AgentId;
  find(skipped: Skipped): SessionFiles[];
  /** By the beginning of its files; null if nothing there says so. */
  placeOf(files: SessionFiles): SessionPlace | null;
  read(files: SessionFiles, reading: Reading): Promise<PastRun[]>;
}

export const skip = (skipped: Skipped, what: string, count = 1): void => {
  if (count > 0) skipped.set(what, (skipped.get(what) ?? 0) + count);
};

const hashBits = 53n;

/** Ids by their hash: a million of them take 40 MB. */
export class CallIds {
  readonly #hashes = new Set<number>();

  has = (id: string): boolean => this.#hashes.has(hashOf(id));
  add(id: string): void {
    this.#hashes.add(hashOf(id));
  }
}

const hashOf = (id: string): number => Number(BigInt.asUintN(Number(hashBits), BigInt(Bun.hash(id))));
