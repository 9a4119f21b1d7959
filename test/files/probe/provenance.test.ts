/** What a file says of how it was made: read in a child of the probe, which parses it. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { fromTags, textTags } from "../../../src/files/probe/provenance/tags.ts";
import type { Provenance } from "../../../src/files/provenance/schema.ts";
import * as described from "../../support/assets/described-images.ts";
import { bytes, le32, wav, zeros } from "../../support/assets/media.ts";
import { look, root } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const { prompt, pngWith, webUiText } = described;
const unknown = { generator: null, model: null, prompt: null, negative_prompt: null, seed: null };
const ofWebUi = {
  ...{ generator: "Stable Diffusion web UI", model: "sdxl", prompt, negative_prompt: "people, boats" },
  ...{ seed: "42", parameters: webUiText.split("\n").at(-1) as string },
};
const ofShortText = {
  ...{ ...unknown, generator: "Stable Diffusion web UI", prompt: "a harbor" },
  ...{ seed: "7", parameters: "Steps: 1, Seed: 7" },
};
const ofXmp = {
  ...{ ...unknown, source: "xmp" as const, generator: "Painter 3", prompt: "a harbor & fog" },
  parameters: "made by a model",
};

const files: [what: string, file: Uint8Array | Promise<Uint8Array>, said: Provenance[]][] = [
  [
    "the web UI's text of a PNG",
    pngWith(described.textChunk("parameters", webUiText)),
    [{ source: "png", ...ofWebUi }],
  ],
  [
    "the same, compressed",
    pngWith(described.packedChunk("parameters", webUiText)),
    [{ source: "png", ...ofWebUi }],
  ],
  [
    "text in UTF-8",
    pngWith(described.utf8Chunk("parameters", "ein Häfen 港\nSteps: 1, Seed: 7")),
    [
      {
        source: "png",
        ...unknown,
        ...{ generator: "Stable Diffusion web UI" },
        prompt: "ein Häfen 港",
        seed: "7",
        parameters: "Steps: 1, Seed: 7",
      },
    ],
  ],
  [
    "ComfyUI's graph, through its links",
    pngWith(described.textChunk("workflow", "{}"), described.textChunk("prompt", described.comfyGraph)),
    [
      {
        ...{ source: "png", generator: "ComfyUI", model: "sdxl.safetensors", prompt },
        ...{ negative_prompt: "people", seed: "42" },
        parameters: "steps 30, cfg 7.5, sampler_name euler, scheduler normal, denoise 1",
      },
    ],
  ],
  [
    "InvokeAI's metadata",
    pngWith(described.utf8Chunk("invokeai_metadata", described.invokeAi)),
    [
      {
        ...{ source: "png", generator: "InvokeAI", model: "sdxl", prompt, negative_prompt: null, seed: "42" },
        parameters: "steps 30",
      },
    ],
  ],
  [
    "a comment in the Exif of a JPEG, and its XMP",
    described.jpegWith(
      described.exifSegment(described.exifWith(webUiText)),
      described.xmpSegment(described.xmp()),
    ),
    [{ source: "exif", ...ofWebUi }, ofXmp],
  ],
  [
    "the Exif and XMP of a WebP",
    described.webpWith(
      ["EXIF", described.exifWith(webUiText)],
      ["XMP ", new TextEncoder().encode(described.xmp())],
    ),
    [{ source: "exif", ...ofWebUi }, ofXmp],
  ],
  ["XMP in a PNG", pngWith(described.utf8Chunk("XML:com.adobe.xmp", described.xmp())), [ofXmp]],
  [
    "the comment of a GIF",
    described.gifWith("a harbor\nSteps: 1, Seed: 7"),
    [{ source: "tags", ...ofShortText }],
  ],
  [
    "the comment of a JPEG",
    described.jpegWith(described.commentSegment("a harbor\nSteps: 1, Seed: 7")),
    [{ source: "tags", ...ofShortText }],
  ],
  [
    "that there is a C2PA manifest",
    described.jpegWith(described.manifestSegment, described.manifestSegment),
    [{ source: "c2pa", ...unknown, parameters: null }],
  ],
];

describe("an inspection reports", () => {
  test.each(files)("%s", async (_, file, said) => {
    const found = await look(await file);
    expect([found.kind, found.width, found.height]).toEqual(["image", 40, 30]);
    expect(found.provenance as Provenance[]).toEqual(said);
  });
});

const clip = (name: string) => Bun.file(join(root, `test/support/clips/${name}`)).bytes();

describe("an inspection reports the tags of", () => {
  test.each(["comfyui.mp4", "comfyui.webm"])("%s, which ffmpeg wrote as ComfyUI does", async (name) => {
    const [said, ...others] = must((await look(await clip(name))).provenance);
    expect(others).toEqual([]);
    expect(must(said)).toMatchObject({
      ...{ source: "tags", generator: "ComfyUI", model: "wan2.2.safetensors", prompt: "a harbor at dawn" },
      ...{ negative_prompt: "people", seed: "42" },
    });
  });

  test("a WAV file with a comment", async () => {
    const comment = Buffer.from(`${webUiText}\0\0`).subarray(0, (webUiText.length + 1) & ~1);
    const list = bytes("LIST", le32(comment.length + 12), "INFOICMT", le32(comment.length), comment);
    const file = Buffer.from(bytes(wav(1), list));
    file.writeUInt32LE(file.length - 8, 4);
    const found = await look(file);
    expect(must(found.provenance)).toEqual([{ source: "tags", ...ofWebUi }]);
  });
});

describe("tags", () => {
  const made = (raw: Record<string, string>) => fromTags(textTags({ raw }));

  test("say something if one is a prompt, whatever case its name has", () => {
    const plain = { PROMPT: "a harbor", Model: "veo", software: "Painter" };
    expect(made(plain)).toMatchObject({ prompt: "a harbor", model: "veo", generator: "Painter" });
    expect(made({ comment: JSON.stringify({ prompt: JSON.parse(described.comfyGraph) }) })).toMatchObject({
      ...{ generator: "ComfyUI", seed: "42" },
    });
  });

  test("say nothing of a camera, and of comments that are no prompt", () => {
    for (const raw of [
      { model: "iPhone", software: "20.1", comment: "our trip" },
      ...[{ comment: "{" }, { comment: "null" }, { comment: '{"prompt":[1]}' }, { prompt: " " }, {}],
    ])
      expect(made(raw as Record<string, string>)).toBeNull();
  });
});

const graphOf = (nodes: object) => described.textChunk("prompt", JSON.stringify(nodes));
const loop = { class_type: "KSampler", inputs: { positive: ["1", 0], negative: ["1", 0] } };
const harmless: [what: string, file: Uint8Array | Promise<Uint8Array>][] = [
  ["a camera's Exif", described.jpegWith(described.exifSegment(described.turned))],
  ["text that is no prompt", pngWith(described.textChunk("Comment", "hello"))],
  ["text that becomes half a gigabyte", pngWith(described.packedChunk("parameters", zeros(2 ** 29)))],
  ["JSON that is not a graph", pngWith(described.textChunk("prompt", '{"3":null,"4":[1]}'))],
  ["a graph of one key called __proto__", pngWith(described.textChunk("prompt", '{"__proto__":{}}'))],
  [
    "Exif that points beyond its end",
    described.jpegWith(described.exifSegment(described.exifWith("x").fill(255, 8))),
  ],
  ["a text chunk without an end", pngWith(described.textChunk("parameters", "").fill(255, 0, 4))],
];

describe("an inspection is not harmed by", () => {
  test.each(harmless)("%s", async (_, file) => {
    expect((await look(await file)).provenance).toBeUndefined();
  });

  test("a graph whose links go round", async () => {
    const [said] = (await look(pngWith(graphOf({ "1": loop })))).provenance ?? [];
    expect(said?.prompt).toBeNull();
  });

  test("control characters and endless text: what it reports is clean and short", async () => {
    const hostile = `\u001b[31mred\u0007\u202e ${"long ".repeat(10_000)}\nSteps: 1, Model: a\u0000b`;
    const [said] = (await look(pngWith(described.utf8Chunk("parameters", hostile)))).provenance ?? [];
    expect(said?.prompt).toStartWith("red  long long");
    expect(Buffer.byteLength(said?.prompt ?? "")).toBeLessThanOrEqual(16_384);
    expect(said?.model).toBe("a b");
  });
});
