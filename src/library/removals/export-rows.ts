/** The rows that taking something back would change, to be saved first. */
import type { Caller } from "../../core/auth/caller.ts";
import { badRequest } from "../../core/problem.ts";
import type { LibraryContext } from "../context.ts";
import type { RemovalRows, RemovalSubjectInput } from "./schema.ts";
import { affectedBy } from "./take-back.ts";

const exportedMax = 20_000;

/** They would give access. */
const secrets = ["hash", "previous_hash", "secret", "previous_secret", "passphrase"];

/** @throws 404 if there is no such thing, 400 if there are too many rows for one answer */
export async function exportRows(
  ctx: LibraryContext,
  input: RemovalSubjectInput,
  caller: Caller,
): Promise<RemovalRows> {
  const rows: RemovalRows["rows"] = [];
  await affectedBy(ctx, input, caller, ({ table, row }) => {
    if (rows.length === exportedMax)
      throw badRequest(`More than ${exportedMax} rows would change. Save everything first: svc backup.`);
    const shown = Object.fromEntries(Object.entries(row).filter(([column]) => !secrets.includes(column)));
    rows.push({ table, row: JSON.stringify(shown) });
  });
  return { rows };
}
