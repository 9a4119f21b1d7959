/** Images that say how they were made, as image generators write them. */
import { deflateSync } from "node:zlib";
import { orientationOnly } from "../../../src/files/probe/provenance/exif.ts";
import { be16, be32, bytes, gif, jpeg, jpegSegment, le32, png, pngChunk, withSegment } from "./media.ts";

export const prompt = "a harbor at dawn, <lora:fog:1>\nsecond line";
export const webUiText =
  `${prompt}\nNegative prompt: people, boats\n` +
  'Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 42, Size: 512x512, Model: sdxl, Lora hashes: "fog: 1, a: 2"';

/** A graph in which the prompt and the seed are behind links. */
export const comfyGraph = JSON.stringify({
  "3": {
    class_type: "KSampler",
    inputs: {
      ...{ seed: ["9", 0], steps: 30, cfg: 7.5, sampler_name: "euler", scheduler: "normal", denoise: 1 },
      ...{ model: ["10", 0], positive: ["6", 0], negative: ["7", 0], latent_image: ["5", 0] },
    },
  },
  "4": { class_type: "CheckpointLoaderSimple", inputs: { ckpt_name: "sdxl.safetensors" } },
  "6": { class_type: "CLIPTextEncode", inputs: { text: ["8", 0], clip: ["4", 1] } },
  "7": { class_type: "CLIPTextEncode", inputs: { text: "people", clip: ["4", 1] } },
  "8": { class_type: "PrimitiveString", inputs: { value: prompt } },
  "9": { class_type: "Seed", inputs: { seed: 42 } },
  "10": { class_type: "LoraLoader", inputs: { lora_name: "fog", model: ["4", 0], clip: ["4", 1] } },
});

export const invokeAi = JSON.stringify({
  ...{ positive_prompt: prompt, negative_prompt: "", seed: 42, model: { name: "sdxl" }, steps: 30 },
});

export const xmp = (text = "a harbor &amp; fog") =>
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description ' +
  'Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia">' +
  `<Iptc4xmpExt:AIPromptInformation><rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt>` +
  "</Iptc4xmpExt:AIPromptInformation><Iptc4xmpExt:AISystemUsed>Painter 3</Iptc4xmpExt:AISystemUsed>" +
  "</rdf:Description></rdf:RDF></x:xmpmeta>";

export const textChunk = (keyword: string, text: string) => pngChunk("tEXt", `${keyword}\0${text}`);
export const utf8Chunk = (keyword: string, text: string) =>
  pngChunk("iTXt", bytes(`${keyword}\0\0\0\0\0`, Buffer.from(text)));
export const packedChunk = (keyword: string, text: string | Uint8Array) =>
  pngChunk("zTXt", bytes(`${keyword}\0\0`, typeof text === "string" ? deflateSync(text) : text));

export const pngWith = (...chunks: Uint8Array[]) => png(40, 30, { chunks });

/** Exif with a comment in big-endian UTF-16, as the web UI writes it, and an orientation. */
export function exifWith(comment: string, orientation = 1): Uint8Array {
  const text = Buffer.from(comment, "utf16le").swap16();
  const entry = (tag: number, type: number, count: number, value: Uint8Array) =>
    bytes(be16(tag), be16(type), be32(count), value);
  const short = (value: number) => bytes(be16(value), be16(0));
  const nestedAt = 8 + 2 + 2 * 12 + 4;
  return bytes(
    ...["MM", be16(42), be32(8), be16(2)],
    ...[entry(0x0112, 3, 1, short(orientation)), entry(0x8769, 4, 1, be32(nestedAt)), be32(0)],
    ...[be16(1), entry(0x9286, 7, text.length + 8, be32(nestedAt + 18)), be32(0)],
    ...["UNICODE\0", text],
  );
}

export const jpegWith = async (...segments: Uint8Array[]): Promise<Uint8Array> =>
  segments.reduceRight(withSegment, await jpeg(40, 30));
export const exifSegment = (exif: Uint8Array) => jpegSegment(0xe1, bytes("Exif\0\0", exif));
export const xmpSegment = (text: string) => jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${text}`);
export const manifestSegment = jpegSegment(0xeb, "JP\0\x01\0\0\0\x01jumb c2pa");

export const commentSegment = (text: string) => jpegSegment(0xfe, text);

/** A GIF with a comment of at most 255 bytes. */
export function gifWith(comment: string): Uint8Array {
  const [plain, screenBytes] = [gif(40, 30), 13 + 6];
  const block = bytes([0x21, 0xfe, comment.length], comment, [0]);
  return bytes(plain.subarray(0, screenBytes), block, plain.subarray(screenBytes));
}

/** A WebP in the extended format, with these chunks behind the image. */
export async function webpWith(...chunks: [name: string, data: Uint8Array][]): Promise<Uint8Array> {
  const plain = await new Bun.Image(png(40, 30)).webp({ quality: 80 }).bytes();
  const padded = (name: string, data: Uint8Array) =>
    bytes(name, le32(data.length), data, data.length % 2 === 1 ? [0] : []);
  const flags = chunks.some(([name]) => name === "EXIF") ? 0x0c : 0x04;
  const header = padded("VP8X", bytes([flags, 0, 0, 0, 39, 0, 0, 29, 0, 0]));
  const body = bytes("WEBP", header, plain.subarray(12), ...chunks.map(([name, data]) => padded(name, data)));
  return bytes("RIFF", le32(body.length), body);
}

export const turned = orientationOnly(6);
