/** Adds the audit row of an action to the transaction of what it writes, and the caller's person to its events. */

import { subjectOf } from "../core/audit/action.ts";
import type { Action } from "../core/audit/port.ts";
import { type Caller, ownActor } from "../core/auth/caller.ts";
import type { NewAudit } from "../core/rows.ts";
import type { FeedContext } from "./context.ts";
import type { FeedWrites } from "./port.ts";

type Owner = Pick<Caller, "person" | "team">;

/** Writes whose events are the work of a caller, except for what svc itself finds. */
function ownedWrites<W extends FeedWrites>(writes: W, { person, team }: Owner): W {
  if (person === undefined && team === undefined) return writes;
  const owner = { ...(person !== undefined && { person }), ...(team !== undefined && { team }) };
  const append: FeedWrites["append"] = (events) =>
    writes.append(events.map((event) => (event.actor === ownActor ? event : { ...owner, ...event })));
  return Object.assign(Object.create(writes), { append });
}

/**
 * A context that adds the audit row to its first committed transaction, so a write and its row commit
 * together or not at all. This costs one statement, and no extra fsync.
 */
export function withAuditRow<C extends Pick<FeedContext, "data" | "now">>(
  ctx: C,
  action: Action,
  owner: Owner = {},
): C {
  const { data } = ctx;
  let isRecorded = false;
  const rowOf = (result: unknown): NewAudit => {
    const { who, via, what, project, target, request } = action;
    // Asking the connection for its address takes 3 % of an append (`bun run bench append`).
    const address = who === null ? action.address : null;
    const at = ctx.now();
    return {
      who,
      via,
      what,
      project,
      target,
      request,
      address,
      at,
      status: 200,
      ...subjectOf(result),
    };
  };
  const atomically: typeof data.atomically = async (work, options) => {
    const value = await data.atomically(async (writes) => {
      const result = await work(ownedWrites(writes, owner));
      if (!isRecorded) await writes.addAudit(rowOf(result));
      return result;
    }, options);
    isRecorded = true;
    return value;
  };
  const append: typeof data.append = async (events) => {
    const result = await data.append(events, isRecorded ? undefined : rowOf);
    isRecorded = true;
    return result;
  };
  // Not copied: the data port has more than a hundred methods, and every append comes here.
  return { ...ctx, data: Object.assign(Object.create(data), { atomically, append }) };
}
