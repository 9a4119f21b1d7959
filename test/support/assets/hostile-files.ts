/**
 * Files that mean harm, made the way those who mean it would: see F40 to F46 of the reference on reliability.
 */
import { must } from "../harness.ts";
import * as made from "./media.ts";

export const utf16 = (text: string, isBig = false): Uint8Array => {
  const buffer = Buffer.from(`\ufeff${text}`, "utf16le");
  return isBig ? buffer.swap16() : buffer;
};

/** Cyrillic as in Windows-1251. */
export const windows1251 = (text: string): Uint8Array =>
  Uint8Array.from(text, (char) => char.charCodeAt(0) - (char >= "А" ? 0x350 : 0));

export const changed = (bytes: Uint8Array, at: number, to: Uint8Array): Uint8Array =>
  made.bytes(bytes.subarray(0, at), to, bytes.subarray(at + to.length));

/** The size in front of a box of an MP4. */
export const boxSize = (mp4: Uint8Array, name: string, size: number): Uint8Array =>
  changed(mp4, Buffer.from(mp4).indexOf(name) - 4, made.be32(size));

export async function scriptedJpeg(): Promise<Uint8Array> {
  return made.withSegment(await made.jpeg(60, 40), made.jpegSegment(0xfe, "<script>alert(1)</script>"));
}

/** A progressive JPEG of this many scans: its last refining scan, repeated. */
export async function manyScans(scans: number): Promise<Uint8Array> {
  const bytes = Buffer.from(await made.jpeg(60, 40, { progressive: true }));
  const starts: number[] = [];
  for (
    let at = bytes.indexOf("\xff\xda", 0, "latin1");
    at >= 0;
    at = bytes.indexOf("\xff\xda", at + 2, "latin1")
  )
    starts.push(at);
  const last = bytes.subarray(must(starts.at(-1)), bytes.length - 2);
  return made.bytes(bytes.subarray(0, -2), ...Array(scans - starts.length).fill(last), [0xff, 0xd9]);
}

const half = 512 * 2 ** 20;
export const profileBomb = () =>
  made.png(60, 40, { chunks: [made.pngChunk("iCCP", made.bytes("bomb\0\0", made.zlibZeros(half)))] });
export const textBomb = () =>
  made.png(60, 40, { chunks: [made.pngChunk("zTXt", made.bytes("bomb\0\0", made.zlibZeros(half)))] });
/** Rows of zeros: black, true colour. */
export const blackPng = (width: number, height: number) =>
  made.png(width, height, { data: made.zlibZeros(height * (1 + 3 * width)) });

export async function manyComments(): Promise<Uint8Array> {
  return made.withSegment(
    await made.jpeg(60, 40),
    made.bytes(...Array(20_000).fill(made.jpegSegment(0xfe, "x"))),
  );
}
