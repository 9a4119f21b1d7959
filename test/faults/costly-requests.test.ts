/** Ten at a time of the costliest requests cost the server little, and others do not wait for them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  linkIn,
  migratedDatabase,
  type Server,
  startServer,
  type TestDatabase,
  temporaryFolder,
} from "../support/harness.ts";
import { costlyRequests } from "./costly-requests.ts";
import { measureOn, secrets } from "./measure-costly-requests.ts";
import { scale } from "./promises.ts";

/** Those that once took from 5 to 24 seconds of CPU. */
const inSuite = ["usage", "JSON, 5.6 million", "64 KB of combining", "1.4 million"];
const tried = costlyRequests.filter(
  ({ what }) => scale !== "suite" || inSuite.some((part) => what.includes(part)),
);

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: Server;
beforeAll(async () => {
  database = await migratedDatabase("sqlite");
  folder = await temporaryFolder();
  await linkIn(database);
  const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path, ...secrets };
  server = await startServer(database, env);
});
afterAll(async () => {
  await server.close();
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

// An honest batch of thousands of events costs what its appends cost; others have a turn between them.
const isHonest = (what: string) => /records|spans|events of/.test(what);

test.each(tried.map((request) => [`${request.route}: ${request.what}`, request] as const))(
  "%s",
  async (_, request) => {
    const { statuses, cpu, memory, health } = await measureOn(server, request, 10);
    for (const status of statuses) expect([200, 207, 400, 401, 403, 413, 429, 503]).toContain(status);
    expect(cpu).toBeLessThan(isHonest(request.what) ? 20 : 2);
    expect(memory).toBeLessThan(1_000);
    // Beside other tests it says more about them.
    if (scale !== "suite") expect(health).toBeLessThan(500);
  },
  60_000,
);
