/**
 * The commit that a session started from, and what its agent was handed: each once, so that no turn
 * goes on forever. `svc hook` imports this: only Node modules.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checksFolder } from "./saved-checks.ts";

interface TurnState {
  /** The commit that was checked out when the session started. */
  base: string | null;
  handed: string[];
}

const pathOf = (session: string): string =>
  join(
    checksFolder(),
    `session-${new Bun.CryptoHasher("sha256").update(session).digest("hex").slice(0, 32)}`,
  );

export function readTurnState(session: string): TurnState {
  try {
    const { base, handed } = JSON.parse(readFileSync(pathOf(session), "utf8"));
    if (Array.isArray(handed)) return { base, handed };
  } catch {}
  return { base: null, handed: [] };
}

/** @throws if the folder cannot be written */
export function writeTurnState(session: string, state: TurnState): void {
  mkdirSync(checksFolder(), { recursive: true, mode: 0o700 });
  writeFileSync(pathOf(session), JSON.stringify(state), { mode: 0o600 });
}
