/** The condition of the asset list on the words of assets. */
import { type SQL, sql } from "drizzle-orm";
import type { AssetFilter } from "../../../src/library/rows.ts";
import type { Session } from "../../engine/session.ts";

/** How many words of a search count. */
const wordsMax = 4;

export const wordsOf = ({ query }: AssetFilter): string[] =>
  query?.trim().split(/\s+/).slice(0, wordsMax) ?? [];

/** Each word is part of one of these, in either case. No index serves a part of a word. */
export function hasWords({ assets }: Session["t"], filter: AssetFilter): SQL {
  const parts = [assets.title, assets.filename, assets.set, sql`cast(${assets.tags} as text)`];
  const words = sql`concat_ws(' ', ${sql.join(parts, sql`, `)})`;
  const conditions = wordsOf(filter).map(
    (_, at) => sql`lower(${words}) like lower(${sql.placeholder(`word_${at}`)}) escape '\\'`,
  );
  return sql.join(conditions, sql` and `);
}

/** What its placeholders stand for: `%`, `_` and the escape mean themselves. */
export const patternsOf = (filter: AssetFilter): Record<string, string> =>
  Object.fromEntries(
    wordsOf(filter).map((word, at) => [`word_${at}`, `%${word.replace(/[\\%_]/g, "\\$&")}%`]),
  );
