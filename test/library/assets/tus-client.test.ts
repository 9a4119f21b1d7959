/** tus-js-client, which is not ours, uploads to a running server: in one go, in chunks, and after a cut. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Upload, type UploadOptions } from "tus-js-client";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import { sha256 } from "../../support/assets/upload-fields.ts";
import { places } from "../../support/library.ts";
import { bytesOf, MiB } from "../../support/stores/store-sources.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

const bytes = bytesOf(9 * MiB + 7);

describe.each(places)("tus-js-client uploads to a %s", (place) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer("sqlite", place);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const reserve = () =>
    server.api<PresignResponse>("POST", "/assets/presign", { project: "atlas", filename: "clip.bin" });
  const finalize = async ({ id, finalize_body }: PresignResponse) =>
    (await server.api<{ sha256: string }>("POST", `/assets/${id}/finalize`, finalize_body)).sha256;
  /** Resolves when the upload is complete, or `stop` says so. */
  const upload = (options: UploadOptions, stop = (_sent: number) => false) =>
    new Promise<Upload>((resolve, reject) => {
      const client = new Upload(bytes, {
        ...options,
        onError: reject,
        onSuccess: () => resolve(client),
        onProgress(sent) {
          if (stop(sent)) client.abort().then(() => resolve(client), reject);
        },
      });
      client.start();
    });

  test.each([
    ["in one request", {}],
    ["in chunks", { chunkSize: 2 * MiB }],
    ["with the creation", { uploadDataDuringCreation: true, chunkSize: 4 * MiB }],
    ["with the methods that every proxy passes", { overridePatchMethod: true }],
  ])("%s", async (_, options) => {
    const reserved = await reserve();
    await upload({ endpoint: reserved.resumable_url, ...options });
    expect(await finalize(reserved)).toBe(sha256(bytes));
  });

  test("and hears that it cannot send parts in parallel", async () => {
    const { resumable_url } = await reserve();
    const failed = upload({ endpoint: resumable_url, parallelUploads: 3 });
    await expect(failed).rejects.toThrow(/response code: 400.*Upload-Concat is not supported/);
    await expect(upload({ endpoint: resumable_url })).resolves.toBeDefined();
  });

  test("and resumes an upload that was cut", async () => {
    const reserved = await reserve();
    const first = await upload(
      { endpoint: reserved.resumable_url, chunkSize: 2 * MiB },
      (sent) => sent > 3 * MiB,
    );
    let offset = 0;
    await upload({
      uploadUrl: first.url,
      onAfterResponse(request, response) {
        if (request.getMethod() === "HEAD") offset = Number(response.getHeader("Upload-Offset"));
      },
    });
    expect(offset).toBeGreaterThanOrEqual(2 * MiB);
    expect(await finalize(reserved)).toBe(sha256(bytes));
  });

  test("and terminates an upload", async () => {
    const reserved = await reserve();
    const first = await upload({ endpoint: reserved.resumable_url, chunkSize: MiB }, (sent) => sent > MiB);
    await first.abort(true);
    const { status } = await fetch(reserved.resumable_url, {
      method: "HEAD",
      headers: { "tus-resumable": "1.0.0" },
    });
    expect(status).toBe(404);
  });
});
