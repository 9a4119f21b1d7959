/**
 * The vocabulary: every word of the indexed texts, by its trigrams and by audience. It serves typo correction
 * and prefix search.
 */
import { and, gte, lt, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Projects } from "../../../src/core/rows.ts";
import type { Word } from "../../../src/core/text/tokenizer.ts";
import { canHaveTypo, trigramsOf } from "../../../src/core/text/typo-candidates.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements, literalCount, preparedStatement } from "../../query/statements.ts";
import { type Audience, audiencesOf } from "./audience.ts";

/** The analyzed words of a document. */
export interface DocumentWords {
  audience: Audience;
  head: Word[];
  body: Word[];
}

/** Adds the new words of documents to the vocabulary. Most words are cached as known and cost nothing. */
export async function addToVocabulary(session: Session, documents: DocumentWords[]): Promise<void> {
  const { knownForms } = session;
  const { generation } = knownForms;
  const fresh = freshForms(session, documents);
  if (fresh.size === 0) return;
  const rows = [...new Set([...fresh.values()].flatMap((each) => [...each]))].map((form) => [form]);
  const added = await allRows<{ form: string }>(
    session,
    sql`insert into words (form) ${jsonRows(session, sql`value ->> 0`, rows)} on conflict do nothing returning form`,
  );
  const grams = added.flatMap(({ form }) => trigramsOf(form).map((gram) => [gram, form]));
  const pair = sql`value ->> 0, value ->> 1`;
  if (grams.length > 0)
    await allRows(
      session,
      sql`insert into word_grams (gram, form) ${jsonRows(session, pair, grams)} on conflict do nothing`,
    );
  const projectWords = [...fresh].flatMap(([audience, each]) =>
    audience === null ? [] : [...each].map((form) => [audience, form]),
  );
  if (projectWords.length > 0)
    await allRows(
      session,
      sql`insert into project_words (project, form) ${jsonRows(session, pair, projectWords)} on conflict do nothing`,
    );
  for (const [audience, each] of fresh)
    for (const form of each) knownForms.set(knownKey(audience, form), true, generation);
}

/** No slug is `*`. */
const knownKey = (audience: Audience, form: string): string => `${audience ?? "*"} ${form}`;

/** The words of documents, by audience, that the vocabulary may not have yet. */
function freshForms({ knownForms }: Session, documents: DocumentWords[]): Map<Audience, Set<string>> {
  const fresh = new Map<Audience, Set<string>>();
  for (const [audience, words] of wordsByAudience(documents)) {
    const forms = [...words].flatMap((word) => word.forms);
    const own = forms.filter((form) => canHaveTypo(form) && !knownForms.get(knownKey(audience, form)));
    if (own.length > 0) fresh.set(audience, new Set(own));
  }
  return fresh;
}

/** The distinct words of documents: the texts of a batch repeat theirs. */
function wordsByAudience(documents: DocumentWords[]): Map<Audience, Set<Word>> {
  const distinct = new Map<Audience, Set<Word>>();
  for (const { audience, head, body } of documents) {
    const words = distinct.get(audience) ?? new Set();
    distinct.set(audience, words);
    for (const word of head) words.add(word);
    for (const word of body) words.add(word);
  }
  return distinct;
}

/**
 * Selects columns of each member of a list, passed as JSON. SQLite requires a `where` between `select` and
 * `on conflict` (https://www.sqlite.org/lang_upsert.html, "Parsing Ambiguity").
 */
function jsonRows({ dialect }: Session, columns: SQL, list: unknown[]): SQL {
  const text = JSON.stringify(list);
  return sql`select ${columns} from ${dialect.jsonElements(text)} where true`;
}

/** Deletes all words of the vocabulary. */
export async function clearVocabulary(session: Session): Promise<void> {
  for (const words of ["word_grams", "project_words", "words"])
    await allRows(session, sql`delete from ${sql.identifier(words)}`);
}

/** Finds words that share trigrams with a word, those that share the most first. */
export async function findSimilarWords(
  session: Session,
  projects: Projects,
  grams: string[],
  limit: number,
): Promise<string[]> {
  const select = projects === null ? selectSimilarWords : selectSimilarWordsOf;
  const audiences = JSON.stringify(audiencesOf(projects ?? []));
  const rows = await select(session).execute({ grams: JSON.stringify(grams), audiences, limit });
  return rows.map(({ form }) => form);
}

const similarWords = (session: Session, isVisible?: (form: SQLWrapper) => SQL) => {
  const { db, dialect, t } = session;
  const { form, gram } = t.word_grams;
  const shared = db
    .select({ form, count: sql<number>`count(*)`.as("shared") })
    .from(t.word_grams)
    .where(dialect.isIn(gram, sql`select value from ${elements(dialect, sql.placeholder("grams"))}`))
    .groupBy(form)
    .as("similar");
  return db
    .select({ form: shared.form })
    .from(shared)
    .where(isVisible?.(shared.form))
    .orderBy(sql`${shared.count} desc`, shared.form)
    .limit(sql.placeholder("limit"))
    .prepare();
};

const selectSimilarWords = preparedStatement((session) => similarWords(session));
const selectSimilarWordsOf = preparedStatement((session) =>
  similarWords(
    session,
    (form) => sql`exists (select 1 from project_words as own
      where own.form = ${form} and ${isVisibleTo(session, sql.placeholder("audiences"))})`,
  ),
);

const isVisibleTo = ({ dialect }: Session, audiences: Placeholder | readonly string[]): SQL =>
  sql`own.project in (select value from ${elements(dialect, audiences)})`;

/** A prefix stands for this many words at most: the shortest, which are closest to what was typed. */
const prefixWordsMax = 200;

const selectWordsFrom = preparedStatement(({ db, t: { words } }) =>
  db
    .select({ form: words.form })
    .from(words)
    .where(and(gte(words.form, sql.placeholder("start")), lt(words.form, sql.placeholder("end"))))
    .orderBy(sql`length(${words.form})`, words.form)
    .limit(prefixWordsMax)
    .prepare(),
);

/** Finds the words that start with a prefix, shortest first. */
export async function wordsWithPrefix(
  session: Session,
  projects: Projects,
  start: string,
): Promise<string[]> {
  const end = `${start}\u{10ffff}`;
  const rows = await (projects === null
    ? selectWordsFrom(session).execute({ start, end })
    : allRows<{ form: string }>(
        session,
        sql`select form from (select distinct form from project_words as own where ${isVisibleTo(session, audiencesOf(projects))} and form >= ${start} and form < ${end}) as found
          order by length(form), form limit ${literalCount(prefixWordsMax)}`,
      ));
  return rows.map(({ form }) => form);
}
