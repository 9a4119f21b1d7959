/** The kind of an uploaded file is that of its content. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jpeg, mp4, orientation, pdf, png, wav, withSegment, zip } from "../../support/assets/media.ts";
import { leavingNothing, openUploadLibrary } from "../../support/assets/upload-library.ts";
import { hasHelper, helperFolder } from "../../support/helper-path.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

describe.each(deployments)("an upload to $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openUploadLibrary(dialect, place);
  });
  afterAll(() => library.close());

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
        false,
      ],
      ["a.pdf", () => pdf(), { kind: "pdf", mime: "application/pdf", width: null }, false],
      ["a.txt", () => Buffer.from(html), { kind: "html", mime: "text/html" }, false],
      ["a.html", () => png(8, 8), { kind: "image", mime: "image/png" }, true],
    ] as const)("named %s knows it by its bytes", async (name, make, found, hasThumb) => {
      const { status, body } = await library.upload(
        { project: "atlas" },
        file(name, Buffer.from(await make())),
      );
      expect<unknown>([status, body]).toMatchObject([201, found]);
      expect(body.thumb_url !== null).toBe(hasThumb);
      if (!hasThumb) return;
      const thumb = await library.fetch(body.thumb_url);
      expect([thumb.status, thumb.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
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
      await leavingNothing(library, async () => {
        expect((await library.upload({ project: "atlas" }, file("site.zip", bad))).status).toBe(400);
      });
      const reserved = (await library.presign({})).body;
      await library.put(reserved, bad);
      expect((await library.finalize(reserved)).status).toBe(400);
      expect((await library.say(`/assets/${reserved.id}`)).status).toBe(404);
    });
  });
});

const rendered = [
  ["a.mp4", "ffmpeg", mp4],
  ["a.pdf", "pdftoppm", pdf],
] as const;
for (const [name, program, make] of rendered)
  test.skipIf(!hasHelper(program))(`an upload named ${name} has a thumbnail with ${program}`, async () => {
    await using library = await openLibrary("sqlite", "disk", { PATH: await helperFolder(program) });
    const { body } = await library.upload({ project: "atlas" }, file(name, Buffer.from(make())));
    const thumb = await library.fetch(body.thumb_url);
    expect([thumb.status, thumb.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });
