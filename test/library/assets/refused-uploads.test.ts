/** Uploads that are refused for their fields or their token, and leave nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { leavingNothing, openUploadLibrary } from "../../support/assets/upload-library.ts";
import { until } from "../../support/harness.ts";
import { assetScopes, deployments, file, type Library, type UploadFields } from "../../support/library.ts";

describe.each(deployments)("an upload to $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openUploadLibrary(dialect, place);
  });
  afterAll(() => library.close());

  describe("as a form", () => {
    const refusals: [number, string, UploadFields][] = [
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
            UploadFields,
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
      await leavingNothing(library, async () => {
        const { status, body } = await library.upload(form);
        expect([status, body.detail]).toEqual([expected, expect.any(String)]);
        const behind = Array.isArray(form) ? form : Object.entries(form);
        expect((await library.upload([["file", file()], ...behind], undefined)).status).toBe(expected);
      });
    });

    test("is in the audit log with the project that it names before the file", async () => {
      const token = await library.mint(assetScopes, { name: "audited" });
      const body = new FormData();
      for (const [name, value] of [
        ["project", "borealis"],
        ["replaces", "01KJMMA2G04TRJQTGZ9SY6NSVZ"],
      ] as const)
        body.append(name, value);
      body.append("file", file());
      expect((await library.say("/assets", { method: "POST", body, token })).status).toBe(404);
      const rows = () => library.ctx.data.audit({ limit: 10, who: "audited" });
      await until(async () => (await rows()).length > 0, "the refusal is written");
      expect(await rows()).toMatchObject([{ what: "uploadAsset", project: "borealis", status: 404 }]);
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
      await leavingNothing(library, async () => {
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
