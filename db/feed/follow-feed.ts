/** Keeps what a process remembers of projects current: only an event of a project changes it. */
import type { Session } from "../engine/session.ts";
import { readFeedHead } from "./head.ts";
import type { FeedVersion, ProjectMemory } from "./project-memory.ts";
import { changedDays, followedMax } from "./usage/remembered-days.ts";

/**
 * Drops what is remembered of projects that changed until now.
 * @returns the version of the others, if what is read next is of it: a replica may be behind another one
 */
export async function followFeed(
  session: Session,
  memory: ProjectMemory,
): Promise<Readonly<FeedVersion> | null> {
  const { id, budgets } = await readFeedHead(session);
  for (;;) {
    const known = memory.version;
    const isSame = known?.budgets === budgets;
    if (known && isSame && known.id >= id) return known.id === id ? known : null;
    const canFollow = known && isSame && id - known.id <= followedMax;
    const changed = canFollow ? await changedDays(session, known.id, id) : null;
    // Or another read dropped something meanwhile.
    if (memory.version === known)
      memory.moveTo({ id, budgets }, changed && new Set(changed.map(({ project }) => project)));
  }
}
