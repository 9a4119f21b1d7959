/** Takes back texts: previews what changes, and changes all of it in one transaction. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller, Viewer } from "../../core/auth/caller.ts";
import { cursorOf, pageOf, readCursor } from "../../core/lib/cursor.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import type { AffectedRow } from "../../core/maintenance.ts";
import { conflict, notFound } from "../../core/problem.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import { accessErasure, eraseRest } from "./erase.ts";
import type { Finding } from "./find-text.ts";
import { finishRemovals, purge } from "./finish.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { toRemoval } from "./rendered-removal.ts";
import type { RemovalKind, RemovalRow } from "./rows.ts";
import {
  assetRemovalKinds,
  type Removal,
  type RemovalList,
  type RemovalPlan,
  type RemovalSubjectInput,
  type RemovalsQuery,
  type TakeBackInput,
} from "./schema.ts";

/** What taking something back would change. @throws 404 if there is no such thing */
export const planRemoval: LibraryRule<RemovalSubjectInput, RemovalPlan> = async (ctx, input, caller) => {
  const counts = new Map<string, number>();
  const { project, names, known } = await affectedBy(ctx, input, caller, ({ table }) => {
    counts.set(table, (counts.get(table) ?? 0) + 1);
  });
  return {
    kind: input.kind,
    subject: input.subject,
    project,
    names,
    places: [...counts].map(([place, rows]) => ({ place, rows })),
    removal: known && toRemoval(known),
  };
};

/** Gives each row that would change to a function. @throws 404 if there is no such thing */
export async function affectedBy(
  ctx: LibraryContext,
  input: RemovalSubjectInput,
  caller: Caller,
  onRow: (row: AffectedRow) => void,
): Promise<Prepared & { known: RemovalRow | null }> {
  const { data } = ctx;
  const affected: Finding["affected"] = (rewriting) =>
    data.affected(rewriting, (rows) => Array.fromAsync(rows));
  const prepared = await prepare({ reads: data, affected }, input, caller);
  const known = await knownRemoval(data, input);
  let isFound = known !== null;
  await data.affected(prepared.rewriting(newRemoval(ctx, prepared, input, caller)), async (rows) => {
    for await (const row of rows) {
      isFound = true;
      onRow(row);
    }
  });
  if (!isFound) throw nothingFound(input);
  return { ...prepared, known };
}

/**
 * Redacts a text wherever it stands, erases a person, or removes a project.
 * @throws 404 if there is no such thing, 409 if it was taken back before
 */
export async function takeBack(ctx: LibraryContext, input: TakeBackInput, caller: Caller): Promise<Removal> {
  // Of a person, most rows change after the transaction, which must not record that nothing was found.
  if (input.kind === "person") await requireAffected(ctx, input, caller);
  const { row, rewriting } = await ctx.data.atomically(
    async (writes) => {
      const prepared = await prepare(findingIn(writes), input, caller);
      // A project may have been linked again.
      if (input.kind !== "project" && (await knownRemoval(writes, input)))
        throw conflict(`The text of ${input.kind} ${input.subject} was already redacted.`);
      const row = newRemoval(ctx, prepared, input, caller);
      const { subject, project, removed_by, reason } = row;
      const summary = cleanLine(`${prepared.title}: ${reason}`, summaryBytesMax);
      // First: the next append of this process then looks whether its project still exists.
      await writes.append([{ kind: "data.removed", actor: eventActor(removed_by), project, summary }]);
      if (input.kind === "person") await endAccess(writes, prepared.names);
      if (input.kind === "project") await addFileRemovals(writes, row);
      const rewriting = prepared.rewriting(row);
      const isPerson = input.kind === "person";
      const count = await writes.rewriteRows(isPerson ? accessErasure(rewriting) : rewriting);
      if (count === 0 && !isPerson) throw nothingFound(input);
      await writes.dropRemoval(row.kind, subject);
      await writes.addRemoval(row);
      return {
        ...(input.kind === "person" ? { person: subject } : { id: subject }),
        project: input.kind === "project" ? subject : project,
        row,
        rewriting,
      };
    },
    { isLong: true },
  );
  if (row.kind === "project") await finishRemovals(ctx);
  else await purge(ctx, [row.kind === "person" ? await eraseRest(ctx, row, rewriting) : row]);
  return toRemoval((await knownRemoval(ctx.data, row)) ?? row);
}

/** @throws 404 if no row names the person */
async function requireAffected(ctx: LibraryContext, input: TakeBackInput, caller: Caller): Promise<void> {
  const { data } = ctx;
  const affected: Finding["affected"] = (rewriting) =>
    data.affected(rewriting, (rows) => Array.fromAsync(rows));
  const prepared = await prepare({ reads: data, affected }, input, caller);
  const rewriting = prepared.rewriting(newRemoval(ctx, prepared, input, caller));
  const isFound = await data.affected(rewriting, async (rows) => {
    for await (const _ of rows) return true;
    return false;
  });
  if (!isFound) throw nothingFound(input);
}

function newRemoval(
  ctx: LibraryContext,
  { subject, project, detail, clean }: Prepared,
  { kind, reason = "" }: RemovalSubjectInput & { reason?: string },
  caller: Caller,
): RemovalRow {
  return {
    kind,
    subject,
    project,
    removed_by: actorOf(caller, undefined),
    removed_at: ctx.now(),
    reason: clean(reason),
    detail: JSON.stringify(detail),
    finished_at: null,
  };
}

/** Removals of the files of a project: their URLs answer 410, and a server deletes what a store still has. */
async function addFileRemovals(
  writes: LibraryWrites,
  { subject: project, removed_by, removed_at, reason }: RemovalRow,
): Promise<void> {
  const ofProject = { assets: [{ equals: { project } }] };
  for await (const { row } of writes.affectedRows({ tables: ofProject, change: () => null }))
    for (const kind of row.public_url === null ? (["file"] as const) : assetRemovalKinds) {
      const removal = {
        kind,
        subject: row.id as string,
        project,
        removed_by,
        removed_at,
        reason,
        detail: null,
      };
      await writes.dropRemoval(kind, removal.subject);
      await writes.addRemoval(removal);
    }
}

/** Ends the sessions and sign-in links of a person; the tokens are revoked with their rows. */
async function endAccess(writes: LibraryWrites, names: readonly string[]): Promise<void> {
  const tokens = (await writes.tokens()).filter(
    ({ name, owner }) => names.includes(name) || (owner !== null && names.includes(owner)),
  );
  for (const name of names)
    await writes.endSessions({
      actor: `human:${name}`,
      tokens: tokens.map((token) => token.name),
      hashes: tokens.flatMap(({ hash, previous_hash }) => (previous_hash ? [hash, previous_hash] : [hash])),
    });
}

const nothingFound = ({ kind, subject }: RemovalSubjectInput) =>
  notFound(
    kind === "person" ? `Nothing here names "${subject}". See svc person list.` : `No ${kind} ${subject}.`,
  );

const summaryBytesMax = 900;

const findingIn = (writes: LibraryWrites): Finding => ({
  reads: writes,
  affected: (rewriting) => Array.fromAsync(writes.affectedRows(rewriting)),
});

async function knownRemoval(
  reads: Finding["reads"],
  { kind, subject }: { kind: RemovalKind; subject: string },
): Promise<RemovalRow | null> {
  return (await reads.removals([subject])).find((one) => one.kind === kind) ?? null;
}

/** What was taken back, newest first. @throws 400 for an invalid cursor */
export async function listRemovals(
  { data }: LibraryContext,
  { limit = 50, cursor }: RemovalsQuery,
  caller: Viewer,
): Promise<RemovalList> {
  const rows = await data.listedRemovals(caller.projects, {
    limit: limit + 1,
    ...(cursor !== undefined && { after: positionOf(cursor) }),
  });
  const { page, next_cursor } = pageOf(rows, limit, (last) =>
    cursorOf(last.removed_at, ` ${last.kind} ${last.subject}`),
  );
  return { removals: page.map(toRemoval), count: page.length, next_cursor };
}

function positionOf(cursor: string): Pick<RemovalRow, "removed_at" | "kind" | "subject"> {
  const { ts, rest } = readCursor(cursor);
  const [, kind, ...subject] = rest.split(" ");
  // safe because: another kind only finds another place in the order
  return { removed_at: ts ?? 0, kind: kind as RemovalKind, subject: subject.join(" ") };
}
