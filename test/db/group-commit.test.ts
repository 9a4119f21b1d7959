/** Writers of one process that come at once share a commit, and nothing else. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { sqlite } from "../../db/dialect/sqlite.ts";
import { GroupCommit, type Grouping } from "../../db/engine/group-commit.ts";
import { Mutex } from "../../db/engine/mutex.ts";
import { openPostgres } from "../../db/engine/postgres.ts";
import { emptyCaches, type Session } from "../../db/engine/session.ts";
import { sqliteWriter } from "../../db/engine/sqlite.ts";
import { allRows } from "../../db/query/statements.ts";
import type { Data, Writes } from "../../src/api/port.ts";
import { badRequest } from "../../src/core/problem.ts";
import {
  type Dialect,
  dialects,
  event,
  expectConsistent,
  fileOf,
  migratedDatabase,
  openTestData,
  rowsOf,
  type TestDatabase,
} from "../support/harness.ts";

/** On Postgres the statement that fails may be one that a later one followed. */
const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error);
const outcomeOf = (settled: PromiseSettledResult<unknown>) =>
  settled.status === "fulfilled" ? settled.value : rootOf(settled.reason as Error).message;

/** How many events stand in a list that is theirs. */
async function listedIn(url: string): Promise<number> {
  const [counted] = await rowsOf(
    url,
    `select count(*) as n from facet_events join facets on facets.id = facet
     join events on events.ts = facet_events.ts and events.actor = facets.actor and events.kind = facets.kind`,
  );
  return Number(counted?.n);
}

/** Transactions of a table, and the switch that breaks their commits. */
interface Notes {
  transaction<T>(work: (session: Session) => Promise<T>, grouping?: Grouping): Promise<T>;
  /** How many commits what is there took. */
  commits(): Promise<number>;
  break(is: boolean): Promise<void>;
  texts(): Promise<string[]>;
  close(): Promise<void>;
}

const note = (notes: Notes, text: string, grouping?: Grouping) =>
  notes.transaction(
    (session) => allRows(session, sql`insert into notes_of_test (text) values (${text})`),
    grouping,
  );

async function openLiteNotes(database: TestDatabase): Promise<Notes> {
  const [writer, reader] = [
    new Database(fileOf(database)),
    () => rowsOf(database.url, "select text from notes_of_test order by rowid"),
  ];
  writer.exec("pragma journal_mode = wal; create table notes_of_test (text text not null)");
  let commits = 0;
  let broken = false;
  const { prepare } = writer;
  writer.prepare = function (this: Database, text: string) {
    const statement = prepare.call(this, text);
    if (text !== "commit") return statement;
    const run = () => {
      if (broken) throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
      commits++;
      return statement.run();
    };
    return { run } as typeof statement;
  } as typeof prepare;
  const { drizzle } = await import("drizzle-orm/bun-sqlite");
  const session = { db: drizzle(writer), dialect: sqlite, ...emptyCaches() } as unknown as Session;
  const group = new GroupCommit(sqliteWriter(writer, new Mutex(), session));
  return {
    transaction: (...work) => group.transaction(...work),
    commits: async () => commits,
    break: async (is) => void (broken = is),
    texts: async () => (await reader()).map((row) => row.text as string),
    close: async () => writer.close(),
  };
}

async function openPostgresNotes({ url }: TestDatabase): Promise<Notes> {
  const postgres = await openPostgres(url);
  for (const statement of [
    "create table notes_of_test (id bigint generated always as identity, text text not null, tx bigint default txid_current())",
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'disk I/O error' using errcode = '58030'; end $$`,
    `create constraint trigger broken after insert on notes_of_test initially deferred for each row execute function fail()`,
    "alter table notes_of_test disable trigger broken",
  ])
    await rowsOf(url, statement);
  const rows = () => rowsOf(url, "select text, tx from notes_of_test order by id");
  return {
    transaction: (...work) => postgres.transaction(...work),
    commits: async () => new Set((await rows()).map((row) => row.tx)).size,
    break: async (is) =>
      void (await rowsOf(url, `alter table notes_of_test ${is ? "enable" : "disable"} trigger broken`)),
    texts: async () => (await rows()).map((row) => row.text as string),
    close: async () => postgres.close(),
  };
}

const openNotes = (database: TestDatabase) =>
  database.dialect === "sqlite" ? openLiteNotes(database) : openPostgresNotes(database);

describe.each(dialects)("group commit of concurrent transactions on %s", (dialect: Dialect) => {
  test.concurrent("do not notice one that fails, which leaves nothing of its own", async () => {
    await using opened = await openTestData(dialect);
    const { data } = opened;
    const isRefused = (index: number) => index % 3 === 0;
    const isBroken = (index: number) => index % 5 === 1;
    const settled = await Promise.allSettled(
      Array.from({ length: 250 }, (_, index) =>
        data.atomically(async (writes) => {
          // Facets and words that a refused one was the first to have.
          const fields = {
            actor: `agent:${Math.floor(index / 3)}`,
            summary: `learnt${Math.floor(index / 3)}`,
            kind: "run.failed",
          } as const;
          await writes.append([event({ ...fields, dedupe_key: `${index}` })]);
          if (isRefused(index)) throw badRequest(`not ${index}`);
          // safe because: the database refuses it, which is the point
          if (isBroken(index)) await writes.append([event({ kind: null as unknown as "run.started" })]);
          return (await writes.head()) > 0 && index;
        }),
      ),
    );
    const expected = (index: number) =>
      isRefused(index) ? `not ${index}` : isBroken(index) ? expect.stringMatching(/null/i) : index;
    expect(settled.map(outcomeOf)).toEqual(Array.from({ length: 250 }, (_, index) => expected(index)));
    const remaining = Array.from({ length: 250 }, (_, index) => index).filter(
      (index) => !isRefused(index) && !isBroken(index),
    );
    const rows = await rowsOf(opened.url, "select dedupe_key as key, id from events order by id");
    expect(rows.map(({ key, id }) => [key, Number(id)])).toEqual(
      remaining.map((index, place) => [`${index}`, place + 1]),
    );
    expect(await expectConsistent(data)).toBe(remaining.length);
    expect(await data.findInconsistencies()).toEqual([]);
    expect(await listedIn(opened.url)).toBe(remaining.length);
  });

  test.concurrent("are committed at once; where the commit fails, all of them fail", async () => {
    await using database = await migratedDatabase(dialect);
    const notes = await openNotes(database);
    const first = Array.from({ length: 50 }, (_, index) => `${index}`);
    await Promise.all(first.map((text) => note(notes, text)));
    // One, unless the machine is so busy that a group has taken its time.
    expect(await notes.commits()).toBeLessThan(first.length / 2);
    await notes.break(true);
    const lost = await Promise.allSettled(Array.from({ length: 5 }, () => note(notes, "lost")));
    expect(lost.map(outcomeOf)).toEqual(Array(5).fill("disk I/O error"));
    await notes.break(false);
    await note(notes, "after");
    expect(await notes.texts()).toEqual([...first, "after"]);
    await notes.close();
  });

  test.concurrent("wait for those before them, in the order of asking, however many they are", async () => {
    await using database = await migratedDatabase(dialect);
    const notes = await openNotes(database);
    const texts = Array.from({ length: 300 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => note(notes, text)));
    expect(await notes.texts()).toEqual(texts);
    expect(await notes.commits()).toBeGreaterThan(1);
    await notes.close();
  });

  test.concurrent("share no commit with one that is to be alone, and none with what follows a last one", async () => {
    await using database = await migratedDatabase(dialect);
    const notes = await openNotes(database);
    const groupings = ["shared", "alone", "shared", "last", "shared"] as const;
    await Promise.all(groupings.map((grouping) => note(notes, grouping, grouping)));
    // More where the machine is so busy that a group has taken its time.
    expect(await notes.commits()).toBeGreaterThanOrEqual(4);
    expect(await notes.texts()).toEqual([...groupings]);
    await notes.close();
  });
});

describe("group commit on a Postgres that fails", () => {
  /** Every acknowledged event is stored, exactly once. @returns their number */
  async function expectTruth(url: string, settled: PromiseSettledResult<string>[]): Promise<number> {
    const told = settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const remaining = (await rowsOf(url, "select dedupe_key as key from events")).map(
      (row) => row.key as string,
    );
    expect(remaining.toSorted()).toEqual(told.toSorted());
    return remaining.length;
  }

  const appendAll = (
    data: Data,
    count: number,
    then: (index: number, writes: Writes) => Promise<unknown> = async () => {},
  ) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, index) =>
        data.atomically(async (writes) => {
          await writes.append([event({ dedupe_key: `${index}` })]);
          await then(index, writes);
          return `${index}`;
        }),
      ),
    );

  test.concurrent.each([0, 10])(
    "are told the truth when their connection is killed under number %d, and the next ones get another",
    async (place) => {
      await using opened = await openTestData("postgres");
      const { data, url } = opened;
      const kill = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state like 'idle in%'`;
      const settled = await appendAll(data, 30, async (index, writes) => {
        if (index !== place) return;
        await rowsOf(url, kill);
        await writes.head();
      });
      const lost = settled.flatMap((one) =>
        one.status === "rejected" ? (one.reason as { status?: number }).status : [],
      );
      expect(lost).toEqual(Array(lost.length).fill(503));
      expect(settled[place]?.status).toBe("rejected");
      expect(await expectTruth(url, settled)).toBe(30 - lost.length);
      expect(await expectConsistent(data)).toBe(30 - lost.length);
      expect(await listedIn(url)).toBe(30 - lost.length);
    },
  );

  test.concurrent("survive a connection that ended while idle", async () => {
    await using opened = await openTestData("postgres");
    const theirs =
      "pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state = 'idle'";
    for (let times = 0; times < 5; times++) {
      await opened.data.append([event()]);
      expect(
        (await rowsOf(opened.url, `select pg_terminate_backend(pid, 10000) from ${theirs}`)).length,
      ).toBeGreaterThan(0);
    }
    await opened.data.atomically((writes) => writes.append([event()]));
    expect(await expectConsistent(opened.data)).toBe(6);
  });

  test.concurrent("let the lock go when their works take long", async () => {
    await using database = await migratedDatabase("postgres");
    const notes = await openPostgresNotes(database);
    const slow = (session: Session) =>
      allRows(session, sql`insert into notes_of_test (text) select 'slow' from pg_sleep(0.1)`);
    await Promise.all(Array.from({ length: 15 }, () => notes.transaction(slow)));
    expect(await notes.commits()).toBeGreaterThanOrEqual(5);
    await notes.close();
  });

  test.concurrent("are tried again where that helps, and none of them is there twice", async () => {
    await using opened = await openTestData("postgres");
    const { data, url } = opened;
    for (const statement of [
      "create sequence trouble",
      `create function make_trouble() returns trigger language plpgsql as $$ begin
         if nextval('trouble') % 7 < 2 then raise exception 'trouble' using errcode = '40P01'; end if; return new; end $$`,
      "create trigger trouble before insert on events for each statement execute function make_trouble()",
    ])
      await rowsOf(url, statement);
    const settled = await appendAll(data, 100);
    expect(settled.map(outcomeOf)).toEqual(Array.from({ length: 100 }, (_, index) => `${index}`));
    expect(await expectTruth(url, settled)).toBe(100);
    expect(await expectConsistent(data)).toBe(100);
  });

  test.concurrent.each([
    [0, 1],
    [0, 6],
    [3, 6],
  ])(
    "are not told that they are done by number %d of %d, which hides the failure of a statement",
    async (place, count) => {
      await using opened = await openTestData("postgres");
      const settled = await appendAll(opened.data, count, async (index, writes) => {
        if (index === place)
          await writes.append([event({ kind: null as unknown as "run.started" })]).catch(() => {});
      });
      expect(settled[place]?.status).toBe("rejected");
      const next = await Promise.allSettled([
        opened.data.atomically(
          async (writes) => (await writes.append([event({ dedupe_key: "next" })])) && "next",
        ),
      ]);
      expect(next.map(outcomeOf)).toEqual(["next"]);
      await expectTruth(opened.url, [...settled, ...next]);
    },
  );
});
