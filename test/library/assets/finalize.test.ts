/** What may be finalized, and the upload URLs of the service itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openProbe } from "../../../src/files/probe/probe.ts";
import { zip } from "../../support/assets/media.ts";
import { command } from "../../support/assets/test-probe.ts";
import { sha256 } from "../../support/assets/upload-fields.ts";
import { openUploadLibrary } from "../../support/assets/upload-library.ts";
import { must } from "../../support/harness.ts";
import { combinations, type Library, openLibrary, pathOf } from "../../support/library.ts";

describe.each(combinations)("an upload to $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openUploadLibrary(dialect, place);
  });
  afterAll(() => library.close());
  describe("with a reservation", () => {
    test("is a 400, 404 or 415 if it is invalid", async () => {
      const sent = (json: unknown) => library.say("/assets", { json });
      const good = { presign: true, project: "atlas", filename: "a.png" };
      const bad: [number, unknown][] = [
        ...[
          { presign: false },
          { presign: undefined },
          { filename: undefined },
          { filename: "" },
          { filename: "x".repeat(256) },
        ].map((change): [number, unknown] => [400, { ...good, ...change }]),
        ...[
          { filename: 7 },
          { project: undefined },
          { project: "X" },
          { issue: "1" },
          { issue: 1.5 },
          { tags: "a,b" },
          { by: "x" },
        ].map((change): [number, unknown] => [400, { ...good, ...change }]),
        ...["image", "a/b/c", "image/png\r\nx: y", "é/x", ""].map((content_type): [number, unknown] => [
          400,
          { ...good, content_type },
        ]),
        [404, { ...good, project: "nowhere" }],
        [404, { ...good, replaces: "01KJMMA2G04TRJQTGZ9SY6NSVZ" }],
        ...[[], null, "x", 7].map((body): [number, unknown] => [400, body]),
      ];
      for (const [status, json] of bad) expect([json, (await sent(json)).status]).toEqual([json, status]);
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
        expect((await library.say("/assets", { json: good, headers: { "content-type": type } })).status).toBe(
          415,
        );
    });

    test("can be finalized with its own key and project only", async () => {
      const [one, other] = [(await library.presign({})).body, (await library.presign({})).body];
      for (const reserved of [one, other]) await library.put(reserved, `of ${reserved.id}`);
      const keys = [
        ...[
          other.key,
          other.key.replace(other.id, one.id).replace("note", "else"),
          `_pending/${one.id}`,
          `borealis/${one.id}/note.txt`,
        ],
        ...[
          `atlas/${one.id}/../${other.id}/note.txt`,
          `atlas/${one.id}/%6eote.txt`,
          one.key.toLowerCase(),
          one.upload_url,
          `/${one.key}`,
        ],
      ];
      for (const key of keys)
        expect([key, (await library.finalize(one, { key })).status]).toEqual([key, 400]);
      for (const change of [
        { key: undefined },
        { key: "" },
        { key: 7 },
        { project: "borealis" },
        { project: undefined },
        { issue: 0 },
      ])
        expect([change, (await library.finalize(one, change)).status]).toEqual([change, 400]);
      expect((await library.finalize({ ...one, id: other.id })).status).toBe(400);
      expect((await library.finalize({ ...one, id: "01KJMMA2G04TRJQTGZ9SY6NSVZ" })).status).toBe(404);
      for (const reserved of [one, other]) {
        const { status, body } = await library.finalize(reserved);
        expect([status, await (await library.fetch(body.url)).text()]).toEqual([201, `of ${reserved.id}`]);
      }
      expect((await library.finalize(one)).status).toBe(409);
    });

    test("of a bundle is finalized once there is time to check it", async () => {
      const reserved = (await library.presign({ filename: "site.zip" })).body;
      await library.put(reserved, Buffer.from(zip([{ name: "index.html" }])));
      const { probe } = library.ctx;
      const busy = openProbe({ command, log() {}, limits: { childMs: 1 } });
      library.ctx.probe = busy;
      const { status, headers } = await library.finalize(reserved);
      library.ctx.probe = probe;
      expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
      const { body } = await library.finalize(reserved);
      expect([body.kind, body.bundle_url !== null]).toEqual(["html", true]);
    });
  });
});

describe("an upload URL of the service itself", () => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk", { SVC_MAX_UPLOAD_BYTES: "1000" });
  });
  afterAll(() => library.close());

  test("accepts one file", async () => {
    const reserved = (await library.presign({})).body;
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => library.put(reserved, `bytes of ${index}`)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409, 409]);
    expect((await library.put(reserved, "more")).status).toBe(409);
    const first = answers.findIndex(({ status }) => status === 200);
    expect(await must(answers[first]).json()).toEqual({ size: 10, sha256: sha256(`bytes of ${first}`) });
    expect((await library.finalize(reserved)).body.sha256).toBe(sha256(`bytes of ${first}`));
  });

  test("stores the file at its final key, where it is found even if the server died before it said so", async () => {
    const [recorded, unrecorded] = [(await library.presign({})).body, (await library.presign({})).body];
    await library.put(recorded, "bytes");
    expect(await library.keys()).toContain(recorded.key);
    const options = { type: "text/plain", maxBytes: 9 };
    await library.store.put(unrecorded.key, new Blob(["bytes"]).stream(), options);
    for (const reserved of [recorded, unrecorded]) {
      expect((await library.put(reserved, "others")).status).toBe(409);
      if (reserved === unrecorded) expect((await library.put(reserved, "bytes")).status).toBe(200);
      expect((await library.put(reserved, "bytes")).status).toBe(409);
      const { status, body } = await library.finalize(reserved);
      expect([status, body.size, body.sha256]).toEqual([201, 5, sha256("bytes")]);
      expect((await library.put(reserved, "others")).status).toBe(404);
      expect(await (await library.fetch(body.url)).text()).toBe("bytes");
    }
  });

  test("accepts an empty file, and finalizes none that is gone by then", async () => {
    const [empty, gone] = [(await library.presign({})).body, (await library.presign({})).body];
    for (const reserved of [empty, gone]) expect((await library.put(reserved, "")).status).toBe(200);
    expect((await library.finalize(empty)).body).toMatchObject({ size: 0, sha256: sha256("") });
    await library.store.delete(gone.key);
    expect((await library.finalize(gone)).status).toBe(404);
  });

  test("is valid for its own id, its own purpose, PUT, and tus only", async () => {
    const [one, other] = [(await library.presign({})).body, (await library.presign({})).body];
    const path = pathOf(one.upload_url);
    const [, seal = ""] = /\/([^/]+)$/.exec(path) ?? [];
    const [expires = "", signature = ""] = seal.split(/-(.*)/s);
    const flipped = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    const forgeries = [
      ...[
        path.replace(one.id, other.id),
        path.replace("/upload/", "/view/"),
        path.replace(seal, ""),
        path.slice(0, -1),
        `${path}A`,
      ],
      ...[
        path.replace(signature, flipped),
        path.replace(expires, `${Number(expires) + 1}`),
        `${path}?x=1`,
        path.replace(expires, `0${expires}`),
      ],
    ];
    for (const forged of forgeries) {
      const { status } = await library.ask(forged, {
        method: "PUT",
        body: "x",
        headers: { "content-type": "text/plain" },
      });
      expect([forged, [403, 404, 405].includes(status)]).toEqual([forged, true]);
    }
    for (const [method, expected] of [
      ...[["GET", 405] as const, ["POST", 412] as const],
      ...[["DELETE", 412] as const, ["PATCH", 412] as const], // without the headers of tus
    ])
      expect([
        method,
        (await library.ask(path, { method, body: method === "GET" ? null : "x" })).status,
      ]).toEqual([method, expected]);
    expect(await library.keys()).not.toContain(`_pending/${one.id}`);
    expect((await library.put(one, "x")).status).toBe(200);
  });

  test("rejects a file that is too large or not of the announced size, and accepts the right one afterwards", async () => {
    const reserved = (await library.presign({})).body;
    const chunked = (size: number) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from("x".repeat(size)));
          controller.close();
        },
      });
    expect((await library.put(reserved, "x".repeat(1001))).status).toBe(413);
    expect((await library.put(reserved, chunked(1001))).status).toBe(413);
    for (const length of ["3", "5"])
      expect((await library.put(reserved, chunked(4), { "content-length": length })).status).toBe(400);
    expect(await library.keys()).not.toContain(`_pending/${reserved.id}`);
    expect((await library.put(reserved, "x".repeat(1000))).status).toBe(200);
  });
});
