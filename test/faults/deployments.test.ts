/**
 * Two databases on one store, such as a live deployment and a copy of it: neither deletes a file of the
 * other.
 */
import { describe, expect, test } from "bun:test";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { type OpenContext, open } from "../../cli/open.ts";
import { startWorkers } from "../../cli/server/workers.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { zip } from "../support/assets/media.ts";
import { hashObjects } from "../support/database/seeded-deployment.ts";
import {
  fileOf,
  freshDatabase,
  link,
  migratedDatabase,
  program,
  programToken,
  type Server,
  scaled,
  startServer,
  type TestDatabase,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import { combinations, deployments, openPlace, type TestPlace } from "../support/library.ts";
import { openLeft, pages } from "./agreement.ts";

const authorization = `Bearer ${programToken}`;

/** Uploads a file and a bundle; one of each is published, one rejected. @returns the ids */
async function work({ origin }: Server, name: string): Promise<string[]> {
  const call = async (path: string, init: RequestInit): Promise<Asset> => {
    const response = await fetch(`${origin}/api/v1/assets${path}`, init);
    expect([path, response.status]).toEqual([path, response.ok ? response.status : 200]);
    return (await response.json()) as Asset;
  };
  const ids: string[] = [];
  for (const [index, bytes] of [
    Buffer.from(name),
    zip(pages),
    Buffer.from(`${name} rejected`),
    zip(pages),
  ].entries()) {
    const body = new FormData();
    body.append("project", "atlas");
    body.append("file", new File([Uint8Array.from(bytes)], index % 2 ? "a.zip" : "a.txt"));
    const { id } = await call("", { method: "POST", headers: { authorization }, body });
    ids.push(id);
    const verdict = index < 2 ? { decision: "approved" } : { decision: "rejected", note: "No." };
    const headers = { authorization, "content-type": "application/json" };
    await call(`/${id}/review`, { method: "PUT", headers, body: JSON.stringify(verdict) });
    if (index < 2) await call(`/${id}/publish`, { method: "POST", headers: { authorization } });
  }
  return ids;
}

/**
 * A deployment in this process whose clock is far ahead, with every worker, until each has done its round.
 */
async function runWorkersAhead(env: Record<string, string | undefined>): Promise<void> {
  const opened = await open(env, { log: () => {} });
  const ctx: OpenContext = { ...opened, now: () => (Date.now() + 86_400_000 * 100) * 1000 };
  const stop = startWorkers(ctx);
  const rounds = () =>
    ["done", "failed"].reduce(
      (sum, outcome) => sum + opened.metrics.workerRuns.of("sweep of files", outcome).value,
      0,
    );
  await until(() => rounds() > 0, "the sweep has run");
  expect(opened.metrics.workerRuns.of("sweep of files", "failed").value).toBe(0);
  await stop();
  await opened.close();
}

/** A copy made without svc: of the file, or by the database server. */
async function copyDatabase(from: TestDatabase, to: TestDatabase): Promise<void> {
  if (from.dialect === "sqlite") {
    await copyFile(fileOf(from), fileOf(to));
    return;
  }
  const name = (database: TestDatabase) => new URL(database.url).pathname.slice(1);
  const server = new URL(from.url);
  server.pathname = "/postgres";
  const sql = new SQL(server.href, { max: 1 });
  await sql.unsafe(`drop database if exists ${name(to)}`);
  await sql.unsafe(`create database ${name(to)} template ${name(from)}`);
  await sql.close();
}

async function openLive(database: TestDatabase, place: TestPlace): Promise<Server> {
  const data = await openLeft(database);
  await link(data, "atlas");
  await data.close();
  return startServer(database, place.env);
}

/** Which database it is does not depend on which store it is: the suite has each of both once. */
const tried = scaled(deployments, combinations);

describe.each(tried)("a live deployment on $dialect and $place", ({ dialect, place }) => {
  test("loses no object to a restored copy on its store whose clock is ahead, whatever workers and doctor --fix do", async () => {
    await using stores = await openPlace(place);
    await using database = await migratedDatabase(dialect);
    await using folder = await temporaryFolder();
    await using live = await openLive(database, stores);
    await work(live, "before the backup");
    const backup = join(folder.path, "backup.tar");
    const env = { ...stores.env, SVC_DATABASE_URL: database.url };
    expect(await program(["backup", backup], env)).toMatchObject({ code: 0 });
    await using copy = await freshDatabase(dialect);
    const copied = { ...stores.env, SVC_DATABASE_URL: copy.url };
    expect(await program(["restore", backup], copied)).toMatchObject({ code: 0 });
    await work(live, "after the copy");
    const before = await hashObjects(stores);
    await runWorkersAhead(copied);
    await program(["doctor", "--fix"], copied);
    expect(await hashObjects(stores)).toEqual(before);
    expect(await program(["doctor", "--deep"], env)).toMatchObject({ code: 0 });
  });

  test("loses no object to a copy that was made of the database alone", async () => {
    await using stores = await openPlace(place);
    await using database = await migratedDatabase(dialect);
    await using first = await openLive(database, stores);
    await work(first, "before the copy");
    expect(await first.terminate()).toBe(0);
    await using copy = await freshDatabase(dialect);
    await copyDatabase(database, copy);
    await using live = await startServer(database, stores.env);
    await work(live, "after the copy");
    const before = await hashObjects(stores);
    const copied = { ...stores.env, SVC_DATABASE_URL: copy.url };
    await runWorkersAhead(copied);
    await program(["doctor", "--fix"], copied);
    expect(await hashObjects(stores)).toEqual(before);
  });
});
