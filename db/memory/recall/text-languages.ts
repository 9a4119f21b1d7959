/**
 * The languages that indexed texts are written in, apart from English. Recall stems a query only in
 * these: stems of all languages would take a fifth of the time of a search (`bun run bench growth`).
 */
import { sql } from "drizzle-orm";
import type { Language } from "../../../src/core/text/languages.ts";
import type { Session } from "../../engine/session.ts";
import { hasPending, isHead } from "../../feed/head.ts";
import { markIncomplete } from "../../feed/pending.ts";
import { preparedStatement } from "../../query/statements.ts";

const selectLanguages = preparedStatement((session) => {
  const { db, t } = session;
  const { feed_head, text_languages } = t;
  return db
    .select({ code: text_languages.code, pending: hasPending(session).as("pending") })
    .from(feed_head)
    .leftJoin(text_languages, sql`true`)
    .where(isHead(session))
    .prepare();
});

/** Lists their codes (ISO 639-1). */
export async function textLanguages(session: Session): Promise<string[]> {
  const rows = await selectLanguages(session).execute();
  return markIncomplete(
    rows,
    rows.flatMap(({ code }) => code ?? []),
  );
}

/** Adds the languages of texts. Most are cached as known and cost nothing. */
export async function addTextLanguages(
  session: Session,
  texts: { language: Language | null }[],
): Promise<void> {
  const { db, t, knownLanguages } = session;
  const codes = new Set(texts.flatMap(({ language }) => language?.code ?? []));
  for (const code of codes)
    await knownLanguages.getOrLoad(code, async () => {
      await db.insert(t.text_languages).values({ code }).onConflictDoNothing();
      return true;
    });
}

/** Forgets all languages. */
export async function clearTextLanguages({ db, t }: Session): Promise<void> {
  await db.delete(t.text_languages);
}
