/** Writers of one process that come at once share a commit, and nothing else. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { Group } from "../db/group.ts";
import { Mutex } from "../db/mutex.ts";
import { openData } from "../db/open.ts";
import { badRequest } from "../src/problem.ts";
import { event, expectConsistent, fileOf, freshDatabase, testClock } from "./harness.ts";

const clock = testClock();

test("one that fails takes nothing of the others with it, and leaves nothing of its own", async () => {
  await using database = await freshDatabase("sqlite");
  const data = await openData(database.url, { now: clock.now, log() {} });
  const settled = await Promise.allSettled(
    Array.from({ length: 250 }, (_, index) =>
      data.atomically(async (writes) => {
        await writes.append([event({ dedupe_key: `${index}` })]);
        if (index % 3 === 0) throw badRequest(`not ${index}`);
        return (await writes.head()) > 0 && index;
      }),
    ),
  );
  const outcomes = settled.map((one) => (one.status === "fulfilled" ? one.value : (one.reason as Error).message));
  expect(outcomes).toEqual(Array.from({ length: 250 }, (_, index) => (index % 3 === 0 ? `not ${index}` : index)));
  expect(await expectConsistent(data)).toBe(250 - 84);
  await data.close();
});

/** A database that counts its commits, and breaks at the one that it is told. */
async function openCounted(path: string) {
  const writer = new Database(path);
  writer.exec("create table notes (text text not null)");
  let commits = 0;
  let broken = false;
  const group = new Group(writer, new Mutex(), async () => void writer.exec("begin immediate"));
  const exec = writer.exec.bind(writer);
  writer.exec = (text, ...rest) => {
    if (text === "commit" && broken) throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
    if (text === "commit") commits++;
    return exec(text, ...(rest as []));
  };
  const note = (text: string) => group.transaction(async () => void writer.run("insert into notes values (?)", [text]));
  return { writer, note, commits: () => commits, break: (is: boolean) => void (broken = is) };
}

test("those that come at once are committed at once; where the commit fails, all of them fail", async () => {
  await using database = await freshDatabase("sqlite");
  const counted = await openCounted(fileOf(database));
  await Promise.all(Array.from({ length: 50 }, (_, index) => counted.note(`${index}`)));
  expect(counted.commits()).toBe(1);
  counted.break(true);
  const lost = await Promise.allSettled(Array.from({ length: 5 }, () => counted.note("lost")));
  expect(lost.map((one) => one.status === "rejected" && one.reason.code)).toEqual(Array(5).fill("SQLITE_IOERR"));
  counted.break(false);
  await counted.note("after");
  expect(counted.writer.query("select count(*) as n, max(text) as last from notes").get()).toEqual({ n: 51, last: "after" });
  counted.writer.close();
});
