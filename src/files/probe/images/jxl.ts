/** The size of a JPEG XL image (ISO/IEC 18181-1, 5 and annex D; 18181-2, 9). */
import type { BlockReader } from "../bytes.ts";
import { type Geometry, upright } from "../geometry.ts";
import { tagAt, viewOf } from "./container.ts";

/** More than a header has. */
const headerBytes = 64;
const boxesMax = 64;
/** Of the width by the height, where it is not written. */
const ratios = [1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2];

/** Null without a codestream. */
export function readJxl(file: BlockReader): Geometry | null {
  const start = codestreamAt(file);
  if (start === null) return null;
  const read = bitsOf(file.read(start + 2, headerBytes));
  const { width, height } = readSize(read);
  const isDefault = read(1) === 1;
  const hasExtra = !isDefault && read(1) === 1;
  return { width, height, orientation: hasExtra ? read(3) + 1 : upright };
}

/** Where the codestream begins: at once, or in a box. */
function codestreamAt(file: BlockReader): number | null {
  if (viewOf(file.read(0, 2)).getUint16(0) === 0xff0a) return 0;
  let at = 0;
  for (let box = 0; box < boxesMax && at + 8 <= file.size; box++) {
    const header = file.read(at, 8);
    const [length, name] = [viewOf(header).getUint32(0), tagAt(header, 4)];
    if (name === "jxlc") return at + 8;
    if (name === "jxlp") return at + 12; // behind the number of this part
    if (length < 8) return null;
    at += length;
  }
  return null;
}

/** Reads numbers of some bits, lowest bit first. */
function bitsOf(bytes: Uint8Array): (count: number) => number {
  let at = 0;
  return (count) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, at++) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit;
    return value;
  };
}

function readSize(read: (bits: number) => number): { width: number; height: number } {
  const isSmall = read(1) === 1;
  const side = () => (isSmall ? 8 * (read(5) + 1) : read([9, 13, 18, 30][read(2)] as number) + 1);
  const height = side();
  const ratio = ratios[read(3) - 1];
  return { width: ratio === undefined ? side() : Math.floor(height * ratio), height };
}
