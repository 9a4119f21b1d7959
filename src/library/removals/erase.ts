/**
 * Erases a person in two parts. One transaction ends their access and records the removal; then their names
 * go from all other rows, step by step, so that appends wait for no more than a step. After a crash, a server
 * goes on from the beginning: what is erased already has no more names.
 */
import { TimeSlices } from "../../core/lib/time-slices.ts";
import { otherTables, type Rewriting } from "../../core/maintenance.ts";
import type { LibraryContext } from "../context.ts";
import { erasureOf } from "./erase-row.ts";
import type { PersonDetail, RemovalRow } from "./rows.ts";

/** Small tables, by which a person signs in or is sent something. */
const accessTables = [
  ...["people", "person_identities", "unmapped_identities", "identities", "tokens"],
  ...["webhooks", "shares", "email_digests", "read_markers", "inbox_marks", "saved_views"],
];

/** The part of an erasure that its first transaction has. */
export const accessErasure = ({ change }: Rewriting): Rewriting => ({
  tables: { ...Object.fromEntries(accessTables.map((table) => [table, [{}]])), [otherTables]: [] },
  change,
});

const detailOf = (row: RemovalRow): PersonDetail => JSON.parse(row.detail as string);

/** Whether names of the person may be left. */
export const isErasing = (row: RemovalRow): boolean => row.kind === "person" && !detailOf(row).isRewritten;

/**
 * Erases what is left of the names.
 * @param rewriting of an erasure that knows the names, and so finds their events sooner
 * @returns the removal, as it is stored now
 */
export async function eraseRest(
  { data }: Pick<LibraryContext, "data">,
  row: RemovalRow,
  rewriting: Rewriting = erasureOf(row, detailOf(row)),
): Promise<RemovalRow> {
  const slices = new TimeSlices();
  let { next } = await data.atomically((writes) => writes.rewriteSome(rewriting, null));
  while (next) {
    const after = next;
    if (slices.isOver) await slices.next();
    ({ next } = await data.atomically((writes) => writes.rewriteSome(rewriting, after)));
  }
  const erased = { ...row, detail: JSON.stringify({ ...detailOf(row), isRewritten: true }) };
  await data.atomically(async (writes) => {
    await writes.dropRemoval(row.kind, row.subject);
    await writes.addRemoval(erased);
  });
  return erased;
}
