/**
 * The languages that indexed texts are written in, besides English. Recall stems a query in these alone: the
 * stems of all languages would be a fifth of the time of a search (`bun run bench growth`).
 */
import type { Language } from "../../src/text/languages.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";

const selectLanguages = preparedStatement(({ db, t: { text_languages } }) =>
  db.select().from(text_languages).prepare(),
);

/** Lists their codes (ISO 639-1). */
export const textLanguages = async (session: Session): Promise<string[]> =>
  (await selectLanguages(session).execute()).map(({ code }) => code);

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
