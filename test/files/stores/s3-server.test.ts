/** The tests' server against the documentation of S3 and against Bun's own client. */
import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import { must } from "../../support/harness.ts";
import { bodyOf } from "../../support/stores/s3-body.ts";
import { startS3 } from "../../support/stores/s3-server.ts";
import { type Account, checkSignature } from "../../support/stores/s3-signature.ts";
import { bytesOf, MiB } from "../../support/stores/store-sources.ts";

const documented: Account = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const documentedDay = new Date("2013-05-24T00:00:00Z");
test("requests and presigned URLs include the session token", async () => {
  await using bucket = await withTemporaryKeys();
  const { store, place, tokens } = bucket;
  const key = "_probe/01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const { url, headers } = must(await store.signedPut(key, { type: "text/plain", expiresSeconds: 60 }));
  expect(new URL(url).searchParams.get("X-Amz-Security-Token")).toBe(place.sessionToken);
  expect((await fetch(url, { method: "PUT", headers, body: "hello" })).status).toBe(200);
  expect(await store.stat(key)).toMatchObject({ size: 5 });
  expect(tokens).toEqual([null, place.sessionToken]);
});

async function withTemporaryKeys() {
  const s3 = await startS3();
  const tokens: (string | null)[] = [];
  s3.fault("hang", ({ headers }) => {
    tokens.push(headers.get("x-amz-security-token"));
    return false;
  });
  const place = { ...s3.place, sessionToken: "a token/of+keys that end=" };
  return { store: s3Store(place), place, tokens, [Symbol.asyncDispose]: s3.close };
}

describe("the server, with the documented upload in signed chunks", () => {
  const chunk = (bytes: number, signature: string) =>
    `${bytes.toString(16)};chunk-signature=${signature}\r\n${"a".repeat(bytes)}\r\n`;
  const body = [
    chunk(65_536, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
    chunk(1024, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
    chunk(0, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
  ].join("");
  const requestWith = (text: string) =>
    new Request("http://s3.amazonaws.com/examplebucket/chunkObject.txt", {
      method: "PUT",
      body: text,
      headers: {
        ...{
          host: "s3.amazonaws.com",
          "x-amz-date": "20130524T000000Z",
          "x-amz-storage-class": "REDUCED_REDUNDANCY",
        },
        ...{
          "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
          "content-encoding": "aws-chunked",
        },
        ...{ "x-amz-decoded-content-length": "66560", "content-length": "66824" },
        authorization:
          "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request," +
          "SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class," +
          "Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
      },
    });
  const taken = async (text: string) => {
    const request = requestWith(text);
    return Buffer.concat(
      await Array.fromAsync(bodyOf(request, checkSignature(request, documented, documentedDay))),
    ).toString();
  };

  test("accepts it", async () => {
    expect(await taken(body)).toBe("a".repeat(66_560));
  });

  test("rejects it with one byte changed, or truncated", async () => {
    await expect(taken(body.replace("a\r\n400", "b\r\n400"))).rejects.toMatchObject({
      code: "SignatureDoesNotMatch",
    });
    await expect(taken(body.slice(0, -60))).rejects.toMatchObject({ code: "IncompleteBody" });
  });
});

describe("the server, with Bun's own client", () => {
  const clock = { now: new Date() };
  const started = startS3({ now: () => clock.now, public: true });
  const clientOf = async (more: Bun.S3Options = {}) =>
    new Bun.S3Client({ ...(await started).place, ...more });
  afterAll(async () => (await started).close());

  test("writes, reads, lists and deletes", async () => {
    const client = await clientOf();
    const bytes = bytesOf(13 * MiB);
    await client.write("a/ü b+c.txt", "hello", { type: "text/plain" });
    await client.write("a/large", new Response(new Blob([new Uint8Array(bytes)]).stream()));
    expect(await client.file("a/ü b+c.txt").text()).toBe("hello");
    expect(await client.stat("a/ü b+c.txt")).toMatchObject({
      size: 5,
      etag: `"${createHash("md5").update("hello").digest("hex")}"`,
    });
    expect(Buffer.from(await client.file("a/large").bytes()).equals(bytes)).toBe(true);
    const part = client.file("a/large").slice(9 * MiB, 9 * MiB + 5);
    expect(Buffer.from(await part.bytes()).equals(bytes.subarray(9 * MiB, 9 * MiB + 5))).toBe(true);
    const page = await client.list({ prefix: "a/", maxKeys: 1 });
    expect([page.contents?.map(({ key }) => key), page.isTruncated]).toEqual([["a/large"], true]);
    const next = await client.list({ prefix: "a/", startAfter: "a/large" });
    expect([next.contents?.map(({ key }) => key), next.isTruncated]).toEqual([["a/ü b+c.txt"], false]);
    await client.delete("a/large");
    expect(await client.exists("a/large")).toBe(false);
    expect((await started).unfinished()).toBe(0);
  });

  test("rejects a wrong secret, an unknown key, another region and another bucket", async () => {
    const codeWith = (more: Bun.S3Options) =>
      clientOf(more).then((client) => client.write("x", "x").catch(({ code }) => code));
    expect(await codeWith({ secretAccessKey: "another" })).toBe("SignatureDoesNotMatch");
    expect(await codeWith({ accessKeyId: "another" })).toBe("InvalidAccessKeyId");
    expect(await codeWith({ region: "another" })).toBe("AuthorizationHeaderMalformed");
    expect(await codeWith({ bucket: "another" })).toBe("NoSuchBucket");
  });

  test("rejects a changed, an expired and an unsigned URL", async () => {
    const client = await clientOf();
    await client.write("signed", "hello");
    const address = client.presign("signed", { expiresIn: 60 });
    const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
    expect(await status(address)).toBe(200);
    expect(await status(address.replace("signed", "other"))).toBe(403);
    expect(await status(address.replace("X-Amz-Expires=60", "X-Amz-Expires=61"))).toBe(403);
    expect(await status(address, { method: "DELETE" })).toBe(403);
    expect(await status(address, { headers: { "x-amz-acl": "public-read" } })).toBe(403);
    const put = client.presign("signed-put", { method: "PUT", expiresIn: 60 });
    expect(await status(put, { method: "PUT", body: "hello" })).toBe(200);
    clock.now = new Date(Date.now() + 61_000);
    expect(await status(address)).toBe(403);
    expect(await status(put.split("?")[0] as string, { method: "PUT", body: "hello" })).toBe(403);
    clock.now = new Date(Date.now() + 3_600_000);
    await expect(client.write("late", "hello")).rejects.toMatchObject({ code: "RequestTimeTooSkewed" });
    clock.now = new Date();
  });
});
