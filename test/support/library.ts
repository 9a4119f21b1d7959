/**
 * The asset library as the tests open it: any database with any kind of store, and what a client of it does
 * all the time.
 */
import { join } from "node:path";
import { ulid } from "ulid";
import type { Scope } from "../../src/core/auth/scopes.ts";
import type { Environment } from "../../src/core/config.ts";
import type { ProblemDocument } from "../../src/core/problem.ts";
import { localStore } from "../../src/files/stores/disk/store.ts";
import type { S3Location } from "../../src/files/stores/s3/location.ts";
import { s3Store } from "../../src/files/stores/s3/store.ts";
import type { Store } from "../../src/files/stores/store.ts";
import type { PresignResponse } from "../../src/library/assets/requests.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { addVersion, givenColumns, type NewAsset } from "../../src/library/assets/versions.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import {
  type Clock,
  type Dialect,
  dialects,
  link,
  openApp,
  type TestApp,
  type TestRequest,
  temporaryFolder,
  testClock,
  until,
} from "./harness.ts";
import { freshBucket, type S3Server, startS3 } from "./stores/s3-server.ts";

export const places = ["disk", "bucket"] as const;
export type StorePlace = (typeof places)[number];

/** Every database with every kind of store. */
export const combinations = dialects.flatMap((dialect) => places.map((place) => ({ dialect, place })));

/**
 * Each dialect and each kind of store once, for rules above both: a store knows no database. What binds rows
 * to objects (completion, retention, orphans, crashes) is tested with all `combinations`.
 */
export const deployments: { dialect: Dialect; place: StorePlace }[] = [
  { dialect: "sqlite", place: "disk" },
  { dialect: "postgres", place: "bucket" },
];

export const assetScopes: Scope[] = ["assets:read", "assets:write", "assets:review"];

/** Two stores of one kind, and what the real program is told to use the same ones. */
export interface TestPlace extends AsyncDisposable {
  store: Store;
  publicStore: Store;
  env: Environment;
  /** The server behind a bucket; null on disk, and for a real one. */
  s3: S3Server | null;
  /** Holds the files of both stores; null in a bucket. */
  folder: string | null;
}

export async function openPlace(place: StorePlace, clock?: Clock): Promise<TestPlace> {
  if (place === "disk") {
    const folder = await temporaryFolder();
    const root = (name: string) => join(folder.path, "assets-local", name);
    return {
      ...{ store: localStore({ root: root("private") }), publicStore: localStore({ root: root("public") }) },
      ...{
        env: { SVC_DATA_DIR: folder.path },
        s3: null,
        folder: join(folder.path, "assets-local"),
        [Symbol.asyncDispose]: folder.close,
      },
    };
  }
  // a real bucket has a clock of its own
  const now = () => (clock && s3 ? new Date(clock.now() / 1000) : new Date());
  const s3: S3Server | null = process.env.SVC_TEST_S3_ENDPOINT
    ? null
    : await startS3({ prefix: "some/where", public: true, now });
  const bucket = s3 ?? (await freshBucket());
  const under = (name: string): S3Location => ({ ...bucket.place, prefix: `${bucket.place.prefix}/${name}` });
  return {
    ...{ store: s3Store({ ...under("private"), now }), publicStore: s3Store({ ...under("public"), now }) },
    env: {
      SVC_ASSET_STORE: `s3://${bucket.place.bucket}/${under("private").prefix}`,
      SVC_PUBLIC_STORE: `s3://${bucket.place.bucket}/${under("public").prefix}`,
      ...{ S3_ENDPOINT: bucket.place.endpoint, S3_REGION: bucket.place.region },
      ...{ S3_ACCESS_KEY_ID: bucket.place.accessKeyId, S3_SECRET_ACCESS_KEY: bucket.place.secretAccessKey },
    },
    ...{ s3, folder: null, [Symbol.asyncDispose]: () => bucket.close() },
  };
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T & Pick<ProblemDocument, "detail">;
}

export interface Library extends TestApp, Pick<TestPlace, "s3" | "env"> {
  store: Store;
  publicStore: Store;
  /** Named `tester`, with every scope of assets. */
  token: string;
  /** A JSON answer below /api/v1, held against /openapi.json. */
  say<T = Asset>(path: string, init?: TestRequest): Promise<Answer<T>>;
  upload(fields: UploadFields, ...file: [File?]): Promise<Answer<Asset>>;
  presign(input: Record<string, unknown>): Promise<Answer<PresignResponse>>;
  /** PUTs bytes to an upload address, the service's own or the bucket's. */
  put(
    to: Pick<PresignResponse, "upload_url" | "headers">,
    bytes: BodyInit,
    headers?: Record<string, string>,
  ): Promise<Response>;
  finalize(
    reserved: Pick<PresignResponse, "id" | "finalize_body">,
    change?: Record<string, unknown>,
  ): Promise<Answer<Asset>>;
  review(id: string, values: Record<string, unknown>): Promise<Answer<Asset>>;
  publish(id: string): Promise<Answer<Asset>>;
  /** The bytes behind an address of the service or of the bucket. */
  fetch(url: string | null | undefined, init?: RequestInit): Promise<Response>;
  /** Every event of the library, oldest first. */
  events(): Promise<Record<string, unknown>[]>;
  /**
   * A row with its event, that nobody uploaded and looked at: in no time, and with bytes where it is given
   * some.
   */
  plant(text?: Partial<NewAsset> & { bytes?: string }, replaces?: string): Promise<AssetRow>;
  /** Resolves once nothing is pending in the store: an answer does not wait for that. */
  settled(): Promise<void>;
  /** Keys of everything in a store. */
  keys(store?: Store): Promise<string[]>;
}

/** Fields of a form, in order. */
export type UploadFields = Record<string, string> | [string, string | File][];

export const file = (name = "note.txt", bytes: BlobPart = "some words"): File => new File([bytes], name);

/**
 * The rules on a fresh database and fresh stores, with the project `atlas`; its clock stands at the present,
 * as files tell their age by it.
 */
export async function openLibrary(
  dialect: Dialect,
  place: StorePlace,
  env: Environment = {},
): Promise<Library> {
  const clock = testClock(new Date().toISOString());
  const opened = await openPlace(place, clock);
  const { store, publicStore } = opened;
  const app = await openApp(dialect, env, clock, { store, publicStore });
  await link(app.ctx.data, "atlas");
  // as a server does when it starts
  for (const one of [app.ctx.store, app.ctx.publicStore]) await one?.owner();
  const token = await app.mint(assetScopes, { name: "tester" });
  clock.set(new Date().toISOString()); // what is kept from here on is younger than the database
  const say: Library["say"] = async (path, init = {}) => {
    const response = await app.ask(`/api/v1${path}`, { token, ...init });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const close = async () => {
    await app.close();
    await opened[Symbol.asyncDispose]();
  };
  return {
    ...{
      ...app,
      s3: opened.s3,
      env: opened.env,
      store,
      publicStore,
      token,
      say,
      close,
      [Symbol.asyncDispose]: close,
    },
    upload: (fields, ...sent) =>
      say("/assets", { method: "POST", body: formOf(fields, sent.length ? sent[0] : file()) }),
    presign: (input) =>
      say("/assets/presign", { json: { project: "atlas", filename: "note.txt", ...input } }),
    put({ upload_url, headers = {} }, bytes, changed = {}) {
      const init = { method: "PUT", body: bytes, headers: { ...headers, ...changed } };
      return upload_url.startsWith("http://svc.test")
        ? app.ask(pathOf(upload_url), init)
        : fetch(upload_url, init);
    },
    finalize: ({ id, finalize_body }, change = {}) =>
      say(`/assets/${id}/finalize`, { json: { ...finalize_body, ...change } }),
    review: (id, values) => say(`/assets/${id}/review`, { method: "PUT", json: values }),
    publish: (id) => say(`/assets/${id}/publish`, { method: "POST" }),
    fetch(url, init) {
      if (!url) throw new Error("there is no address");
      return url.startsWith("http://svc.test") ? app.ask(pathOf(url), init) : fetch(url, init);
    },
    async events() {
      const rows = await app.ctx.data.feed(null, { order: "oldest first", after: 0, limit: 1000 });
      return rows.map(({ wire }) => JSON.parse(wire)).filter(({ kind }) => /^(asset|decision)\./.test(kind));
    },
    async plant({ bytes, ...said } = {}, replaces) {
      const id = said.id ?? ulid(Math.floor(clock.now() / 1000));
      const asset: NewAsset = {
        ...{
          id,
          project: "atlas",
          ...givenColumns({}),
          run_id: null,
          created_by: "token:tester",
        },
        ...{
          size: 10,
          sha256: "0".repeat(64),
          mime: "text/plain",
          kind: "file",
          width: null,
          height: null,
          duration_ms: null,
        },
        ...{
          has_thumb: false,
          thumb_format: null,
          bundle_index: null,
          key: `atlas/${id}/note.txt`,
          created_at: clock.now(),
        },
        ...said,
      };
      if (bytes !== undefined) {
        const written = await store.put(asset.key as string, new Blob([bytes]).stream(), {
          type: "text/plain",
          maxBytes: bytes.length,
        });
        Object.assign(asset, written);
      }
      return app.ctx.data.atomically((writes) =>
        addVersion(writes, app.ctx.config, asset, "note.txt", replaces),
      );
    },
    settled: () =>
      until(async () => (await Array.fromAsync(store.list("_pending/"))).length === 0, "nothing is pending"),
    keys: async (one = store) => (await Array.fromAsync(one.list(""))).map(({ key }) => key),
  };
}

export const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

function formOf(fields: UploadFields, sent: File | undefined): FormData {
  const form = new FormData();
  for (const [name, value] of Array.isArray(fields) ? fields : Object.entries(fields))
    form.append(name, value);
  if (sent) form.append("file", sent);
  return form;
}
