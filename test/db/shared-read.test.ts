import { expect, test } from "bun:test";
import { sharedRead } from "../../db/engine/measured-reads.ts";
import { openPostgres } from "../../db/engine/postgres.ts";
import { clearCaches } from "../../db/engine/session.ts";
import { readFeedHead } from "../../db/feed/head.ts";
import { changedDays } from "../../db/feed/usage/remembered-days.ts";
import { migratedDatabase } from "../support/harness.ts";

test("a shared read runs after all calls of its turn, and again for later ones", async () => {
  let state = "valid";
  const reads: string[] = [];
  const read = sharedRead(async (key) => {
    reads.push(key);
    return `${key} ${state}`;
  });
  const first = [read("ci"), read("ci"), read("deploy")];
  state = "revoked";
  expect(await Promise.all(first)).toEqual(["ci revoked", "ci revoked", "deploy revoked"]);
  expect(reads).toEqual(["ci", "deploy"]);
  const failing = sharedRead(() => Promise.reject(new Error("no answer")));
  expect(await Promise.allSettled([failing("ci"), failing("ci")])).toMatchObject([
    { reason: { message: "no answer" } },
    { reason: { message: "no answer" } },
  ]);
  state = "valid";
  expect(await read("ci")).toBe("ci valid");
});

test("the reads of a page on Postgres share what they ask of the feed", async () => {
  await using database = await migratedDatabase("postgres");
  const { readSession: session, close } = await openPostgres(database.url);
  const [head, same] = await Promise.all([readFeedHead(session), readFeedHead(session)]);
  expect(same).toBe(head);
  expect(await readFeedHead(session)).not.toBe(head);
  const changed = await changedDays(session, 0, 1);
  expect(await changedDays(session, 0, 1)).toBe(changed);
  clearCaches(session);
  expect(await changedDays(session, 0, 1)).not.toBe(changed);
  await close();
});
