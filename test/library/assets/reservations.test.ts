/** Uploads with a reservation, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { fresh, isUlid, sha256 } from "../../support/assets/upload-fields.ts";
import { openUploadLibrary } from "../../support/assets/upload-library.ts";
import { must, until } from "../../support/harness.ts";
import { deployments, type Library } from "../../support/library.ts";

describe.each(deployments)("an upload to $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openUploadLibrary(dialect, place);
  });
  afterAll(() => library.close());

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
          resumable_url: expect.stringMatching(
            new RegExp(`^http://svc.test/api/assets/upload/${body.id}/[^/?]+$`),
          ),
          ...(place === "bucket" && { parts_url: `http://svc.test/api/v1/assets/${body.id}/parts` }),
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
      const compressed = { "content-encoding": "gzip" };
      if (place === "disk") expect((await library.put(reserved, "x", compressed)).status).toBe(415);
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
});
