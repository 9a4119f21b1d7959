/**
 * Transactions that share commits, with every kind of failure: what was acknowledged is stored, whole,
 * and each once.
 */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import { badRequest, Problem } from "../../src/core/problem.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import {
  event,
  expectConsistent,
  link,
  migratedDatabase,
  must,
  rowsOf,
  sentKey,
} from "../support/harness.ts";
import { reached, times } from "./promises.ts";

const kills = times("groupKills");
const writers = 16;

/** One deadlock for each of this many inserts. */
const deadlocks = [
  "create sequence trouble",
  `create function make_trouble() returns trigger language plpgsql as $$ begin
     if nextval('trouble') % 53 = 0 then raise exception 'trouble' using errcode = '40P01'; end if; return new; end $$`,
  "create trigger trouble before insert on events for each statement execute function make_trouble()",
];

const letters = (number: number): string =>
  String.fromCharCode(...[1, 26, 676].map((place) => 97 + (Math.floor(number / place) % 26)));

/** Each says something new, and much that others say. */
const numbered = (number: number): Appendable =>
  event({
    ...{
      dedupe_key: `${number}`,
      project: "atlas",
      kind: number % 3 ? "run.failed" : "issue.opened",
      issue: 1 + (number % 50),
    },
    ...{ actor: `agent:${letters(number % 997)}`, summary: `${letters(number)}eth try`, tokens_in: 1 },
  });

async function ask(data: Data, number: number): Promise<void> {
  // safe because: the database refuses it, which is the point
  const broken = number % 31 === 0 ? [event({ kind: null as unknown as "step.usage" })] : [];
  if (number % 4 > 0) return void (await data.append([numbered(number), ...broken]));
  await data.atomically(async (writes) => {
    await writes.append([numbered(number), ...broken]);
    if (number % 12 === 0) throw badRequest("not this one");
  });
}

/**
 * Writes until told to stop; what it is not told of, it asks again, as it is. @returns the keys that it was
 * told are there
 */
async function write(data: Data, next: () => number, ended: AbortSignal): Promise<string[]> {
  const keys: string[] = [];
  for (let number = next(); ; ) {
    const error = await ask(data, number).then(
      () => void keys.push(`${number}`),
      (error: unknown) => error,
    );
    if (error instanceof Problem && error.status === 503) continue;
    if (ended.aborted) return keys;
    number = next();
  }
}

test(`${kills} kills of the connection that writes, among refusals, broken rows and deadlocks of two processes`, async () => {
  await using database = await migratedDatabase("postgres");
  const now = () => Date.now() * 1000;
  const processes = await Promise.all([1, 2].map(() => openData(database.url, { now, log() {} })));
  const data = must(processes[0]);
  await link(data, "atlas");
  for (const statement of deadlocks) await rowsOf(database.url, statement);
  let number = 0;
  const ended = new AbortController();
  const writing = Promise.all(
    processes.flatMap((one) =>
      Array.from({ length: writers }, () => write(one, () => number++, ended.signal)),
    ),
  );
  const admin = new SQL(database.url, { max: 1 });
  for (let killed = 0; killed < kills; ) {
    await Bun.sleep(20 + Math.random() * 100);
    killed += (
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state like 'idle in%'`
    ).length;
  }
  await admin.close();
  ended.abort();
  const keys = (await writing).flat();
  const remaining = (await rowsOf(database.url, "select dedupe_key as key from events")).map((row) =>
    sentKey(row.key),
  );
  expect(remaining.toSorted()).toEqual(keys.toSorted());
  expect(await expectConsistent(data)).toBe(keys.length);
  expect(await data.findInconsistencies()).toEqual([]);
  const [unlisted] = await rowsOf(
    database.url,
    `select count(*) as n from events where not exists (
       select from facet_events join facets on facets.id = facet where facet_events.ts = events.ts and facets.actor = events.actor)`,
  );
  expect(Number(unlisted?.n)).toBe(0);
  for (const one of processes) await one.close();
  reached("groupKills", kills);
});
