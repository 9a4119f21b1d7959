/**
 * The library under kill -9, under two processes at once, and over a store that fails: rows and bytes always
 * agree.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cleanUpAssets } from "../../src/assets/retention.ts";
import type { Asset, PresignResponse } from "../../src/assets/schema.ts";
import { dayMicros } from "../../src/lib/time.ts";
import { hashObject } from "../../src/stores/objects.ts";
import { defaultTimeouts } from "../../src/stores/s3/location.ts";
import { s3Store } from "../../src/stores/s3/store.ts";
import {
  freshDatabase,
  link,
  must,
  owned,
  programToken,
  type Server,
  scaled,
  startServer,
  type TestDatabase,
  until,
} from "../support/harness.ts";
import {
  combinations,
  file,
  type Library,
  openLibrary,
  openPlace,
  type TestPlace,
} from "../support/library.ts";
import { png, zip } from "../support/media.ts";
import type { Asked, Fault } from "../support/s3-server.ts";
import { bytesOf } from "../support/store-sources.ts";
import { openLeft, pages, requireAgreement } from "./agreement.ts";
import { reached, scale, times } from "./promises.ts";

const authorization = `Bearer ${programToken}`;
const json = { authorization, "content-type": "application/json" };
const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** What a client was told of one of its assets, and what it asked for without hearing of it. */
interface Told {
  title: string;
  sha256: string;
  id?: string;
  status?: string;
  asked: string;
}

/** A client: uploads in both ways, replaces, reviews and publishes, until its server is gone. */
async function work(server: Server, name: string, told: Told[], ended: AbortSignal): Promise<void> {
  const call = async <T>(path: string, init: RequestInit): Promise<T> => {
    const response = await fetch(path.startsWith("http") ? path : `${server.origin}/api/v1${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const post = <T>(path: string, body: unknown, method = "POST") =>
    call<T>(path, { method, headers: json, body: JSON.stringify(body) });
  let newest: string | undefined;
  for (let number = 0; !ended.aborted; number++) {
    const bytes = [
      () => bytesOf(1 + ((number * 7919) % 200_000), number + 1),
      () => zip(pages),
      () => png(8 + number, 8),
    ][number % 3]?.() as Uint8Array;
    const one: Told = { title: `${name}-${number}`, sha256: sha256(bytes), asked: "pending" };
    told.push(one);
    const said = {
      project: "atlas",
      title: one.title,
      ...(number % 4 === 3 && newest && { replaces: newest }),
    };
    try {
      if (number % 2) {
        const form = new FormData();
        for (const [field, value] of Object.entries(said)) form.append(field, value);
        form.append("file", new File([Uint8Array.from(bytes)], "a.bin"));
        one.id = (
          await call<Asset>("/assets", { method: "POST", headers: { authorization }, body: form })
        ).id;
      } else {
        const reserved = await post<PresignResponse>("/assets", {
          ...said,
          presign: true,
          filename: "a.bin",
        });
        await fetch(reserved.upload_url, {
          method: "PUT",
          headers: reserved.headers ?? {},
          body: Uint8Array.from(bytes),
        });
        one.id = (await post<Asset>(`/assets/${reserved.id}/finalize`, reserved.finalize_body)).id;
      }
      one.status = "pending";
      newest = one.id;
      const verdict =
        number % 5 === 4 ? { decision: "rejected", note: `Not ${one.title}` } : { decision: "approved" };
      one.asked = verdict.decision;
      one.status = (await post<Asset>(`/assets/${one.id}/review`, verdict, "PUT")).status;
      if (one.status !== "approved" || number % 3 === 2) continue;
      one.asked = "published";
      one.status = (await post<Asset>(`/assets/${one.id}/publish`, undefined)).status;
    } catch (error) {
      if (!ended.aborted) throw error;
      return;
    }
  }
}

const kills = times("libraryKills");

describe.each(combinations)("a server on $dialect and $place", ({ dialect, place }) => {
  test(`that is killed ${kills} times while others upload, finalize, review and publish: rows and bytes agree, nothing told is lost`, async () => {
    await using opened = await openPlace(place);
    await using database = await freshDatabase(dialect);
    const first = await openLeft(database);
    await link(first, "atlas");
    await first.close();
    const told: Told[] = [];
    for (let round = 0; round < kills; round++) {
      await using server = await startServer(database, opened.env);
      const ended = new AbortController();
      const clients = Array.from({ length: 3 }, (_, client) =>
        work(server, `${round}-${client}`, told, ended.signal),
      );
      const known = told.filter(({ status }) => status).length;
      await Promise.race([
        until(() => told.filter(({ status }) => status).length > known, "somebody was told something"),
        ...clients,
      ]);
      await Promise.race([Bun.sleep(Math.random() * 700), ...clients]);
      ended.abort();
      await server.kill();
      await Promise.all(clients);
      const data = await openLeft(database);
      const rows = new Map((await requireAgreement(data, opened)).map((row) => [row.title, row]));
      await data.close();
      for (const { title, id, status, asked, ...said } of told) {
        const row = rows.get(title);
        if (id) expect(row).toMatchObject({ id, sha256: said.sha256 });
        if (row) expect([status, asked, "superseded"]).toContain(row.status);
      }
    }
    expect(told.filter(({ status }) => status).length).toBeGreaterThanOrEqual(kills);
    reached("libraryKills", kills);
  });
});

const rounds = times("finalizes");
const finalizes = scaled(8, 20);
const replacements = scaled(4, 10);

describe.each(combinations)("two servers on one $dialect and $place", ({ dialect, place }) => {
  let opened: TestPlace;
  let database: TestDatabase;
  let servers: Server[];
  beforeAll(async () => {
    opened = await openPlace(place);
    database = await freshDatabase(dialect);
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

  /** The same call so many times at once, each other one at the other server. */
  const atOnce = (
    times: number,
    path: string | ((index: number) => string),
    init: (index: number) => RequestInit,
  ) =>
    Promise.all(
      Array.from({ length: times }, async (_, index) => {
        const asked = typeof path === "string" ? path : path(index);
        const response = await fetch(`${must(servers[index % 2]).origin}/api/v1${asked}`, init(index));
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
    must((await atOnce(1, "/assets", () => uploadOf({ project: "atlas", title }, title)))[0]).body;
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

  test(`make one of ${finalizes} finalizes, of ${replacements} replacements, of ten publications and of a verdict, ${rounds} times over`, async () => {
    for (let round = 0; round < rounds; round++) {
      const [reserved] = await atOnce(1, "/assets", () =>
        posted({ presign: true, project: "atlas", filename: "a.txt", title: `finalized ${round}` }),
      );
      const {
        id,
        upload_url,
        headers = {},
        finalize_body,
      } = must(reserved).body as unknown as PresignResponse;
      await fetch(upload_url, { method: "PUT", headers, body: `bytes of ${round}` });
      const finalized = await atOnce(finalizes, `/assets/${id}/finalize`, () => posted(finalize_body));
      expect(statuses(finalized)).toEqual([201, ...Array(finalizes - 1).fill(409)]);

      const replaced = await atOnce(replacements, "/assets", (index) =>
        uploadOf({ project: "atlas", replaces: id, title: `${round} ${index}` }, `${round} ${index}`),
      );
      expect(statuses(replaced)).toEqual([201, ...Array(replacements - 1).fill(409)]);
      reached("finalizes");
      const head = must(replaced.find(({ status }) => status === 201)).body;

      const verdicts = await atOnce(6, `/assets/${head.id}/review`, (index) =>
        posted(index % 2 ? { decision: "approved" } : { decision: "rejected", note: "No." }, "PUT"),
      );
      expect(statuses(verdicts)).toEqual(Array(6).fill(200));
      await atOnce(1, `/assets/${head.id}/review`, () => posted({ decision: "approved" }, "PUT"));
      const published = await atOnce(10, `/assets/${head.id}/publish`, () => posted(undefined));
      expect([
        statuses(published),
        new Set(published.map(({ body }) => new URL(must(body.public_url)).pathname)).size,
      ]).toEqual([Array(10).fill(200), 1]);

      const other = await upload(`raced ${round}`);
      await atOnce(1, `/assets/${other.id}/review`, () => posted({ decision: "approved" }, "PUT"));
      const race = await atOnce(
        4,
        (index) => `/assets/${other.id}/${index < 2 ? "publish" : "review"}`,
        (index) => (index < 2 ? posted(undefined) : posted({ decision: "rejected", note: "No." }, "PUT")),
      );
      expect(statuses(race)).toEqual([200, 200, 409, 409]);
    }
    const data = await openLeft(database);
    await until(
      async () => (await Array.fromAsync(opened.store.list("_pending/"))).length === 0,
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

/** As patient as a deployment is, or, where that takes too long, a tenth of it. */
const share = scaled(0.1, 1);
const patience = {
  answerMs: defaultTimeouts.responseMs * share,
  afterMs: defaultTimeouts.followUpMs * share,
  retryMs: defaultTimeouts.retryMs * share,
};
const answerMsMax = 10_000;

describe.skipIf(!!process.env.SVC_TEST_S3_ENDPOINT)("a bucket that misbehaves", () => {
  let library: Library;
  let approved: Asset;
  let bytes: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "bucket");
    const { place } = must(library.s3);
    const storeAt = (name: string) =>
      s3Store({
        ...place,
        prefix: `${place.prefix}/${name}`,
        now: () => new Date(library.clock.now() / 1000),
        timeouts: patience,
      });
    Object.assign(library.ctx, {
      store: owned(storeAt("private"), library.ctx.data),
      publicStore: owned(storeAt("public"), library.ctx.data),
    });
    bytes = Uint8Array.from(bytesOf(20_000));
    approved = (await library.upload({ project: "atlas" }, file("a.bin", bytes))).body;
    await library.review(approved.id, { decision: "approved" });
  });
  afterAll(() => library.close());

  /** Never later than a client may expect, and never in the way of whoever wants no bytes. */
  async function answered<T>(work: () => Promise<T>): Promise<T> {
    const token = await library.mint(["feed:read"]);
    const begun = performance.now();
    const [result] = await Promise.all([
      work(),
      library.ask("/api/v1/feed", { token }).then(({ status }) => expect(status).toBe(200)),
    ]);
    expect(performance.now() - begun).toBeLessThan(answerMsMax);
    return result;
  }
  const titles = async () => (await library.ctx.data.assets(null, { limit: 1000 })).map(({ title }) => title);

  /** Small, only the faults of which each is another story, in every call. */
  const faults: Fault[] = scaled(
    ["hang", "reset", "slow", "page", "pretend", "wrong size", 503],
    [
      "hang",
      "reset",
      "reset after",
      "short",
      "stall",
      "slow",
      "page",
      "pretend",
      "wrong size",
      403,
      500,
      503,
    ],
  );
  type Pick = [string, (asked: Asked) => boolean];
  const everyCall: Pick = ["every call", () => true];
  const picks: Pick[] =
    scale === "full"
      ? [
          everyCall,
          ["what reads", ({ method }) => method === "GET" || method === "HEAD"],
          ["what writes", ({ method }) => method === "PUT" || method === "POST"],
          ["what deletes", ({ method }) => method === "DELETE"],
        ]
      : [everyCall];
  test.each(faults.flatMap((fault) => picks.map(([what, pick]) => [fault, what, pick] as const)))(
    "(%p, in %s) makes no row without its bytes, keeps nobody waiting, and is forgotten once it is over",
    async (fault, what, pick) => {
      const title = `${fault} ${what}`;
      const s3 = must(library.s3);
      const reserved = (await library.presign({ title: `${title}, reserved` })).body;
      expect((await library.put(reserved, bytes)).status).toBe(200);
      s3.fault(fault, pick);
      const uploaded = await answered(() =>
        library.upload({ project: "atlas", title }, file("a.bin", bytes)),
      );
      const finalized = await answered(() => library.finalize(reserved));
      const viewed = await answered(async () => {
        const response = await library.fetch((await library.say(`/assets/${approved.id}`)).body.url);
        const got = await response.bytes().catch(() => null);
        return { status: response.status, isWhole: got !== null && Buffer.from(got).equals(bytes) };
      });
      const published = await answered(() => library.publish(approved.id));
      s3.heal();
      for (const { status } of [uploaded, finalized])
        expect([title, status === 201 || status >= 500]).toEqual([title, true]);
      expect((await titles()).includes(title)).toBe(uploaded.status === 201);
      expect((await titles()).includes(`${title}, reserved`)).toBe(finalized.status === 201);
      if (viewed.status === 200)
        expect([title, viewed.isWhole || fault === "short" || fault === "stall" || fault === "slow"]).toEqual(
          [title, true],
        );
      else expect([title, viewed.status]).toEqual([title, 503]);
      expect([title, published.status === 200 || published.status >= 500]).toEqual([title, true]);

      if (uploaded.status !== 201)
        expect((await library.upload({ project: "atlas", title }, file("a.bin", bytes))).status).toBe(201);
      if (finalized.status !== 201)
        expect([title, (await library.finalize(reserved)).status]).toEqual([title, 201]);
    },
  );

  test("has kept the bytes of every row", async () => {
    for (const row of await library.ctx.data.assets(null, { limit: 1000 }))
      expect(await hashObject(library.store, must(row.key))).toEqual({ size: row.size, sha256: row.sha256 });
  });

  test("leaves nothing that the sweep does not find", async () => {
    const ids = (await library.ctx.data.assets(null, { limit: 1000 })).map(({ id }) => id);
    expect((await library.publish(approved.id)).status).toBe(200);
    library.clock.advance(2 * dayMicros);
    await cleanUpAssets(library.ctx);
    const own = (key: string) => ids.some((id) => key.startsWith(`atlas/${id}/`));
    expect((await library.keys()).filter((key) => !own(key))).toEqual([]);
    expect(await library.keys(library.publicStore)).toEqual([`atlas/${approved.id}/a.bin`]);
    expect(must(library.s3).unfinished()).toBe(0);
  });
});

describe("a sender", () => {
  let library: Library;
  let origin: string;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    origin = library.listen();
  });
  afterAll(() => library.close());

  /** A form whose file comes in pieces of so many bytes, one every so many milliseconds. */
  const send = (bytes: number, everyMs: number, pieces: number) => {
    const head = ["project", 'file"; filename="a.bin'].map(
      (name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`,
    );
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(`${head[0]}atlas\r\n${head[1]}`));
        for (let piece = 0; piece < pieces; piece++) {
          controller.enqueue(new Uint8Array(bytes));
          await Bun.sleep(everyMs);
        }
        controller.enqueue(Buffer.from("\r\n--b--\r\n"));
        controller.close();
      },
    });
    const headers = {
      authorization: `Bearer ${library.token}`,
      "content-type": "multipart/form-data; boundary=b",
    };
    return fetch(`${origin}/api/v1/assets`, { method: "POST", headers, body });
  };

  const seconds = scaled(1, 60);
  test(`of 50 KB a second is heard to its end, be it ${seconds} seconds away`, async () => {
    const response = await send(5_000, 100, seconds * 10);
    expect([response.status, ((await response.json()) as Asset).size]).toEqual([201, seconds * 50_000]);
  });

  test.skipIf(scaled(true, false))("of a byte a second is heard for half a minute", async () => {
    const begun = performance.now();
    const response = await send(1, 1_000, 120);
    expect(response.status).toBe(400);
    expect(performance.now() - begun).toBeLessThan(60_000);
    await until(
      async () => (await library.keys()).every((key) => key.startsWith("atlas/")),
      "nothing of it is kept",
    );
  });
});
