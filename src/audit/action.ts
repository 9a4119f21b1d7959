/** What somebody sets out to do, and its row in the transaction that does it. */
import { ownActor } from "../auth/actor.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { AuditRow, NewAudit } from "../rows.ts";
import { Slug } from "../wire.ts";

export type Action = Pick<AuditRow, "who" | "via" | "what" | "project" | "target" | "address" | "request">;

/** @param what of those who come as agents the name of the tool, of all others that of the operation */
export function actionOf(caller: Caller, what: string): Action {
  const { via = "api", address = null, request = null } = caller.source ?? {};
  const isUser = via === "cli" || via === "stdio";
  return {
    who: (isUser && caller.actor) || caller.name,
    via,
    what,
    project: null,
    target: null,
    address,
    request,
  };
}

/** What nobody asked for. */
export const serviceAction = (
  what: string,
  project: string | null = null,
  target: string | null = null,
): Action => ({
  ...{ who: ownActor, via: "service", what, project, target, address: null, request: null },
});

const slug = new RegExp(Slug.pattern as string);
const id = /^([0-7][0-9A-HJKMNP-TV-Z]{25}|[1-9]\d{0,15})$/i;

/**
 * What it was done to, as the input or the outcome says. Anything may stand in an input, so only names of
 * ours are taken.
 */
export function subjectOf(said: unknown): Partial<Pick<Action, "project" | "target">> {
  if (typeof said !== "object" || said === null) return {};
  const { project, slug: named, id: of, added } = said as Record<string, unknown>;
  const projects = Array.isArray(added)
    ? [...new Set(added.map((event: { project?: unknown }) => event.project))]
    : [project ?? named];
  const [first] = projects;
  return {
    ...(projects.length === 1 && typeof first === "string" && slug.test(first) && { project: first }),
    ...((typeof of === "string" || typeof of === "number") && id.test(String(of)) && { target: String(of) }),
  };
}

/**
 * The same context, whose first transaction that is kept holds the row of the act as well: there is no write
 * without its row, and no row without its write. One more statement in a transaction that is under way, and
 * no further wait for the disk.
 */
export function withAuditRow<C extends Pick<Context, "data" | "now">>(ctx: C, act: Action): C {
  const { data } = ctx;
  let isRecorded = false;
  // Who was let in needs no address.
  const address = act.who === null ? act.address : null;
  const rowOf = (made: unknown): NewAudit => ({
    ...act,
    ...subjectOf(made),
    address,
    at: ctx.now(),
    status: 200,
  });
  const atomically: typeof data.atomically = async (work) => {
    const value = await data.atomically(async (writes) => {
      const made = await work(writes);
      if (!isRecorded) await writes.addAudit(rowOf(made));
      return made;
    });
    isRecorded = true;
    return value;
  };
  const append: typeof data.append = async (events) => {
    const made = await data.append(events, isRecorded ? undefined : rowOf);
    isRecorded = true;
    return made;
  };
  return { ...ctx, data: { ...data, atomically, append } };
}
