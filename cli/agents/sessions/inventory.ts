/** What sessions there are on this machine, and where they belong. */
import type { AgentId } from "../../../src/core/agents/agents.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { geminiCli } from "./gemini-cli.ts";
import { openCode } from "./opencode.ts";
import type { Destination, Places, Unlinked } from "./places.ts";
import type { SessionFiles, SessionReader, Skipped } from "./session.ts";

export interface FoundSession {
  reader: SessionReader;
  files: SessionFiles;
  to: Destination;
}

export interface Inventory {
  /** Those of linked projects. The ones that began first come first: others can hold copies of them. */
  sessions: FoundSession[];
  /** How many sessions each repository has that no project is linked to. */
  unlinked: { repository: Unlinked; count: number }[];
  /** Sessions without a repository, such as those of a folder that is gone. */
  elsewhere: number;
  agents: Map<AgentId, number>;
  /** When the oldest one was written last, in milliseconds. */
  since: number;
  bytes: number;
}

/** Those that could belong to a project, before that is known. */
export interface Candidate extends Omit<FoundSession, "to"> {
  place: NonNullable<ReturnType<SessionReader["placeOf"]>>;
}

/** @param since in milliseconds: sessions that were last written before are left out */
export const findSessions = (since: number, skipped: Skipped): Candidate[] =>
  sessionReaders
    .flatMap((reader) =>
      reader
        .find(skipped)
        .filter(({ changedAt }) => changedAt >= since)
        .map((files) => ({ reader, files, place: reader.placeOf(files) ?? { folder: null } })),
    )
    .sort((a, b) => startOf(a) - startOf(b) || a.files.createdAt - b.files.createdAt);

/** A copy of a file has its own times; what is in it stays. */
const startOf = ({ place, files }: Candidate): number =>
  place.startedAt === undefined ? files.createdAt : Date.parse(place.startedAt);

export function takeInventory(candidates: readonly Candidate[], places: Places, project?: string): Inventory {
  const inventory: Inventory = {
    sessions: [],
    unlinked: [],
    elsewhere: 0,
    agents: new Map(),
    since: Number.POSITIVE_INFINITY,
    bytes: 0,
  };
  const unlinked = new Map<string, Inventory["unlinked"][number]>();
  const taken = new Set<string>();
  for (const { reader, files, place } of candidates) {
    const to = places.destinationOf(place);
    const remote = places.remoteOf(place);
    if (to && (project === undefined || to.project === project)) {
      inventory.sessions.push({ reader, files, to });
      inventory.agents.set(reader.agent, (inventory.agents.get(reader.agent) ?? 0) + 1);
      inventory.since = Math.min(inventory.since, files.changedAt);
      inventory.bytes += files.bytes;
    } else if (!to && remote) {
      const key = `${remote.host}/${remote.path}`.toLowerCase();
      const known = unlinked.get(key) ?? { repository: places.proposalFor(remote, taken), count: 0 };
      taken.add(known.repository.slug);
      known.count++;
      unlinked.set(key, known);
    } else if (!remote) inventory.elsewhere++;
  }
  inventory.unlinked = [...unlinked.values()].sort((a, b) => b.count - a.count);
  return inventory;
}

/** The agents whose past sessions svc reads: one row, one file. Cursor's files hold no usage. */
const sessionReaders: readonly SessionReader[] = [claudeCode, codex, geminiCli, copilot, openCode];
