/**
 * Access that ended after a backup was made: tokens that were revoked or rotated, and share links that were
 * revoked. A restore keeps what the database it replaces knows of it, and reports what becomes valid again.
 */

import { toMicros } from "../../core/lib/time.ts";
import type { ExportedRow } from "../../core/maintenance.ts";
import type { Context } from "../context.ts";

/** What the replaced database did not know, by name or id: revoked or not, it is valid as in the backup. */
export interface Revived {
  tokens: string[];
  shares: string[];
  webhooks: string[];
  email_digests: string[];
}

type Table = keyof Revived;
const keys: Record<Table, string> = { tokens: "name", shares: "id", webhooks: "id", email_digests: "id" };
const tables = Object.keys(keys) as Table[];
const isTable = (name: string): name is Table => Object.hasOwn(keys, name);

/** The columns that a rotation replaces. */
const secrets: Partial<Record<Table, readonly string[]>> = {
  tokens: ["hash", "previous_hash", "previous_until"],
  webhooks: ["secret", "previous_secret", "previous_secret_until"],
};
const rotations = ["token rotate", "rotateWebhookSecret"];
const rotationsMax = 10_000;

export interface Revocations {
  revived: Revived;
  /** The row as it is restored. */
  keep(table: string, row: ExportedRow): ExportedRow;
}

/** Reads what the database knows before its rows are replaced. @param made_at of the backup */
export async function openRevocations(
  { data, now }: Pick<Context, "data" | "now">,
  made_at: string,
): Promise<Revocations> {
  const known = new Map<string, ExportedRow>();
  const idOf = (table: Table, row: ExportedRow) => `${table} ${row[keys[table]]}`;
  await data.snapshot(async (all) => {
    for (const table of tables)
      for await (const page of all.rows(table)) for (const row of page) known.set(idOf(table, row), row);
  });
  const rotated = await data.audit({ what: rotations, since: toMicros(made_at), limit: rotationsMax });
  const rotatedIds = new Set(rotated.map(({ target }) => target));
  const revived: Revived = { tokens: [], shares: [], webhooks: [], email_digests: [] };
  const at = now();

  return {
    revived,
    keep(table, row) {
      if (!isTable(table)) return row;
      const id = String(row[keys[table]]);
      const present = known.get(idOf(table, row));
      // Names of tokens are chosen: another database can have another token of the same name.
      if (!present || present.created_at !== row.created_at) {
        if (isActive(row, at)) revived[table].push(id);
        return row;
      }
      const restored = { ...row, ...endOf(present, row) };
      for (const column of (rotatedIds.has(id) && secrets[table]) || []) restored[column] = present[column];
      return restored;
    },
  };
}

/** Whether a row gives access, or has something sent. */
function isActive({ revoked_at = null, expires_at = null, status }: ExportedRow, at: number): boolean {
  const isOver = expires_at !== null && (expires_at as number) <= at;
  return revoked_at === null && !isOver && (status === undefined || status === "active");
}

/** The revocation that is known, if the row has none, and the earlier of two expiries. */
function endOf(present: ExportedRow, row: ExportedRow): ExportedRow {
  const end: ExportedRow = {};
  if (row.revoked_at === null && present.revoked_at != null)
    for (const column of ["revoked_at", "revoked_by"]) if (column in row) end[column] = present[column];
  const expiries = [row.expires_at, present.expires_at].filter((one) => typeof one === "number");
  if (expiries.length > 0) end.expires_at = Math.min(...expiries);
  return end;
}
