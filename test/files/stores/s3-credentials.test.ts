/** Where the credentials of a bucket come from, without an access key in the configuration. */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashObject } from "../../../src/files/stores/objects.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import { must, until } from "../../support/harness.ts";
import {
  type CredentialEndpoints,
  startCredentialEndpoints,
} from "../../support/http/credential-endpoints.ts";
import { partBytesMin, type S3Server, startS3 } from "../../support/stores/s3-server.ts";
import { bytesOf, ids, keysOf, MiB, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

const hour = 3600;
const key = `atlas/${ids[0]}/file.bin`;
const options = { type: "image/png", maxBytes: 64 * MiB };
const small = bytesOf(100_000);
const large = bytesOf(2 * partBytesMin + 200_000, 2);
const put = (store: Store, at: string, bytes: Uint8Array) => store.put(at, sourceOf(bytes), options);

interface Opened extends AsyncDisposable {
  s3: S3Server;
  endpoints: CredentialEndpoints;
  store: Store;
  /** The session token of each request to the bucket. */
  usedTokens: (string | null)[];
}

const inherited = { ...process.env };
/** The chain reads the environment of the process, as every program on AWS does. */
function setVariables(variables: Record<string, string>): void {
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) delete process.env[name];
  Object.assign(process.env, variables);
}
afterEach(() => {
  setVariables({});
  Object.assign(process.env, inherited);
});

async function open(
  source: keyof CredentialEndpoints["variables"],
  lifetimes = [hour],
  keys: { accessKeyId?: string; secretAccessKey?: string } = {},
): Promise<Opened> {
  const s3 = await startS3();
  const folder = await mkdtemp(join(tmpdir(), "svc-credentials-"));
  const endpoints = await startCredentialEndpoints(s3.place, lifetimes, join(folder, "token"));
  setVariables(endpoints.variables[source]);
  const usedTokens: (string | null)[] = [];
  s3.fault("hang", ({ headers, query }) => {
    usedTokens.push(headers.get("x-amz-security-token") ?? query.get("X-Amz-Security-Token") ?? null);
    return false;
  });
  const { accessKeyId: _, secretAccessKey: __, ...place } = s3.place;
  const store = s3Store({ ...place, ...keys, timeouts: { responseMs: 3000, followUpMs: 3000, retryMs: 1 } });
  return {
    ...{ s3, endpoints, store, usedTokens },
    async [Symbol.asyncDispose]() {
      await Promise.all([s3.close(), endpoints[Symbol.asyncDispose]()]);
      await rm(folder, { recursive: true });
    },
  };
}

describe("without an access key, the credentials", () => {
  test.each(["instance", "container", "web identity"] as const)(
    "of the role of the %s sign every request and presigned URL",
    async (source) => {
      await using opened = await open(source);
      const { store, endpoints, usedTokens } = opened;
      for (const bytes of [small, large]) {
        expect(await put(store, key, bytes)).toEqual(writtenOf(bytes));
        expect(await hashObject(store, key)).toEqual(writtenOf(bytes));
        expect(await keysOf(store)).toEqual([key]);
        await store.delete(key);
      }
      const signed = must(await store.signedPut(key, { type: "image/png", expiresSeconds: 60 }));
      const { status } = await fetch(signed.url, {
        method: "PUT",
        headers: signed.headers,
        body: new Blob([new Uint8Array(small)]),
      });
      expect(status).toBe(200);
      expect(endpoints.tokens).toHaveLength(1);
      expect(new Set(usedTokens)).toEqual(new Set(endpoints.tokens));
    },
  );

  test.each(["instance", "container", "web identity"] as const)(
    "of the role of the %s are renewed before they expire",
    async (source) => {
      await using opened = await open(source, [60, hour]);
      const { store, endpoints, usedTokens } = opened;
      await put(store, key, small);
      expect(usedTokens[0]).toBe(must(endpoints.tokens[0]));
      const isRenewed = async () => {
        await store.stat(key);
        return usedTokens.at(-1) === endpoints.tokens[1];
      };
      await until(isRenewed, "a request is signed with the second credentials");
      await hashObject(store, key);
      expect(usedTokens.at(-1)).toBe(must(endpoints.tokens[1]));
      expect(endpoints.tokens).toHaveLength(2);
    },
  );

  test("are fetched once for requests that start together", async () => {
    await using opened = await open("instance");
    const { store, endpoints } = opened;
    await Promise.all(Array.from({ length: 20 }, () => store.stat(key)));
    await Promise.all(Array.from({ length: 20 }, () => store.get(key)));
    expect(endpoints.tokens).toHaveLength(1);
  });

  test("are missing: a 503 that says what to set", async () => {
    await using opened = await open("none");
    const missing = { status: 503, detail: expect.stringContaining("Set S3_ACCESS_KEY_ID") };
    await expect(opened.store.stat(key)).rejects.toMatchObject(missing);
    await expect(opened.store.get(key)).rejects.toMatchObject(missing);
    await expect(
      opened.store.signedPut(key, { type: "image/png", expiresSeconds: 60 }),
    ).rejects.toMatchObject(missing);
    expect(opened.usedTokens).toEqual([]);
  });

  test("do not arrive: a 503 within the timeout", async () => {
    await using opened = await open("container");
    opened.endpoints.hang();
    const late = expect.objectContaining({ status: 503 });
    const outcomes = await Promise.allSettled([opened.store.stat(key), opened.store.get(key)]);
    expect(outcomes.map((one) => one.status === "rejected" && one.reason)).toEqual([late, late]);
  });
});

test("an access key in the configuration is used, whatever role the machine has", async () => {
  const { accessKeyId, secretAccessKey, close } = await startS3().then(({ place, close }) => ({
    ...place,
    close,
  }));
  await close();
  await using opened = await open("instance", [hour], { accessKeyId, secretAccessKey });
  await put(opened.store, key, small);
  expect([opened.endpoints.tokens, new Set(opened.usedTokens)]).toEqual([[], new Set([null])]);
});
