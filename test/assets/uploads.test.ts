/**
 * The three ways to an asset, on every database with every kind of store: a form, a reservation, and what was
 * put there.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { secondMicros } from "../../src/lib/time.ts";
import { link, must, until } from "../support/harness.ts";
import {
  assetScopes,
  combinations,
  file,
  type Library,
  openLibrary,
  pathOf,
  type Said,
} from "../support/library.ts";
import { jpeg, mp4, orientation, pdf, png, wav, withSegment, zip } from "../support/media.ts";

const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const isUlid = expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

/** Every field that a client may say, as a form has it, and as the asset then has it. */
const said = {
  ...{
    project: "atlas",
    issue: "12",
    pr: "34",
    title: "Landing page, draft 3",
    description: "With the new map.\nAnd a footer.",
  },
  ...{ tags: "hero, draft ,, Zoë", by: "agent:codex" },
};
const kept = {
  ...{
    project: "atlas",
    issue: 12,
    pr: 34,
    title: "Landing page, draft 3",
    description: "With the new map.\nAnd a footer.",
  },
  ...{ tags: ["hero", "draft", "Zoë"], created_by: "agent:codex" },
};
/** What an asset has before anybody looked at it. */
const fresh = {
  ...{
    version: 1,
    status: "pending",
    parent_id: null,
    reviewed_by: null,
    reviewed_at: null,
    review_note: null,
  },
  ...{ public_url: null, expires_at: null },
};
const bare = { issue: null, pr: null, description: null, tags: [], created_by: "token:tester" };
const ofText = {
  kind: "file",
  mime: "text/plain",
  width: null,
  height: null,
  duration_ms: null,
  thumb_url: null,
  bundle_url: null,
};

describe.each(combinations)("an upload to $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, {
      SVC_MAX_UPLOAD_BYTES: "100000",
      SVC_UPLOAD_TTL: "600",
      SVC_GITHUB_TOKEN: "a token",
    });
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());

  /** Nothing that the calls within refuse may be kept: no row, no event, no byte. */
  async function leavingNothing(work: () => Promise<void>): Promise<void> {
    const before = await state();
    await work();
    await until(async () => (await state()) === before, "everything is as it was");
  }
  /** What was uploaded to an asset goes while its answer is already here. */
  const keys = async () => {
    const all = await library.keys();
    const pending = all.filter((key) => key.startsWith("_pending/"));
    const done = await Promise.all(
      pending.map((key) => library.ctx.data.asset(null, key.slice("_pending/".length))),
    );
    return all.filter((key) => !done[pending.indexOf(key)]);
  };
  const state = async () =>
    JSON.stringify([(await library.say("/assets?limit=200")).body, await library.events(), await keys()]);

  describe("as a form", () => {
    const fields = Object.entries(said);
    test("ignores fields that it does not know, repeated ones too", async () => {
      const unknown: [string, string][] = [
        ["size", "1"],
        ["size", "2"],
        ["", "3"],
      ];
      expect(
        (await library.upload([["project", "atlas"], ...unknown, ["file", file()]], undefined)).status,
      ).toBe(201);
    });
    test("accepts repeated tags fields, which many clients send for a list", async () => {
      const form: [string, string | File][] = [
        ["tags", "hero, draft"],
        ["project", "atlas"],
        ["file", file()],
        ["tags", "Zoë"],
        ["tags", ""],
      ];
      expect(await library.upload(form, undefined)).toMatchObject({
        status: 201,
        body: { tags: ["hero", "draft", "Zoë"] },
      });
      const many = Array.from({ length: 33 }, (_, tag): [string, string] => ["tags", String(tag)]);
      expect(
        (await library.upload([["project", "atlas"], ...many, ["file", file()]], undefined)).status,
      ).toBe(400);
    });

    test.each([
      ["before", [...fields, ["file", file()]]],
      ["behind", [["file", file()], ...fields]],
      ["around", [...fields.slice(3), ["file", file()], ...fields.slice(0, 3)]],
    ] as [string, [string, string | File][]][])(
      "keeps every field that stands %s its file, and tells the feed",
      async (_, form) => {
        const { status, body } = await library.upload(form, undefined);
        expect<unknown>([status, body]).toEqual([
          201,
          {
            ...{
              id: isUlid,
              created_at: expect.any(String),
              size: 10,
              sha256: sha256("some words"),
              ...kept,
              ...fresh,
              ...ofText,
            },
            url: expect.stringMatching(
              new RegExp(`^http://svc.test/api/assets/view/${body.id}/[^/]+/note.txt$`),
            ),
          },
        ]);
        expect(await (await library.fetch(body.url)).text()).toBe("some words");
        expect(must((await library.events()).at(-1))).toMatchObject({
          ...{
            kind: "asset.uploaded",
            actor: "agent:codex",
            summary: "Uploaded Landing page, draft 3, version 1",
          },
          ...{ project: "atlas", issue: 12, pr: 34 },
        });
        expect((await library.say(`/assets/${body.id}`)).body).toMatchObject(body);
      },
    );

    test("takes missing fields from the file and the token", async () => {
      const { status, body } = await library.upload({ project: "atlas" }, file("Réport final.txt"));
      expect<unknown>([status, body]).toMatchObject([
        201,
        { ...bare, ...fresh, ...ofText, title: "Réport final.txt" },
      ]);
      expect(must((await library.events()).at(-1))).toMatchObject({ actor: "bot:tester" });
    });

    test("of zero bytes is an empty file", async () => {
      const { status, body } = await library.upload({ project: "atlas" }, file("empty.png", ""));
      expect<unknown>([status, body]).toMatchObject([
        201,
        { kind: "file", mime: "application/octet-stream", size: 0, sha256: sha256("") },
      ]);
      const response = await library.fetch(body.url);
      expect([response.status, await response.text()]).toEqual([200, ""]);
    });

    test.each(["human:zoe", "bot:dependabot[bot]", "runner:7", "agent:codex", "token:tester"])(
      "is by %s where it says so",
      async (by) => {
        const { status, body } = await library.upload({ project: "atlas", by });
        expect([status, body.created_by]).toEqual([201, by]);
      },
    );

    test("of the maximum size is accepted, of one byte more is a 413", async () => {
      expect((await library.upload({ project: "atlas" }, file("a", "x".repeat(100_000)))).status).toBe(201);
      await leavingNothing(async () => {
        const { status, body } = await library.upload({ project: "atlas" }, file("a", "x".repeat(100_001)));
        expect([status, body.detail]).toEqual([
          413,
          "The file is larger than the 100000 bytes allowed here.",
        ]);
      });
    });

    const refusals: [number, string, Said][] = [
      [400, "without a project", {}],
      [404, "to a project that is not there", { project: "nowhere" }],
      [400, "to what is no project", { project: "No Project" }],

      [
        400,
        "of two files",
        [
          ["project", "atlas"],
          ["file", file()],
        ],
      ],
      [
        400,
        "to two projects",
        [
          ["project", "atlas"],
          ["project", "atlas"],
        ],
      ],
      ...["0", "-1", "1.5", "1e3", "2147483648", "9".repeat(30), "x", ""].map(
        (issue) =>
          [400, `for the issue ${JSON.stringify(issue)}`, { project: "atlas", issue }] as [
            number,
            string,
            Said,
          ],
      ),
      [400, "for the pull request 0", { project: "atlas", pr: "0" }],
      [400, "without a title's letter", { project: "atlas", title: "" }],
      [400, "with a title of 201 bytes", { project: "atlas", title: `${"é".repeat(100)}x` }],
      [400, "with a control character in the title", { project: "atlas", title: "a\u0007b" }],
      [400, "with a line break in the title", { project: "atlas", title: "a\nb" }],
      [400, "with NUL in the description", { project: "atlas", description: "a\0b" }],
      [400, "with a description of 16385 bytes", { project: "atlas", description: "x".repeat(16_385) }],
      [400, "with a field of 64 KiB and a byte", { project: "atlas", description: "x".repeat(65_537) }],
      [400, "with 33 tags", { project: "atlas", tags: Array.from({ length: 33 }, (_, tag) => tag).join() }],
      [400, "with a tag of 65 bytes", { project: "atlas", tags: "x".repeat(65) }],
      [400, "by nobody", { project: "atlas", by: "nobody" }],
      [400, "by another token", { project: "atlas", by: "token:other" }],
      [400, "by a name of 129 bytes", { project: "atlas", by: `human:${"x".repeat(129)}` }],
      [404, "that replaces what is not there", { project: "atlas", replaces: "01KJMMA2G04TRJQTGZ9SY6NSVZ" }],
    ];
    test.each(refusals)("is a %d %s, and leaves nothing", async (expected, _, form) => {
      await leavingNothing(async () => {
        const { status, body } = await library.upload(form);
        expect([status, body.detail]).toEqual([expected, expect.any(String)]);
        const behind = Array.isArray(form) ? form : Object.entries(form);
        expect((await library.upload([["file", file()], ...behind], undefined)).status).toBe(expected);
      });
    });

    test("without a file, or with a field for one, is a 400", async () => {
      for (const form of [{ project: "atlas" }, { project: "atlas", file: "words" }])
        expect((await library.upload(form, undefined)).status).toBe(400);
    });

    test("accepts the longest value of every field", async () => {
      const most = {
        ...{ title: "é".repeat(100), description: "x".repeat(16_384), issue: "2147483647", pr: "1" },
        tags: Array.from({ length: 32 }, (_, tag) => `${tag}`.padStart(64, "x")).join(),
      };
      expect((await library.upload({ project: "atlas", ...most })).body).toMatchObject({
        ...{ ...most, issue: 2147483647, pr: 1, tags: most.tags.split(",") },
      });
    });

    test("cannot set fields that the server sets", async () => {
      const sent = {
        project: "atlas",
        status: "approved",
        id: "x",
        created_by: "human:root",
        key: "x",
        version: "9",
        __proto__: "x",
      };
      expect((await library.upload(sent)).body).toMatchObject({ ...bare, ...fresh, title: "note.txt" });
    });
  });

  describe("with a reservation", () => {
    test("returns an id, a key, an upload URL with its headers, and the body of the finalize request", async () => {
      const metadata = { issue: 12, title: "A page", tags: ["hero"], by: "agent:codex", project: "atlas" };
      const { status, body } = await library.presign({ ...metadata, filename: "../Zoë's page.PNG" });
      expect<unknown>([status, body]).toEqual([
        201,
        {
          ...{
            id: isUlid,
            key: `atlas/${body.id}/Zoe-s-page.PNG`,
            method: "PUT",
            headers: { "content-type": "image/png" },
          },
          expires_at: expect.any(String),
          upload_url: expect.stringMatching(
            place === "disk"
              ? new RegExp(`^http://svc.test/api/assets/upload/${body.id}/[^/?]+$`)
              : /[?&]X-Amz-Signature=/,
          ),
          finalize_url: `http://svc.test/api/v1/assets/${body.id}/finalize`,
          finalize_body: { ...metadata, key: body.key },
        },
      ]);
      expect((Date.parse(must(body.expires_at)) - library.clock.now() / 1000) / 1000).toBeCloseTo(600, 2);
      expect((await library.say(`/assets/${body.id}`)).status).toBe(404);
    });

    test.each([
      ["page.html", "text/html"],
      ["clip.MP4", "video/mp4"],
      ["no extension", "application/octet-stream"],
    ])("of %s is sent as %s", async (filename, type) => {
      expect((await library.presign({ filename })).body.headers).toEqual({ "content-type": type });
      expect((await library.presign({ filename, content_type: "x/y; a=b" })).body.headers).toEqual({
        "content-type": "x/y; a=b",
      });
    });

    test("becomes the reserved asset, with the fields of the finalize request", async () => {
      const reserved = (await library.presign({ title: "Before", issue: 1, filename: "plan.md" })).body;
      expect((await library.put(reserved, "# A plan")).status).toBe(200);
      const { status, body } = await library.finalize(reserved, {
        title: "After",
        pr: 7,
        description: "x",
        tags: ["a"],
        by: "runner:1",
      });
      expect<unknown>([status, body]).toMatchObject([
        201,
        {
          ...{
            id: reserved.id,
            title: "After",
            issue: 1,
            pr: 7,
            description: "x",
            tags: ["a"],
            created_by: "runner:1",
            ...fresh,
          },
          ...{ size: 8, sha256: sha256("# A plan") },
        },
      ]);
      expect(await (await library.fetch(body.url)).text()).toBe("# A plan");
      expect(must((await library.events()).at(-1))).toMatchObject({
        kind: "asset.uploaded",
        actor: "runner:1",
        issue: 1,
        pr: 7,
      });
      await until(
        async () => !(await library.keys()).includes(`_pending/${reserved.id}`),
        "the uploaded bytes are taken over",
      );
    });

    test("takes its title from the file name by default", async () => {
      const reserved = (await library.presign({ filename: "Zoë's plan.md" })).body;
      await library.put(reserved, "# A plan");
      expect((await library.finalize(reserved)).body.title).toBe("Zoë's plan.md");
    });

    test("accepts only its own content type", async () => {
      const reserved = (await library.presign({ filename: "a.png" })).body;
      for (const type of ["text/html", "image/png; charset=x", ""]) {
        const { status } = await library.put(reserved, "x", { "content-type": type });
        expect([type, status]).toEqual([type, place === "disk" ? 415 : 403]);
      }
      expect((await library.finalize(reserved)).status).toBe(404);
      expect((await library.put(reserved, "x")).status).toBe(200);
    });

    test("accepts no file after it expires; an uploaded file can still be finalized", async () => {
      const [early, late] = [(await library.presign({})).body, (await library.presign({})).body];
      expect((await library.put(early, "in time")).status).toBe(200);
      library.clock.advance(600 * secondMicros + secondMicros);
      if (place === "disk" || library.s3) expect((await library.put(late, "too late")).status).toBe(403);
      expect((await library.finalize(late)).status).toBe(404);
      expect((await library.finalize(early)).status).toBe(201);
    });

    test("cannot be overwritten once it is an asset", async () => {
      const reserved = (await library.presign({})).body;
      await library.put(reserved, "what was looked at");
      const { body } = await library.finalize(reserved);
      const again = (await library.put(reserved, "something else")).status;
      if (place === "disk") expect([404, 409]).toContain(again);
      expect((await library.finalize(reserved)).status).toBe(409);
      await library.review(reserved.id, { decision: "approved", sha256: body.sha256 });
      await library.put(reserved, "something else");
      expect((await library.finalize(reserved)).status).toBe(409);
      const published = (await library.publish(reserved.id)).body;
      for (const url of [body.url, published.url, published.public_url])
        expect(await (await library.fetch(url)).text()).toBe("what was looked at");
    });

    test("of a file that is too large is a 413, when it is finalized at the latest", async () => {
      const reserved = (await library.presign({})).body;
      const { status } = await library.put(reserved, "x".repeat(100_001));
      if (place === "disk") expect(status).toBe(413);
      expect((await library.finalize(reserved)).status).toBe(place === "disk" ? 404 : 413);
      expect((await library.say(`/assets/${reserved.id}`)).status).toBe(404);
      await until(
        async () => !(await library.keys()).some((key) => key.startsWith(`atlas/${reserved.id}`)),
        "its copy is gone",
      );
    });

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

    test("keeps its file if it replaces an old version, so that it can be finalized differently", async () => {
      const first = (await library.upload({ project: "atlas", title: "First" })).body;
      const reserved = (await library.presign({ replaces: first.id })).body;
      await library.put(reserved, "mine");
      const second = (await library.upload({ project: "atlas", replaces: first.id })).body;
      expect((await library.finalize(reserved)).status).toBe(409);
      expect((await library.finalize(reserved, { replaces: second.id })).body).toMatchObject({
        version: 3,
        title: "First",
      });
    });
  });

  describe("of a file of a kind", () => {
    const html = "<!doctype html><title>x</title>";
    test.each([
      [
        "a.png",
        () => png(64, 48),
        { kind: "image", mime: "image/png", width: 64, height: 48, duration_ms: null },
        true,
      ],
      [
        "a.jpg",
        async () => withSegment(await jpeg(64, 48), orientation(6)),
        { kind: "image", mime: "image/jpeg", width: 48, height: 64 },
        true,
      ],
      [
        "a.wav",
        () => wav(1),
        { kind: "audio", mime: "audio/wav", width: null, height: null, duration_ms: 1000 },
        false,
      ],
      [
        "a.mp4",
        () => mp4(),
        { kind: "video", mime: "video/mp4", width: 64, height: 48, duration_ms: 1000 },
        Bun.which("ffmpeg") !== null,
      ],
      [
        "a.pdf",
        () => pdf(),
        { kind: "pdf", mime: "application/pdf", width: null },
        Bun.which("pdftoppm") !== null,
      ],
      ["a.txt", () => Buffer.from(html), { kind: "html", mime: "text/html" }, false],
      ["a.html", () => png(8, 8), { kind: "image", mime: "image/png" }, true],
    ] as const)("named %s knows it by its bytes", async (name, make, seen, hasThumb) => {
      const { status, body } = await library.upload(
        { project: "atlas" },
        file(name, Buffer.from(await make())),
      );
      expect<unknown>([status, body]).toMatchObject([201, seen]);
      expect(body.thumb_url !== null).toBe(hasThumb);
      if (!hasThumb) return;
      const thumb = await library.fetch(body.thumb_url);
      expect([thumb.status, thumb.headers.get("content-type")]).toEqual([200, "image/webp"]);
      expect((await new Bun.Image(await thumb.arrayBuffer()).metadata()).width).toBeGreaterThan(0);
    });

    test("zip of pages is a bundle, and a zip of anything else a file", async () => {
      const pages = zip([
        { name: "index.html", data: html },
        { name: "css/a.css", data: "b{}" },
      ]);
      const bundle = (await library.upload({ project: "atlas" }, file("site.zip", Buffer.from(pages)))).body;
      expect(bundle).toMatchObject({ kind: "html", mime: "application/zip", title: "site.zip" });
      expect(await (await library.fetch(bundle.bundle_url)).text()).toBe(html);
      expect(await (await library.fetch(bundle.bundle_url?.replace("index.html", "css/a.css"))).text()).toBe(
        "b{}",
      );
      const other = (
        await library.upload(
          { project: "atlas" },
          file("a.zip", Buffer.from(zip([{ name: "a.txt", data: "x" }]))),
        )
      ).body;
      expect(other).toMatchObject({ kind: "file", bundle_url: null });
    });

    test("bundle with a path outside of its folder is a 400, and leaves nothing", async () => {
      const bad = Buffer.from(
        zip([
          { name: "index.html", data: html },
          { name: "../../escape.html", data: html },
        ]),
      );
      await leavingNothing(async () => {
        expect((await library.upload({ project: "atlas" }, file("site.zip", bad))).status).toBe(400);
      });
      const reserved = (await library.presign({})).body;
      await library.put(reserved, bad);
      expect((await library.finalize(reserved)).status).toBe(400);
      expect((await library.say(`/assets/${reserved.id}`)).status).toBe(404);
    });
  });

  describe("needs a token", () => {
    const calls: [string, string, RequestInit & { json?: unknown }][] = [
      ["assets:write", "/assets", { json: { presign: true, project: "atlas", filename: "a" } }],
      [
        "assets:write",
        "/assets",
        { method: "POST", headers: { "content-type": "multipart/form-data; boundary=x" }, body: "--x--" },
      ],
      ["assets:write", "/assets/x/finalize", { json: {} }],
      ["assets:write", "/assets/x/publish", { method: "POST" }],
      ["assets:review", "/assets/x/review", { method: "PUT", json: {} }],
      ["assets:read", "/assets", {}],
      ["assets:read", "/assets/x", {}],
    ];
    test.each(calls)("with the scope %s for %s", async (scope, path, init) => {
      const others = await library.mint(assetScopes.filter((one) => one !== scope));
      const none = await library.say(path, { ...init, token: "" });
      const unknown = await library.say(path, { ...init, token: "svc_no" });
      const lacking = await library.say(path, { ...init, token: others });
      expect([none.status, unknown.status, lacking.status]).toEqual([401, 401, 403]);
      for (const { headers } of [none, unknown, lacking]) {
        expect(headers.get("www-authenticate")).toContain(`scope="${scope}"`);
        expect(headers.get("www-authenticate")).toContain("resource_metadata=");
      }
    });

    test("before its body is read", async () => {
      let pulled = 0;
      const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 });
      const headers = { "content-type": "multipart/form-data; boundary=x" };
      const token = await library.mint(["assets:read"]);
      expect((await library.say("/assets", { method: "POST", headers, body, token })).status).toBe(403);
      expect(pulled).toBe(0);
    });

    test("with access to the project; otherwise it is a 404", async () => {
      const token = await library.mint(assetScopes, { projects: ["borealis"] });
      const asset = (await library.upload({ project: "atlas" })).body;
      const reserved = (await library.presign({})).body;
      await library.put(reserved, "x");
      const limited = async (path: string, init: RequestInit & { json?: unknown }) =>
        (await library.say(path, { ...init, token })).status;
      const form = new FormData();
      form.append("project", "atlas");
      form.append("file", file());
      await leavingNothing(async () => {
        expect(await limited("/assets", { method: "POST", body: form })).toBe(404);
        expect(await limited("/assets", { json: { presign: true, project: "atlas", filename: "a" } })).toBe(
          404,
        );
        expect(
          await limited("/assets", {
            json: { presign: true, project: "borealis", filename: "a", replaces: asset.id },
          }),
        ).toBe(404);
        expect(await limited(`/assets/${reserved.id}/finalize`, { json: reserved.finalize_body })).toBe(404);
        expect(await limited(`/assets/${asset.id}`, {})).toBe(404);
        expect(
          await limited(`/assets/${asset.id}/review`, { method: "PUT", json: { decision: "approved" } }),
        ).toBe(404);
        expect(await limited(`/assets/${asset.id}/publish`, { method: "POST" })).toBe(404);
        expect((await library.say("/assets", { token })).body).toEqual({
          assets: [],
          count: 0,
          next_cursor: null,
        } as never);
      });
      expect((await library.finalize(reserved)).status).toBe(201);
      expect(await limited(`/assets/${reserved.id}/finalize`, { json: reserved.finalize_body })).toBe(404);
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

  test("is valid for its own id, its own purpose and PUT only", async () => {
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
    for (const method of ["GET", "POST", "DELETE", "PATCH"])
      expect([
        method,
        (await library.ask(path, { method, body: method === "GET" ? null : "x" })).status,
      ]).toEqual([method, 405]);
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
