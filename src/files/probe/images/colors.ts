/**
 * The colors of decoded pixels, which are those of the file's color space. A small RGB profile stays with
 * what is made of them; with any other, they are converted to sRGB by qcms, the color management of Firefox,
 * which pdf.js brings along.
 */
import { readFileSync } from "node:fs";
// @ts-expect-error a module of WebAssembly, embedded as a file
import qcms from "pdfjs-dist/wasm/qcms_bg.wasm" with { type: "file" };
import { unpacked } from "../../../core/lib/packed-bytes.ts";
import { limits } from "../limits.ts";
import { zlib } from "../zlib.ts";
import { requireValid, tagAt } from "./container.ts";
import { decodePng, encodePng, pngChunk } from "./raster.ts";

/** Where a PNG has its profile: behind its header. */
const headerEnd = 33;

const spaceOf = (profile: Uint8Array): string => tagAt(profile, 16);
export const isCmyk = (profile: Uint8Array | undefined): profile is Uint8Array =>
  profile !== undefined && spaceOf(profile) === "CMYK";

/** An `iCCP` chunk. */
export const profileChunk = (profile: Uint8Array): Uint8Array =>
  pngChunk("iCCP", Buffer.concat([Buffer.from("icc\0\0", "latin1"), zlib().deflateSync(profile)]));

/** The same pixels in the colors of a profile. @param png as Bun.Image writes it */
export function withProfile(png: Uint8Array, profile: Uint8Array): Uint8Array {
  const [isRgb, isGray] = [spaceOf(profile) === "RGB ", spaceOf(profile) === "GRAY"];
  if (isRgb && profile.length <= limits.keptProfileBytes)
    return Buffer.concat([png.subarray(0, headerEnd), profileChunk(profile), png.subarray(headerEnd)]);
  if (!isRgb && !isGray) return png;
  const { width, height, pixels } = decodePng(png);
  const samples = isRgb ? 3 : 1;
  return encodePng({ width, height, pixels: toRgb(profile, pick(pixels, samples), samples, pixels) });
}

/**
 * A PNG of inks. The decoder mixes them without their profile, so it decoded them twice: without the black
 * one, and that alone. What a picture leaves out is half covered with it.
 */
export function mixInks(withoutBlack: Uint8Array, blackAlone: Uint8Array, profile: Uint8Array): Uint8Array {
  const [colors, black] = [decodePng(withoutBlack), decodePng(blackAlone)];
  const inks = new Uint8Array(colors.pixels.length);
  for (let at = 0; at < inks.length; at++) {
    const light = at % 4 === 3 ? (black.pixels[at - 3] as number) : (colors.pixels[at] as number);
    inks[at] = 255 - Math.min(255, 2 * light);
  }
  const { width, height, pixels } = colors;
  return encodePng({ width, height, pixels: toRgb(profile, inks, 4, pixels) });
}

/** The first samples of each pixel of RGBA. */
function pick(pixels: Uint8Array, samples: number): Uint8Array {
  const picked = new Uint8Array((pixels.length / 4) * samples);
  for (let at = 0; at < picked.length; at++)
    picked[at] = pixels[Math.floor(at / samples) * 4 + (at % samples)] as number;
  return picked;
}

/** The types of pixels of qcms, by their number of samples. */
const pixelTypes: Record<number, number> = { 3: 0, 1: 3, 4: 5 };
const perceptual = 0;

interface Qcms extends Record<string, unknown> {
  memory: WebAssembly.Memory;
  __wbindgen_start(): void;
  __wbindgen_malloc(bytes: number, align: number): number;
  qcms_transformer_from_memory(profile: number, bytes: number, type: number, intent: number): number;
  qcms_convert_array(transformer: number, samples: number, bytes: number, hasAlpha: boolean): void;
}

/** RGBA in sRGB, with the alpha of these pixels; they themselves if the profile is damaged. */
function toRgb(profile: Uint8Array, samples: Uint8Array, count: number, rgba: Uint8Array): Uint8Array {
  try {
    return convert(profile, samples, count, rgba.slice());
  } catch {
    return rgba;
  }
}

function convert(profile: Uint8Array, samples: Uint8Array, count: number, pixels: Uint8Array): Uint8Array {
  const imports: Record<string, (at: number, bytes: number) => void> = {};
  const module = new WebAssembly.Module(unpacked(new Uint8Array(readFileSync(qcms))));
  for (const { name } of WebAssembly.Module.imports(module))
    imports[name] = (at, bytes) => {
      // Its other imports are for errors, and for objects of JavaScript.
      if (!name.includes("copy_result")) return requireValid(!name.includes("throw"), "a damaged profile");
      const rgb = new Uint8Array(memory.buffer, at, bytes);
      for (let from = 0, to = 0; from < bytes; from += 3, to += 4)
        pixels.set(rgb.subarray(from, from + 3), to);
    };
  const instance = new WebAssembly.Instance(module, { "./qcms_bg.js": imports });
  const { memory, ...calls } = instance.exports as unknown as Qcms;
  const given = (bytes: Uint8Array) => {
    const at = calls.__wbindgen_malloc(bytes.length, 1);
    new Uint8Array(memory.buffer).set(bytes, at);
    return at;
  };
  calls.__wbindgen_start();
  const type = pixelTypes[count] as number;
  const transformer = calls.qcms_transformer_from_memory(given(profile), profile.length, type, perceptual);
  requireValid(transformer !== 0, "a damaged profile");
  calls.qcms_convert_array(transformer, given(samples), samples.length, false);
  return pixels;
}
