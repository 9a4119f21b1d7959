/** How often a single append waits for the network between svc and Postgres. */
import { expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { openData } from "../../db/open.ts";
import { event, migratedDatabase } from "../support/harness.ts";

/** The client has sent all that it can without an answer when it was silent for so long. */
const silenceMs = 40;

/** A proxy that withholds answers until the client is silent, and counts how often it gave some. */
async function startCountingProxy(target: URL) {
  let trips = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let answers: (string | Uint8Array)[] = [];
    let isAnswer = false; // and no notification
    let timer: Timer | undefined;
    const release = () => {
      trips += Number(isAnswer);
      isAnswer = false;
      for (const answer of answers) near.write(answer);
      answers = [];
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(release, silenceMs);
    };
    for (const socket of [near, far]) socket.setNoDelay(true).on("error", () => {});
    near.on("data", (bytes) => {
      isAnswer = true;
      if (answers.length > 0) wait();
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      answers.push(bytes);
      wait();
    });
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    trips: () => trips,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** The trips of the appends of one process, after whatever comes between them. */
async function tripsOf(
  between: (url: string) => Promise<{ step(): Promise<unknown>; end(): Promise<void> }>,
) {
  await using database = await migratedDatabase("postgres");
  await using proxy = await startCountingProxy(new URL(database.url));
  const url = new URL(database.url);
  url.host = `127.0.0.1:${proxy.port}`;
  const data = await openData(url.href, { now: () => Date.now() * 1000, log() {} });
  await data.atomically((writes) => writes.linkProject({ slug: "alpha", repo: "acme/alpha" }, 0));
  const other = await between(database.url);
  const found: number[] = [];
  for (let index = 0; index < 5; index++) {
    await other.step();
    const before = proxy.trips();
    const step = { kind: "step.usage", project: "alpha", run_id: "r-1", dedupe_key: `k${index}` } as const;
    await data.append([event(step)]);
    found.push(proxy.trips() - before);
  }
  await data.close();
  await other.end();
  return found;
}

test("an append on Postgres makes two trips to it: what it reads, and what it writes", async () => {
  const alone = { step: async () => {}, end: async () => {} };
  // The first ones prepare their statements.
  expect(Math.min(...(await tripsOf(async () => alone)))).toBe(2);
});

test("so does one of a process that appends in turn with others, which changed its runs", async () => {
  const found = await tripsOf(async (url) => {
    const data = await openData(url, { now: () => Date.now() * 1000, log() {} });
    const step = event({ kind: "step.usage", project: "alpha", run_id: "r-1" });
    return { step: () => data.append([step]), end: () => data.close() };
  });
  expect(Math.min(...found)).toBe(2);
});
