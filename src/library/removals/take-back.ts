/** Takes back texts: previews what changes, and changes all of it in one transaction. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { conflict } from "../../core/problem.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import { type Finding, findText } from "./find-text.ts";
import { purge } from "./finish.ts";
import { placeOf, redactionsOf } from "./redact-row.ts";
import { toRemoval } from "./rendered-removal.ts";
import type { RemovalDetail, RemovalKind, RemovalRow } from "./rows.ts";
import type {
  Removal,
  RemovalList,
  RemovalPlan,
  RemovalSubjectInput,
  RemovalsQuery,
  TakeBackInput,
} from "./schema.ts";

/** What taking something back would change. @throws 404 */
export async function planRemoval(
  { data }: LibraryContext,
  subject: RemovalSubjectInput,
  caller: Caller,
): Promise<RemovalPlan> {
  const affected: Finding["affected"] = (rewriting) =>
    data.affected(rewriting, (rows) => Array.fromAsync(rows));
  const { project, rows } = await findText({ reads: data, affected }, subject, caller);
  const known = await knownRemoval(data, subject);
  return {
    ...subject,
    project,
    places: [...Map.groupBy(rows, ({ table }) => table)].map(([place, own]) => ({ place, rows: own.length })),
    removal: known && toRemoval(known),
  };
}

/** Redacts a text wherever it stands. @throws 404, 409 if it was redacted before */
export async function takeBack(
  ctx: LibraryContext,
  { reason, ...subject }: TakeBackInput,
  caller: Caller,
): Promise<Removal> {
  const removed_by = actorOf(caller, undefined);
  const { row } = await ctx.data.atomically(
    async (writes) => {
      const { project, rows } = await findText(findingIn(writes), subject, caller);
      if (await knownRemoval(writes, subject))
        throw conflict(`The text of ${subject.kind} ${subject.subject} was already redacted.`);
      const places = Object.groupBy(rows, ({ table }) => table);
      const detail = Object.fromEntries(
        Object.entries(places).map(([table, own]) => [
          table,
          own?.map((one) => placeOf(table, one.row)) ?? [],
        ]),
      );
      const removal = {
        ...subject,
        project,
        removed_by,
        removed_at: ctx.now(),
        reason,
        detail: JSON.stringify({ places: detail } satisfies RemovalDetail),
      };
      await writes.addRemoval(removal);
      const row: RemovalRow = { ...removal, finished_at: null };
      await writes.rewriteRows(redactionsOf([row]));
      const summary = cleanLine(`Redacted ${subject.kind} ${subject.subject}: ${reason}`, summaryBytesMax);
      await writes.append([{ kind: "data.removed", actor: eventActor(removed_by), project, summary }]);
      return { id: subject.subject, project, row };
    },
    { isLong: true },
  );
  await purge(ctx, [row]);
  return toRemoval((await knownRemoval(ctx.data, subject)) ?? row);
}

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
  caller: Pick<Caller, "projects">,
): Promise<RemovalList> {
  const rows = await data.listedRemovals(caller.projects, {
    limit: limit + 1,
    ...(cursor !== undefined && { after: positionOf(cursor) }),
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    removals: page.map(toRemoval),
    count: page.length,
    next_cursor:
      rows.length > limit && last ? cursorOf(last.removed_at, ` ${last.kind} ${last.subject}`) : null,
  };
}

function positionOf(cursor: string): Pick<RemovalRow, "removed_at" | "kind" | "subject"> {
  const { ts, rest } = readCursor(cursor);
  const [, kind, ...subject] = rest.split(" ");
  // safe because: another kind only finds another place in the order
  return { removed_at: ts ?? 0, kind: kind as RemovalKind, subject: subject.join(" ") };
}
