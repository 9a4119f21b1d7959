/**
 * Claims: a run or a person says that it works on a task or on files, for a time. A claim is advisory: it
 * stops no one. Of several that ask at once one gets it, because writers share one lock.
 */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller, Viewer } from "../../core/auth/caller.ts";
import { fromMicros, type Micros, minuteMicros } from "../../core/lib/time.ts";
import { conflict } from "../../core/problem.ts";
import type { FeedContext, FeedRule } from "../context.ts";
import type { FeedReads, FeedWrites } from "../port.ts";
import { requireProject } from "../projects/projects.ts";
import type { ClaimRow } from "../rows.ts";
import { runIdFor } from "../runs/join-run.ts";
import {
  type Claim,
  type ClaimInput,
  type ClaimList,
  type ClaimResult,
  claimsMax,
  leaseMinutesDefault,
} from "./schema.ts";
import { overlap, subjectOf } from "./subject.ts";
import { claimText } from "./text.ts";

/** Who claims: a run, else a token, which a person signs in with, too. */
type Holder = Pick<ClaimRow, "holder" | "run_id" | "token">;

/** The claims of a project that are in force, newest first. */
export async function activeClaims(
  { data, now }: { data: Pick<FeedReads, "claims">; now(): Micros },
  project: string,
): Promise<ClaimRow[]> {
  const at = now();
  return (await data.claims(project)).filter((row) => isActive(row, at));
}

/** @throws 404 for a project that the caller may not see */
export async function listClaims(
  ctx: FeedContext,
  { project }: { project: string },
  caller: Viewer,
): Promise<ClaimList> {
  await requireProject(ctx.data, project, caller);
  const claims = (await activeClaims(ctx, project)).map(toClaim);
  return { claims, count: claims.length };
}

/**
 * Claims all of the subjects or none, extends the caller's own claims, or releases them.
 * @throws 409 that says who holds which, unless the caller forces it; 400 for a malformed subject
 */
export const claim: FeedRule<ClaimInput, ClaimResult> = async (
  ctx,
  { project, subjects, minutes = leaseMinutesDefault, note, run_id, force = false, by },
  caller,
) => {
  const { slug } = await requireProject(ctx.data, project, caller);
  const wanted = [...new Set(subjects.map(subjectOf))];
  return ctx.data.atomically(async (writes) => {
    const me = await holderOf(writes, ctx, { project: slug, run_id, by }, caller);
    const active = await activeClaims({ data: writes, now: ctx.now }, slug);
    const others = active.filter((row) => !isSame(row, me));
    const held = others.filter(({ subject }) => wanted.includes(subject));
    if (held.length > 0 && !force) throw conflict(heldText(held));
    const overlapping = others.filter(({ subject }) => wanted.some((one) => overlap(one, subject)));
    const result = { claims: [], others: overlapping.map(toClaim), released: 0 };
    if (minutes === 0) {
      const released = active.filter(({ subject }) => wanted.includes(subject));
      await writes.removeClaims(slug, wanted);
      return { ...result, released: released.length };
    }
    const own = active.filter((row) => isSame(row, me) && wanted.includes(row.subject));
    const added = wanted.length - own.length - held.length;
    if (active.length + added > claimsMax)
      throw conflict(`${slug} has ${active.length} claims; at most ${claimsMax} are allowed. Release some.`);
    const rows = wanted.map((subject): ClaimRow => {
      const known = own.find((row) => row.subject === subject);
      return {
        ...me,
        project: slug,
        subject,
        note: note ?? known?.note ?? null,
        lease: minutes * minuteMicros,
        claimed_at: known?.claimed_at ?? ctx.now(),
        renewed_at: ctx.now(),
        run_event_at: null,
        run_ended_at: null,
      };
    });
    for (const row of rows) await writes.saveClaim(row);
    return { ...result, claims: rows.map(toClaim) };
  });
};

/** @throws 409 for a run that has ended */
async function holderOf(
  writes: FeedWrites,
  ctx: FeedContext,
  { project, run_id, by }: { project: string; run_id: string | undefined; by: string | undefined },
  caller: Caller,
): Promise<Holder> {
  const id = await runIdFor(writes, ctx, caller, { project, run_id });
  const run = id === null ? null : await writes.run(caller.projects, project, id);
  if (run?.ended_at != null) throw conflict(`The run ${run.id} has ended, and with it its claims.`);
  const holder = by === undefined && run ? run.actor : eventActor(actorOf(caller, by));
  return { holder, run_id: id, token: caller.name ?? "" };
}

/** Two runs of a token are two holders; without a run it is the token. */
const isSame = (row: ClaimRow, { run_id, token }: Holder): boolean =>
  row.run_id !== null && run_id !== null ? row.run_id === run_id : row.token === token;

/** A lease counts from the last event of its run, and the run's end ends it. */
const endOf = ({ renewed_at, run_event_at, lease }: ClaimRow): Micros =>
  Math.max(renewed_at, run_event_at ?? 0) + lease;

const isActive = (row: ClaimRow, at: Micros): boolean => row.run_ended_at === null && at < endOf(row);

export const toClaim = (row: ClaimRow): Claim => ({
  project: row.project,
  subject: row.subject,
  holder: row.holder,
  run_id: row.run_id,
  note: row.note,
  since: fromMicros(row.claimed_at),
  until: fromMicros(endOf(row)),
});

const heldText = (held: readonly ClaimRow[]): string =>
  `${held.map((row) => claimText(toClaim(row))).join("; ")}. ` +
  "Each event of its run extends a claim. Nothing was changed: take other work, ask the holder, try again " +
  "later, or pass force to take it over.";
