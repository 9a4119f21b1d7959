/** Measures of containers that mediabunny and music-metadata do not read, from their headers. */
import type { BlockReader } from "../bytes.ts";
import { type Inspection, int32OrNull } from "../kind.ts";

export type Measures = Pick<Inspection, "width" | "height" | "duration_ms">;

const nothing: Measures = { width: null, height: null, duration_ms: null };
const milliseconds = (seconds: number): number | null => int32OrNull(Math.round(seconds * 1000)) || null;

/** More than the lists of headers of a usual file have. */
const headerBytes = 64 * 1024;
const chunkHeaderBytes = 8;

/** AVI (Microsoft, "AVI RIFF File Reference"). */
export function readAvi(file: BlockReader): Measures {
  const header = Buffer.from(file.read(0, headerBytes));
  const chunk = (name: string, least: number) => {
    const at = header.indexOf(name, 0, "latin1") + chunkHeaderBytes;
    return at >= chunkHeaderBytes && at + least <= header.length ? header.subarray(at) : null;
  };
  const main = chunk("avih", 40);
  if (!main) return nothing;
  const [frameMicros, frames] = [main.readUInt32LE(0), main.readUInt32LE(16)];
  const stored = { width: main.readUInt32LE(32), height: main.readUInt32LE(36) };
  const aspect = aspectOf(chunk("vprp", 24));
  return {
    width: int32OrNull(aspect ? Math.round(stored.height * aspect) : stored.width) || null,
    height: int32OrNull(stored.height) || null,
    duration_ms: milliseconds((frameMicros * frames) / 1e6),
  };
}

/** Of the shown frame: width by height (OpenDML AVI File Format Extensions 1.02). */
function aspectOf(properties: Buffer | null): number | null {
  const [height, width] = [properties?.readUInt16LE(20) ?? 0, properties?.readUInt16LE(22) ?? 0];
  return width > 0 && height > 0 ? width / height : null;
}

/** Flash Video (Adobe, "Flash Video File Format Specification", annex E): its metadata, or its last tag. */
export function readFlv(file: BlockReader): Measures {
  const header = Buffer.from(file.read(0, headerBytes));
  // A number of AMF0, behind the name of its property.
  const property = (name: string) => {
    const at =
      header.indexOf(`\0${String.fromCharCode(name.length)}${name}\0`, 0, "latin1") + name.length + 3;
    return at >= name.length + 3 && at + 8 <= header.length ? header.readDoubleBE(at) : 0;
  };
  return {
    width: int32OrNull(property("width")) || null,
    height: int32OrNull(property("height")) || null,
    duration_ms: milliseconds(property("duration")) ?? (int32OrNull(lastFlvTime(file)) || null),
  };
}

/** In milliseconds. The file ends with the length of its last tag. */
function lastFlvTime(file: BlockReader): number {
  const length = Buffer.from(file.read(file.size - 4, 4)).readUInt32BE();
  const tag = Buffer.from(file.read(Math.max(0, file.size - 4 - length), 8));
  return tag.length === 8 ? tag.readUIntBE(4, 3) + (tag[7] as number) * 2 ** 24 : 0;
}

/** Core Audio Format (Apple, "Core Audio Format Specification 1.0"). */
export function readCaf(file: BlockReader): Measures {
  let [rate, bytesInPacket, framesInPacket, frames]: (number | null)[] = [0, 0, 0, null];
  for (let at = 8; at + 12 <= file.size; ) {
    const chunk = Buffer.from(file.read(at, 12 + 32));
    const name = chunk.toString("latin1", 0, 4);
    const stated = Number(chunk.readBigInt64BE(4));
    const size = stated < 0 ? file.size - at - 12 : stated; // -1: up to the end
    if (name === "desc" && chunk.length === 44)
      [rate, bytesInPacket, framesInPacket] = [
        chunk.readDoubleBE(12),
        chunk.readUInt32BE(28),
        chunk.readUInt32BE(32),
      ];
    if (name === "pakt" && chunk.length >= 28) frames = Number(chunk.readBigInt64BE(20));
    if (name === "data" && bytesInPacket)
      frames ??= Math.floor((size - 4) / bytesInPacket) * (framesInPacket as number);
    at += 12 + size;
  }
  return { ...nothing, duration_ms: rate && frames ? milliseconds(frames / rate) : null };
}

/** In kbit/s (ETSI TS 102 366, table F.4.1). */
const ac3Rates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const ac3SampleRates = [48_000, 44_100, 32_000];

/** AC-3, and E-AC-3, whose frames are all as long as the first one. */
export function readAc3(file: BlockReader): Measures {
  const [, , high = 0, low = 0, codes = 0, version = 0] = file.read(0, 6);
  if (version >> 3 <= 10) {
    const kilobits = ac3Rates[(codes & 63) >> 1] ?? 0;
    return { ...nothing, duration_ms: kilobits ? milliseconds(file.size / (kilobits * 125)) : null };
  }
  const rate = ac3SampleRates[codes >> 6];
  const [bytes, samples] = [
    2 * ((((high & 7) << 8) | low) + 1),
    256 * ([1, 2, 3, 6][(codes >> 4) & 3] as number),
  ];
  return { ...nothing, duration_ms: rate ? milliseconds(((file.size / bytes) * samples) / rate) : null };
}

/** Bytes behind the first of a frame of 20 ms by its type, of AMR and of AMR-WB (RFC 4867, 3.6 and 5). */
const amrBytes = [
  [12, 13, 15, 17, 19, 20, 26, 31, 5],
  [17, 23, 32, 36, 40, 46, 50, 58, 60, 5],
] as const;

export function readAmr(file: BlockReader): Measures {
  const isWide = Buffer.from(file.read(0, 9)).toString("latin1") === "#!AMR-WB\n";
  let frames = 0;
  for (let at = isWide ? 9 : 6; at < file.size; frames++) {
    const type = ((file.read(at, 1)[0] as number) >> 3) & 15;
    at += 1 + (amrBytes[isWide ? 1 : 0][type] ?? 0);
  }
  return { ...nothing, duration_ms: milliseconds(frames * 0.02) };
}

/** Theora in Ogg (Theora Specification, 6.2 and A.2.3); nothing of another video. */
export function readTheora(file: BlockReader): Measures {
  const header = Buffer.from(file.read(0, headerBytes));
  const at = header.indexOf("\x80theora", 0, "latin1");
  const start = header.lastIndexOf("OggS", at, "latin1");
  if (at < 0 || start < 0 || at + 42 > header.length) return nothing;
  const rate = header.readUInt32BE(at + 22) / header.readUInt32BE(at + 26);
  const shift = BigInt((header.readUInt16BE(at + 40) >> 5) & 31);
  // The last page of the stream: its key frame, and how many frames came after that.
  const tail = Buffer.from(file.read(Math.max(0, file.size - headerBytes), headerBytes));
  const serial = header.subarray(start + 14, start + 18);
  let frames = 0;
  for (
    let page = tail.indexOf("OggS");
    page >= 0 && page + 18 <= tail.length;
    page = tail.indexOf("OggS", page + 4)
  ) {
    const position = tail.readBigInt64LE(page + 6);
    if (position > 0 && serial.equals(tail.subarray(page + 14, page + 18)))
      frames = Number((position >> shift) + (position & ((1n << shift) - 1n)));
  }
  return {
    width: header.readUIntBE(at + 14, 3) || null,
    height: header.readUIntBE(at + 17, 3) || null,
    duration_ms: milliseconds(frames / rate),
  };
}
