/** How a file was made: given with the upload, said by the file, and taken out of it before it is published. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Asset, AssetDetail } from "../../../src/library/assets/schema.ts";
import * as described from "../../support/assets/described-images.ts";
import { pngChunk } from "../../support/assets/media.ts";
import { dialects, must } from "../../support/harness.ts";
import { hasHelper, helperFolder } from "../../support/helper-path.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { repositoryRoot } from "../../support/repository.ts";

const { jpegWith, pngWith, prompt, textChunk, webpWith, webUiText } = described;
const shortText = `${prompt}\nSteps: 20, Seed: 42, Model: sdxl`;
const given = { model: "sdxl-1.0", prompt: "a map\nof the harbor", seed: "7", parameters: "steps 30" };

const clip = (name: string) => Bun.file(join(repositoryRoot, `test/support/clips/${name}`)).bytes();
const needsFfmpeg = expect.stringContaining("takes ffmpeg, which is not installed");

describe.each(dialects)("an upload on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, dialect === "sqlite" ? "disk" : "bucket");
  });
  afterAll(() => library.close());

  const upload = async (
    bytes: Uint8Array,
    name: string,
    fields: Record<string, string> = {},
    { upload: send } = library,
  ) => must((await send({ project: "atlas", ...fields }, new File([new Uint8Array(bytes)], name))).body);
  const detail = async ({ id }: Pick<Asset, "id">, { say } = library) =>
    (await say<AssetDetail>(`/assets/${id}`)).body;
  const remove = ({ id }: Pick<Asset, "id">, { say } = library) =>
    say<Asset>(`/assets/${id}/remove-metadata`, { method: "POST" });

  test("is listed with what the caller says first, then with what the file says", async () => {
    const asset = await upload(pngWith(textChunk("parameters", webUiText)), "map.png", given);
    expect((await detail(asset)).provenance).toMatchObject([
      { source: "upload", generator: null, negative_prompt: null, ...given },
      { source: "png", prompt, seed: "42" },
    ]);
    const reserved = (await library.presign({ ...given, filename: "map.txt" })).body;
    await library.put(reserved, "some words");
    const finalized = (await library.finalize(reserved)).body;
    expect((await detail(finalized)).provenance).toMatchObject([{ source: "upload", ...given }]);
    expect((await detail(await library.plant())).provenance).toEqual([]);
  });

  const images: [string, Promise<Uint8Array> | Uint8Array, string][] = [
    [
      "PNG",
      pngWith(
        textChunk("parameters", webUiText),
        pngChunk("eXIf", described.turned),
        pngChunk("caBX", "c2pa"),
      ),
      "map.png",
    ],
    [
      "JPEG",
      jpegWith(
        described.exifSegment(described.exifWith(webUiText, 6)),
        described.xmpSegment(described.xmp()),
        described.manifestSegment,
      ),
      "map.jpg",
    ],
    [
      "WebP",
      webpWith(
        ["EXIF", described.exifWith(webUiText, 6)],
        ["XMP ", new TextEncoder().encode(described.xmp())],
      ),
      "map.webp",
    ],
    ["GIF", described.gifWith(shortText), "map.gif"],
  ];

  test.each(images)(
    "of a %s gets a version with the same pixels and without metadata",
    async (_, file, name) => {
      const bytes = await file;
      const first = await upload(bytes, name);
      const { status, body: second } = await remove(first);
      expect([status, second.version, second.parent_id, second.status]).toEqual([
        201,
        2,
        first.id,
        "pending",
      ]);
      expect([second.width, second.height]).toEqual([first.width, first.height]); // the orientation, too
      const clean = await (await library.fetch(second.url)).bytes();
      const text = Buffer.from(clean).toString("latin1");
      for (const marker of ["harbor", "Steps", "c2pa", "adobe"]) expect(text).not.toContain(marker);
      const pixels = (image: Uint8Array) => new Bun.Image(image).png().bytes();
      expect(Bun.hash(await pixels(clean))).toBe(Bun.hash(await pixels(bytes)));
      const stated = (await detail(second)).provenance;
      expect(stated).toMatchObject([{ source: "upload", prompt, model: "sdxl", seed: "42" }]);
      expect((await remove(second)).body.detail).toBe("This file has no metadata.");
    },
  );

  test("of a video is refused without ffmpeg, by a problem that names it", async () => {
    const { status, body } = await remove(await upload(await clip("comfyui.mp4"), "map.mp4"));
    expect([status, body.detail]).toEqual([409, needsFfmpeg]);
  });

  test.skipIf(!hasHelper("ffmpeg"))("of a video gets a version without tags, with ffmpeg", async () => {
    await using equipped = await openLibrary(dialect, "disk", { PATH: await helperFolder("ffmpeg") });
    const first = await upload(await clip("comfyui.mp4"), "map.mp4", {}, equipped);
    const { status, body: second } = await remove(first, equipped);
    expect([status, second.version, second.duration_ms]).toEqual([201, 2, first.duration_ms]);
    const clean = await (await equipped.fetch(second.url)).bytes();
    expect(Buffer.from(clean).toString("latin1")).not.toMatch(/harbor|KSampler/);
    expect((await detail(second, equipped)).provenance).toMatchObject([
      { source: "upload", prompt: "a harbor at dawn", model: "wan2.2.safetensors", seed: "42" },
    ]);
  });

  test("that is reviewed, or has nothing to remove, is left as it is", async () => {
    const plain = await upload(pngWith(), "map.png");
    expect((await remove(plain)).body.detail).toBe("This file has no metadata.");
    const text = await library.plant({ bytes: "some words" });
    expect((await remove(text)).body.detail).toContain("PNG, JPEG, WebP, GIF");
    const asset = await upload(pngWith(textChunk("parameters", webUiText)), "map.png");
    await library.review(asset.id, { decision: "approved" });
    expect((await remove(asset)).body.detail).toContain("This one is approved.");
  });
});
