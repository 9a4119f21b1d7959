/** Uploads as a form, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fresh, isUlid, sha256 } from "../../support/assets/upload-fields.ts";
import { leavingNothing, openUploadLibrary } from "../../support/assets/upload-library.ts";
import { must } from "../../support/harness.ts";
import { deployments, file, type Library } from "../../support/library.ts";

/** Every field that a client may say, as a form has it, and as the asset then has it. */
const input = {
  ...{
    project: "atlas",
    issue: "12",
    pr: "34",
    title: "Landing page, draft 3",
    description: "With the new map.\nAnd a footer.",
  },
  ...{ tags: "hero, draft ,, Zoë", by: "agent:codex" },
};
const remaining = {
  ...{
    project: "atlas",
    issue: 12,
    pr: 34,
    title: "Landing page, draft 3",
    description: "With the new map.\nAnd a footer.",
  },
  ...{ tags: ["hero", "draft", "Zoë"], created_by: "agent:codex" },
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

describe.each(deployments)("an upload to $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openUploadLibrary(dialect, place);
  });
  afterAll(() => library.close());

  describe("as a form", () => {
    const fields = Object.entries(input);
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
              task: null,
              ...remaining,
              ...fresh,
              repeats: null,
              ...ofText,
            },
            url: expect.stringMatching(
              new RegExp(`^http://svc.test/api/assets/view/${body.id}/[^/]+/note.txt$`),
            ),
            review_url: `http://svc.test/assets/${body.id}`,
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
          url: `http://svc.test/assets/${body.id}`,
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
      await leavingNothing(library, async () => {
        const { status, body } = await library.upload({ project: "atlas" }, file("a", "x".repeat(100_001)));
        expect([status, body.detail]).toEqual([
          413,
          "The file is larger than the 100000 bytes allowed here.",
        ]);
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
});
