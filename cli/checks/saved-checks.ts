/**
 * The checks of a project as the last brief brought them, for hooks and `svc check` without a network.
 * `svc hook` reads it, so this imports only Node modules.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { CheckInForce } from "../../src/memory/checks/schema.ts";
import { stateFolder } from "../login/user-folders.ts";

export interface ProjectPlace {
  server: string;
  /** The slug of the project, or the repository that it is linked to. */
  project: string;
}

/** Beyond this age checks are not applied: people may have decided otherwise since. */
const maxAgeMs = 7 * 24 * 3_600_000;

const pathOf = ({ server, project }: ProjectPlace): string => {
  const name = new Bun.CryptoHasher("sha256").update(JSON.stringify([server, project])).digest("hex");
  return join(checksFolder(), `${name.slice(0, 32)}.json`);
};

export const checksFolder = (): string => join(stateFolder(), "checks");

/** The saved checks; null if none were saved in the last seven days, or in `maxMs`. */
export function readChecks(place: ProjectPlace, maxMs = maxAgeMs): CheckInForce[] | null {
  try {
    const { at, checks } = JSON.parse(readFileSync(pathOf(place), "utf8"));
    return Array.isArray(checks) && Date.now() - at < maxMs ? checks : null;
  } catch {
    return null;
  }
}

/** A folder that cannot be written costs only the checks. */
export function saveChecks(place: ProjectPlace, checks: readonly CheckInForce[]): void {
  const path = pathOf(place);
  try {
    mkdirSync(checksFolder(), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.${process.pid}`, JSON.stringify({ at: Date.now(), checks }), { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  } catch {}
}

/** Fetches and saves the checks; null if the server gives none, as one of an earlier version. */
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
export function deleteOldChecks(): void {
  const folder = checksFolder();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - writtenAt > maxAgeMs) rmSync(path, { force: true });
  }
}
