/** Two servers on one library: concurrent writes, and uploads that are written again. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PresignResponse } from "../../src/library/assets/requests.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import {
  link,
  migratedDatabase,
  must,
  programToken,
  type Server,
  scaled,
  startServer,
  type TestDatabase,
  until,
} from "../support/harness.ts";
import { combinations, openLibrary, openPlace, type TestPlace } from "../support/library.ts";
import { openLeft, requireAgreement } from "./agreement.ts";
import { reached, times } from "./promises.ts";

const authorization = `Bearer ${programToken}`;
const json = { authorization, "content-type": "application/json" };
const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

const rounds = times("finalizes");
const finalizes = scaled(8, 20);
const replacements = scaled(4, 10);

describe.each(combinations)("two servers on one $dialect and $place", ({ dialect, place }) => {
  let opened: TestPlace;
  let database: TestDatabase;
  let servers: Server[];
  beforeAll(async () => {
    opened = await openPlace(place);
    database = await migratedDatabase(dialect);
    servers = await Promise.all([startServer(database, opened.env), startServer(database, opened.env)]);
    const data = await openLeft(database);
    await link(data, "atlas");
    await data.close();
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    await database.close();
    await opened[Symbol.asyncDispose]();
  });

  /** The same call several times concurrently, alternating between the two servers. */
  const concurrently = (
    times: number,
    path: string | ((index: number) => string),
    init: (index: number) => RequestInit,
  ) =>
    Promise.all(
      Array.from({ length: times }, async (_, index) => {
        const request = typeof path === "string" ? path : path(index);
        const response = await fetch(`${must(servers[index % 2]).origin}/api/v1${request}`, init(index));
        return { status: response.status, body: (await response.json()) as Asset };
      }),
    );
  const posted = (body: unknown, method = "POST"): RequestInit => ({
    method,
    headers: json,
    body: JSON.stringify(body),
  });
  const uploadOf = (fields: Record<string, string>, bytes: string): RequestInit => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append("file", new File([bytes], "a.txt"));
    return { method: "POST", headers: { authorization }, body };
  };
  const upload = async (title: string) =>
    must((await concurrently(1, "/assets", () => uploadOf({ project: "atlas", title }, title)))[0]).body;
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

  test(`make one of ${finalizes} finalizes, of ${replacements} replacements, of ten publications and of a verdict, ${rounds} times over`, async () => {
    for (let round = 0; round < rounds; round++) {
      const [reserved] = await concurrently(1, "/assets", () =>
        posted({ presign: true, project: "atlas", filename: "a.txt", title: `finalized ${round}` }),
      );
      const {
        id,
        upload_url,
        headers = {},
        finalize_body,
      } = must(reserved).body as unknown as PresignResponse;
      await fetch(upload_url, { method: "PUT", headers, body: `bytes of ${round}` });
      const finalized = await concurrently(finalizes, `/assets/${id}/finalize`, () => posted(finalize_body));
      expect(statuses(finalized)).toEqual([201, ...Array(finalizes - 1).fill(409)]);

      const replaced = await concurrently(replacements, "/assets", (index) =>
        uploadOf({ project: "atlas", replaces: id, title: `${round} ${index}` }, `${round} ${index}`),
      );
      expect(statuses(replaced)).toEqual([201, ...Array(replacements - 1).fill(409)]);
      reached("finalizes");
      const head = must(replaced.find(({ status }) => status === 201)).body;

      const verdicts = await concurrently(6, `/assets/${head.id}/review`, (index) =>
        posted(index % 2 ? { decision: "approved" } : { decision: "rejected", note: "No." }, "PUT"),
      );
      expect(statuses(verdicts)).toEqual(Array(6).fill(200));
      await concurrently(1, `/assets/${head.id}/review`, () => posted({ decision: "approved" }, "PUT"));
      const published = await concurrently(10, `/assets/${head.id}/publish`, () => posted(undefined));
      expect([
        statuses(published),
        new Set(published.map(({ body }) => new URL(must(body.public_url)).pathname)).size,
      ]).toEqual([Array(10).fill(200), 1]);

      const other = await upload(`raced ${round}`);
      await concurrently(1, `/assets/${other.id}/review`, () => posted({ decision: "approved" }, "PUT"));
      const race = await concurrently(
        4,
        (index) => `/assets/${other.id}/${index < 2 ? "publish" : "review"}`,
        (index) => (index < 2 ? posted(undefined) : posted({ decision: "rejected", note: "No." }, "PUT")),
      );
      expect(statuses(race)).toEqual([200, 200, 409, 409]);
    }
    const data = await openLeft(database);
    // A deletion that failed, as on a busy machine, is left to cleanup, which follows.
    const isLeftToCleanup = () => servers.some((server) => server.errors().includes("deleted yet"));
    await until(
      async () => isLeftToCleanup() || (await Array.fromAsync(opened.store.list("_pending/"))).length === 0,
      "what was uploaded is taken over",
    );
    await requireAgreement(data, opened).finally(() => data.close());
    reached("replacements", rounds);
  });
});

const interleavings = times("interleavings");

describe.each(combinations)("the upload address of an asset on $dialect and $place", ({ dialect, place }) => {
  test(`that is written again while it is finalized, reviewed and published, ${interleavings} times over, changes nothing`, async () => {
    await using library = await openLibrary(dialect, place);
    for (let round = 0; round < interleavings; round++) {
      const reserved = (await library.presign({})).body;
      const put = (what: string) => library.put(reserved, `${what} ${round}`);
      expect((await put("first")).status).toBe(200);
      let isOver = false;
      const writeAgain = async () => {
        for (let number = 0; !isOver; number++) {
          await put(`other ${number}`);
          await Bun.sleep(round % 7);
        }
      };
      let writing = writeAgain();
      let finalized = await library.finalize(reserved);
      if (finalized.status === 400) {
        // The bytes changed while they were taken over. Of those that stay there is an asset.
        isOver = true;
        await writing;
        finalized = await library.finalize(reserved);
        isOver = false;
        writing = writeAgain();
      }
      const { status, body } = finalized;
      expect(status).toBe(201);
      const read = async (url: string | null) => sha256(await (await library.fetch(url)).bytes());
      expect(await read(body.url)).toBe(body.sha256);
      expect((await library.review(body.id, { decision: "approved", sha256: body.sha256 })).status).toBe(200);
      const published = (await library.publish(body.id)).body;
      expect([await read(published.url), await read(published.public_url)]).toEqual([
        body.sha256,
        body.sha256,
      ]);
      isOver = true;
      await writing;
      reached("interleavings");
    }
  });
});
