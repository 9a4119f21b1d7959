/**
 * The checks of a project as the last brief brought them, for hooks and `svc check` without a network.
 * `svc hook` reads it, so this imports only small files.
 */
import type { CheckInForce } from "../../src/memory/checks/schema.ts";
import { answersFolder, deleteOldAnswers, readAnswer, writeAnswer } from "../agents/saved-answers.ts";

export interface ProjectPlace {
  server: string;
  /** The slug of the project, or the repository that it is linked to. */
  project: string;
}

const kind = "checks";
const questionOf = ({ server, project }: ProjectPlace) => [server, project];

export const checksFolder = (): string => answersFolder(kind);

/** The saved checks; null if none were saved in the last seven days, or in `maxMs`. */
export function readChecks(place: ProjectPlace, maxMs?: number): CheckInForce[] | null {
  const saved = readAnswer<{ at: number; checks: CheckInForce[] }>(kind, questionOf(place), maxMs);
  return Array.isArray(saved?.checks) ? saved.checks : null;
}

/** A folder that cannot be written costs only the checks. */
export function saveChecks(place: ProjectPlace, checks: readonly CheckInForce[]): void {
  const answer = { at: Date.now(), checks };
  try {
    writeAnswer(kind, questionOf(place), answer);
  } catch {}
}

/** Fetches and saves the checks; null if the server gives none in time. */
export async function fetchChecks(
  place: ProjectPlace,
  token: string | undefined,
  signal: AbortSignal,
): Promise<CheckInForce[] | null> {
  const { server, project } = place;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const url = `${server}/api/v1/projects/${project}/checks`;
    const response = await fetch(url, { headers, redirect: "manual", signal });
    const { checks } = response.ok ? ((await response.json()) as { checks: CheckInForce[] }) : {};
    if (!Array.isArray(checks)) return null;
    saveChecks(place, checks);
    return checks;
  } catch {
    return null;
  }
}

/** Deletes checks, and what sessions were told of them, that are too old to be applied. */
export const deleteOldChecks = (): void => deleteOldAnswers(kind);
