import { type SQL, sql } from "drizzle-orm";

/** A list of columns. */
export const identifiers = (names: readonly string[]): SQL =>
  sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  );
