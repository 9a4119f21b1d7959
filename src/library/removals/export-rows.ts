/** The rows that taking something back would change, to be saved first. */
import { badRequest } from "../../core/problem.ts";
import type { LibraryRule } from "../context.ts";
import type { RemovalRows, RemovalSubjectInput } from "./schema.ts";
import { affectedBy } from "./take-back.ts";

const exportedMax = 20_000;

/** They would give access. */
const secrets = ["hash", "previous_hash", "secret", "previous_secret", "passphrase"];

/** @throws 404 if there is no such thing, 400 if there are too many rows for one answer */
export const exportRows: LibraryRule<RemovalSubjectInput, RemovalRows> = async (ctx, input, caller) => {
  const rows: RemovalRows["rows"] = [];
  await affectedBy(ctx, input, caller, ({ table, row }) => {
    if (rows.length === exportedMax)
      throw badRequest(`More than ${exportedMax} rows would change. Save everything first: svc backup.`);
    const shown = Object.fromEntries(Object.entries(row).filter(([column]) => !secrets.includes(column)));
    rows.push({ table, row: JSON.stringify(shown) });
  });
  return { rows };
};
