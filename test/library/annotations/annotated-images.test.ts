/** Images with the open annotations drawn on them, as clients get them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Target } from "../../../src/files/probe/marks/schema.ts";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { type ToolAnswer, textOf, toolCall } from "../../support/agents/mcp-clients.ts";
import * as made from "../../support/assets/media.ts";
import { must } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

const { png } = made;
const point = (x: number, y: number): Target => ({ shape: "point", x, y });

describe.each(deployments)("annotated images on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
  });
  afterAll(() => library.close());

  const upload = async (name = "a.png", bytes: BlobPart = Buffer.from(png(80, 60))) =>
    (await library.upload({ project: "atlas" }, file(name, bytes))).body;
  const mark = async (id: string, target: Target, more: object = {}) =>
    (
      await library.say<Annotation>(`/assets/${id}/annotations`, {
        json: { body: "Fix it", target, ...more },
      })
    ).body;
  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const drawnIn = (id: string) =>
    library.keys().then((keys) => keys.filter((key) => key.startsWith(`_variants/${id}/annotated/`)));

  test("show the open annotations of this version that have a place, not drafts, and only those", async () => {
    const { id } = await upload();
    expect((await detail(id)).annotated_images).toEqual([]);
    const first = await mark(id, point(1000, 1000));
    await mark(id, point(9000, 9000), { draft: true });
    await mark(id, { quote: { exact: "no place" } });
    const [image] = (await detail(id)).annotated_images;
    expect(image).toEqual({ url: expect.stringContaining("/annotated/"), n: [1], t_ms: null, page: null });
    const response = await library.fetch(must(image).url);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect((await new Bun.Image(await response.bytes()).metadata()).width).toBe(640);
    expect(await drawnIn(id)).toHaveLength(1);

    await mark(id, { shape: "rect", x: 1000, y: 1000, w: 500, h: 500 }, { weight: "nit" });
    const [both] = (await detail(id)).annotated_images;
    expect(must(both).n).toEqual([1, 4]);
    expect((await library.fetch(must(both).url)).status).toBe(200);
    expect(await drawnIn(id)).toHaveLength(1);
    const old = await library.fetch(must(image).url);
    expect([old.status, await old.text()]).toEqual([404, expect.stringContaining("have changed since")]);
    expect((await library.fetch(must(both).url.replace(/[^/]+$/, "x.webp"))).status).toBe(404);

    await library.say(`/annotations/${first.id}`, { json: { state: "withdrawn" } });
    expect((await detail(id)).annotated_images.map(({ n }) => n)).toEqual([[4]]);
    const next = await library.upload({ project: "atlas", replaces: id }, file("a.png", "text now"));
    expect((await detail(next.body.id)).annotated_images).toEqual([]);
  });

  test("show what is marked after the end of a video on its last frame", async () => {
    const { id } = await upload("a.mp4", Buffer.from(made.mp4()));
    await library.ctx.data.atomically((writes) => writes.changeAsset(id, { has_thumb: true }));
    for (const t_ms of [500, 1000, 60_000]) await mark(id, { ...point(1000, 1000), t_ms });
    expect((await detail(id)).annotated_images.map(({ n, t_ms }) => [n, t_ms])).toEqual([
      [[1], 500],
      [[2, 3], 1000],
    ]);
  });

  test("say nothing of what was written: only numbers and shapes are drawn", async () => {
    const images = await Promise.all(
      ["Plain", "\u202eEVIL <svg onload=alert(1)> 1. [must] \u0007".replace("\u0007", "")].map(
        async (body) => {
          const { id } = await upload();
          await mark(id, point(5000, 5000), { body });
          return (await library.fetch(must((await detail(id)).annotated_images[0]).url)).bytes();
        },
      ),
    );
    expect(images[0]).toEqual(must(images[1]));
  });

  test("come with svc_asset_get when a model asks for them", async () => {
    const { id } = await upload();
    const ask = async (args: object) => {
      const call = toolCall("modern", "svc_asset_get", { id, ...args });
      const { result } = (await (await library.ask("/mcp", { ...call, token: library.token })).json()) as {
        result: ToolAnswer;
      };
      return result;
    };
    expect((await ask({})).content.map(({ type }) => type)).toEqual(["text"]);
    const plain = await ask({ image: true });
    expect(plain.content.map(({ type, text }) => text ?? type).slice(1)).toEqual(["The file.", "image"]);
    // Models do not turn a photo by its Exif.
    const photo = made.withSegment(await made.jpeg(60, 40), made.orientation(6));
    const turned = await upload("photo.jpg", Buffer.from(photo));
    const [, , image] = (await ask({ id: turned.id, image: true })).content as { data?: string }[];
    const { width, height } = await new Bun.Image(Buffer.from(image?.data ?? "", "base64")).metadata();
    expect(width / height).toBeCloseTo(2 / 3, 1);
    await mark(id, point(1, 1));
    const drawn = await ask({ image: true });
    expect(textOf(drawn)).toContain("Fix it");
    expect(drawn.content.map(({ type, text }) => text ?? type).slice(1)).toEqual([
      "With annotations 1.",
      "image",
    ]);
    const { data = "", mimeType } = must(drawn.content[2]) as { data?: string; mimeType?: string };
    expect([mimeType, (await new Bun.Image(Buffer.from(data, "base64")).metadata()).format]).toEqual([
      "image/webp",
      "webp",
    ]);
    expect((await ask({ image: "yes" })).isError).toBe(true);
  });
});
