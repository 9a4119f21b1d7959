/** Three processes on one Postgres and one bucket, behind a proxy. */

import { join } from "node:path";
import { openData } from "../../db/open.ts";
import { link, must, type Server, startServer, type TestDatabase } from "../support/harness.ts";
import { openPlace, type TestPlace } from "../support/library.ts";
import { freePort } from "../support/servers/proxy.ts";

export const size = 3;
const laterVersion = join(import.meta.dir, "later-version.ts");

export interface Fleet extends AsyncDisposable {
  /** Where the proxy listens. */
  origin: string;
  place: TestPlace;
  servers: Server[];
  /** Starts the process in its place again. @param version how many versions later than this tree */
  start(index: number, version?: number): Promise<void>;
}

type StartProxy = (before: { port: number; upstreams: string[] }) => Promise<AsyncDisposable>;

export async function openFleet(database: TestDatabase, startProxy: StartProxy): Promise<Fleet> {
  const place = await openPlace("bucket");
  const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
  await link(data, "atlas");
  await data.close();
  const ports = await Promise.all(Array.from({ length: size }, freePort));
  const upstreams = ports.map((port) => `127.0.0.1:${port}`);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  // The limit is far away, and counted all the same.
  const env = { ...place.env, SVC_SITE_URL: origin, SVC_TRUST_PROXY: "1", SVC_RATE_LIMIT: "10000000/60" };
  const servers: Server[] = [];
  const start = async (index: number, version = 0) => {
    const all = { ...env, SVC_TEST_LATER_MIGRATIONS: String(version) };
    const through = version > 0 ? [process.execPath, laterVersion] : [];
    const server = await startServer(database, all, ["--port", String(must(ports[index]))], through);
    servers[index] = { ...server, origin: `http://${must(upstreams[index])}` }; // its start line names the site
  };
  await start(0);
  await Promise.all([start(1), start(2)]);
  const proxy = await startProxy({ port, upstreams });
  return {
    ...{ origin, place, servers, start },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
      await proxy[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
