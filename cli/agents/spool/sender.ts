/**
 * The sender: a process that sends what the spool holds, and ends when it is empty. One runs at a time. What
 * a server has not acknowledged stays, in order.
 */
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { refreshBriefs } from "../briefs/refresh-briefs.ts";
import { deleteItem, sendItems } from "./send-items.ts";
import { type SenderLock, takeSenderLock } from "./sender-lock.ts";
import { listSpool, spoolFolder } from "./spool.ts";
import { reportDropped } from "./status.ts";

/** A file takes a block of 4 KiB on most disks, so these take at most 64 MiB. */
const spoolItemsMax = 16_384;
/** How long it waits for the next report before it ends: hooks often come in groups. */
const lingerMs = 1_000;
const lookMs = 50;
const leftoverMs = 60_000;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** A server can ask for longer; this also bounds a header that is wrong. */
const retryAfterMaxMs = 300_000;
/** After a day without an answer it ends: the next hook, or any other command, starts it again. */
const patienceMs = 24 * 3_600_000;

/** Sends until the spool is empty; ends at once if another sender runs. @param itemsMax how many may wait */
export async function runSender(folder = spoolFolder(), itemsMax = spoolItemsMax): Promise<void> {
  const stuck = new Set<string>();
  const spool: Spool = {
    folder,
    itemsMax,
    stuck,
    list: () => listSpool(folder).filter((name) => !stuck.has(name)),
  };
  for (let lock = takeSenderLock(folder); lock; lock = takeSenderLock(folder)) {
    let isEmpty: boolean;
    try {
      isEmpty = await sendUntilEmpty(spool, lock);
    } finally {
      lock.release();
    }
    // A hook that still saw the lock has started no sender: its item is there now.
    if (!isEmpty || spool.list().length === 0) return;
  }
}

interface Spool {
  folder: string;
  itemsMax: number;
  /** Files that can be neither deleted nor set aside. */
  stuck: Set<string>;
  /** The names of the items that wait, oldest first, without those that are stuck. */
  list(): string[];
}

/** @returns false if it gave up */
async function sendUntilEmpty(spool: Spool, lock: SenderLock): Promise<boolean> {
  let progressAt = Date.now();
  removeLeftovers(spool.folder);
  for (let failures = 0; lock.isHeld(); ) {
    const names = dropOldest(spool);
    if (names.length === 0 && !(await hasMore(spool))) return true;
    const round = await sendItems(spool.folder, names, spool.stuck, lock.isHeld);
    if (round.done.length > 0) {
      failures = 0;
      progressAt = Date.now();
      await refreshBriefs(round.done).catch(() => {}); // reports do not wait for briefs
    }
    if (!round.isWaiting) continue;
    if (Date.now() - progressAt > patienceMs) return false;
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** failures++) * (0.75 + Math.random() / 2);
    await Bun.sleep(Math.max(wait, Math.min(round.retryAfterMs, retryAfterMaxMs)));
  }
  return false;
}

async function hasMore({ list }: Spool): Promise<boolean> {
  const deadline = Date.now() + lingerMs;
  while (Date.now() < deadline) {
    await Bun.sleep(lookMs);
    if (list().length > 0) return true;
  }
  return false;
}

/** Deletes what processes left that were killed while they wrote. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^(\.|status\.json\.|sender\.lock\.)/.test(name)) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats && !stats.isDirectory() && Date.now() - stats.mtimeMs > leftoverMs)
      rmSync(path, { force: true });
  }
}

/** Deletes the oldest items of a spool that is too long. @returns the names of the others */
function dropOldest({ folder, itemsMax, stuck, list }: Spool): string[] {
  const names = list();
  const dropped = names.slice(0, Math.max(0, names.length - itemsMax));
  const deleted = dropped.filter((name) => deleteItem(folder, name, stuck));
  if (deleted.length > 0) reportDropped(folder, deleted.length);
  return names.slice(dropped.length);
}
