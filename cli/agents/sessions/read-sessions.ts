/** Reads sessions and sends what they say, and remembers what was sent. */
import type { BackfillRun } from "../../../src/integrations/backfill/schema.ts";
import type { FoundSession } from "./inventory.ts";
import type { ProgressFile } from "./progress-file.ts";
import type { RunSender } from "./sender.ts";
import { type PastRun, type Reading, skip } from "./session.ts";

const saveEveryMs = 2_000;
/** A later answer can still be written, and its telemetry be on its way. */
const settledMs = 2 * 60_000;

export interface SessionsOptions {
  reading: Reading;
  sender: RunSender;
  progress: ProgressFile;
  /** Sessions that were written after this go on; in milliseconds. */
  openSince: number;
  onRead(sessions: number): void;
}

/** Reads those that changed since they were sent. A session that cannot be read is skipped. */
export async function readSessions(
  sessions: readonly FoundSession[],
  { reading, sender, progress, openSince, onRead }: SessionsOptions,
): Promise<void> {
  let savedAt = performance.now();
  let count = 0;
  for (const { reader, files, to } of sessions) {
    const key = `${reader.agent} ${files.key}`;
    onRead(++count);
    if (progress.has(key, files.version)) {
      reading.advance(files.bytes);
      continue;
    }
    const past = await reader.read(files, reading).catch((error: NodeJS.ErrnoException) => {
      if (error.code === undefined) throw error;
      skip(reading.skipped, `session that cannot be read (${error.code})`);
      return null;
    });
    if (!past) continue;
    const isOpen = files.changedAt > openSince;
    const settled = new Date(Date.now() - settledMs).toISOString();
    const isRecent = past.some(({ steps }) => steps.some(({ at }) => at > settled));
    const runs = past.map((run) => toRun(run, { agent: reader.agent, ...to, isOpen, settled }));
    const [first] = runs;
    const witness = first ? { project: first.project, id: first.id } : null;
    // What is still to come is read the next time.
    const version = isOpen || isRecent ? "open" : files.version;
    await sender.add(runs, () => progress.add(key, version, witness));
    if (performance.now() - savedAt < saveEveryMs) continue;
    savedAt = performance.now();
    progress.save();
    // The heap would grow with the garbage of parsed lines: to 520 MB with 6 GB of sessions, instead of 310.
    Bun.gc(true);
  }
  await sender.end();
  progress.save();
}

interface About {
  agent: BackfillRun["agent"];
  project: string;
  email: string | null;
  isOpen: boolean;
  /** Until when answers are taken. */
  settled: string;
}

function toRun(past: PastRun, { agent, project, email, isOpen, settled }: About): BackfillRun {
  const { last_at, failed, steps, ...run } = past;
  const end = isOpen ? {} : { ended_at: last_at, ...(failed !== undefined && { failed }) };
  const taken = steps.filter(({ at }) => at <= settled);
  return { agent, project, ...run, steps: taken, ...end, ...(email !== null && { email }) };
}
