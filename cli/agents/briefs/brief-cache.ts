/**
 * Briefs that hooks and the sender fetched, for sessions that start while the server does not answer. One
 * file for each server, project and branch. `svc hook` reads it, so this imports only small files.
 */
import type { Anchor } from "../../../src/memory/anchor-schema.ts";
import { deleteOldAnswers, readAnswer, writeAnswer } from "../saved-answers.ts";
import type { GivenBrief } from "../spool/spool.ts";

export interface BriefKey {
  server: string;
  project: string;
  /** Null: the brief of the project, for a branch that has none of its own yet. */
  branch: string | null;
}

export interface CachedBrief extends Pick<GivenBrief, "hash" | "from"> {
  text: string;
  /** What its decisions speak of; those of an older svc have none. */
  anchors?: Anchor[];
  /** When it was fetched, in milliseconds since the epoch. */
  at: number;
}

const kind = "briefs";
const questionOf = ({ server, project, branch }: BriefKey) => [server, project, branch];

/** The brief of the key; null if none was fetched in the last seven days. */
export function readBrief(key: BriefKey): CachedBrief | null {
  const cached = readAnswer<CachedBrief>(kind, questionOf(key));
  return typeof cached?.text === "string" ? cached : null;
}

/** @throws Error of a folder that cannot be written */
export const writeBrief = (key: BriefKey, brief: CachedBrief): void =>
  writeAnswer(kind, questionOf(key), brief);

/** Deletes the briefs that are too old to be given. */
export const deleteOldBriefs = (): void => deleteOldAnswers(kind);
