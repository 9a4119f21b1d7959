/**
 * Every word of the indexed texts, by its trigrams and by audience: what a mistyped word may have meant, and
 * what begins with a prefix.
 */
import { and, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Projects } from "../../src/rows.ts";
import type { Word } from "../../src/text/tokenizer.ts";
import { gramsOf, isGuessable } from "../../src/text/typo-candidates.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { allRows, elements, literalCount } from "../query/sql.ts";
import { type Audience, audiencesOf } from "./audience.ts";

/** The words of a document. */
export interface Words {
  audience: Audience;
  head: Word[];
  body: Word[];
}

const knownMax = 200_000;

/** Puts new words where a mistyped one finds them. Most are known already. */
export async function learn(session: Session, documents: Words[]): Promise<void> {
  const fresh = freshForms(session, documents);
  if (fresh.size === 0) return;
  const forms = [...new Set([...fresh.values()].flatMap((each) => [...each]))];
  const added = await allRows<{ form: string }>(
    session,
    sql`insert into words (form) ${listed(session, sql`value`, forms)} on conflict do nothing returning form`,
  );
  const grams = added.flatMap(({ form }) => gramsOf(form).map((gram) => [gram, form]));
  const pair = sql`value ->> 0, value ->> 1`;
  if (grams.length > 0)
    await allRows(
      session,
      sql`insert into word_grams (gram, form) ${listed(session, pair, grams)} on conflict do nothing`,
    );
  const owned = [...fresh].flatMap(([audience, each]) =>
    audience === null ? [] : [...each].map((form) => [audience, form]),
  );
  if (owned.length > 0)
    await allRows(
      session,
      sql`insert into project_words (project, form) ${listed(session, pair, owned)} on conflict do nothing`,
    );
  remember(session, fresh);
}

/** Words of documents, by audience, that the vocabulary may not have yet. */
function freshForms({ knownWords: known }: Session, documents: Words[]): Map<Audience, Set<string>> {
  const fresh = new Map<Audience, Set<string>>();
  for (const { audience, head, body } of documents) {
    const before = known.get(audience);
    for (const words of [head, body])
      for (const { forms } of words)
        for (const form of forms) {
          if (before?.has(form) || !isGuessable(form)) continue;
          const own = fresh.get(audience);
          if (own) own.add(form);
          else fresh.set(audience, new Set([form]));
        }
  }
  return fresh;
}

function remember({ knownWords: known }: Session, fresh: Map<Audience, Set<string>>): void {
  const sizeOf = (words: Map<Audience, Set<string>>) =>
    [...words.values()].reduce((sum, { size }) => sum + size, 0);
  if (sizeOf(known) + sizeOf(fresh) > knownMax) known.clear();
  for (const [audience, forms] of fresh) {
    const own = known.get(audience) ?? new Set();
    for (const form of forms) own.add(form);
    known.set(audience, own);
  }
}

/** What is chosen of each member of a list. SQLite wants a condition between a `select` and `on conflict`. */
function listed({ dialect }: Session, chosen: SQL, list: unknown[]): SQL {
  const text = JSON.stringify(list);
  if (dialect === "sqlite") return sql`select ${chosen} from json_each(${text}) where true`;
  return typeof list[0] === "string"
    ? sql`select ${chosen} from json_array_elements_text(${text}::text::json)`
    : sql`select ${chosen} from json_array_elements(${text}::text::json)`;
}

export async function clearVocabulary(session: Session): Promise<void> {
  for (const words of ["word_grams", "project_words", "words"])
    await allRows(session, sql`delete from ${sql.identifier(words)}`);
}

/** Words that share trigrams with one, those that share most first. */
export async function similarWords(
  session: Session,
  projects: Projects,
  grams: string[],
  limit: number,
): Promise<string[]> {
  const { word_grams } = session.t;
  const shared = session.db
    .select({ form: word_grams.form, count: sql<number>`count(*)`.as("shared") })
    .from(word_grams)
    .where(inArray(word_grams.gram, grams))
    .groupBy(word_grams.form)
    .as("similar");
  const rows = await session.db
    .select({ form: shared.form })
    .from(shared)
    .where(
      projects === null
        ? undefined
        : sql`exists (select 1 from project_words as own where own.form = ${shared.form} and ${isOf(session, projects)})`,
    )
    .orderBy(sql`${shared.count} desc`, shared.form)
    .limit(limit);
  return rows.map(({ form }) => form);
}

const isOf = ({ dialect }: Session, projects: readonly string[]): SQL =>
  sql`own.project in (select value from ${elements(dialect, audiencesOf(projects))})`;

/** The shortest ones, which are nearest to what is typed. */
const prefixedMax = 200;

const amongAll = preparedStatement(({ db, t: { words } }) =>
  db
    .select({ form: words.form })
    .from(words)
    .where(and(gte(words.form, sql.placeholder("start")), lt(words.form, sql.placeholder("end"))))
    .orderBy(sql`length(${words.form})`, words.form)
    .limit(prefixedMax)
    .prepare(),
);

/** Words that begin with a prefix. */
export async function wordsFrom(session: Session, projects: Projects, start: string): Promise<string[]> {
  const end = `${start}\u{10ffff}`;
  const rows = await (projects === null
    ? amongAll(session).execute({ start, end })
    : allRows<{ form: string }>(
        session,
        sql`select form from (select distinct form from project_words as own where ${isOf(session, projects)} and form >= ${start} and form < ${end}) as found
          order by length(form), form limit ${literalCount(prefixedMax)}`,
      ));
  return rows.map(({ form }) => form);
}
