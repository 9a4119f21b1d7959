/** Size and duration of an AVI, which mediabunny does not read (Microsoft, "AVI RIFF File Reference"). */
import type { BlockReader } from "./bytes.ts";
import { type Inspection, int32OrNull } from "./kind.ts";

/** More than the lists of headers of a usual file have. */
const headerBytes = 64 * 1024;
const chunkHeaderBytes = 8;

export function readAvi(file: BlockReader): Pick<Inspection, "width" | "height" | "duration_ms"> {
  const header = Buffer.from(file.read(0, headerBytes));
  const chunk = (name: string, least: number) => {
    const at = header.indexOf(name, 0, "latin1") + chunkHeaderBytes;
    return at >= chunkHeaderBytes && at + least <= header.length ? header.subarray(at) : null;
  };
  const main = chunk("avih", 40);
  if (!main) return { width: null, height: null, duration_ms: null };
  const [frameMicros, frames] = [main.readUInt32LE(0), main.readUInt32LE(16)];
  const stored = { width: main.readUInt32LE(32), height: main.readUInt32LE(36) };
  const aspect = aspectOf(chunk("vprp", 24));
  return {
    width: int32OrNull(aspect ? Math.round(stored.height * aspect) : stored.width) || null,
    height: int32OrNull(stored.height) || null,
    duration_ms: int32OrNull(Math.round((frameMicros * frames) / 1000)) || null,
  };
}

/** Of the shown frame: width by height (OpenDML AVI File Format Extensions 1.02). */
function aspectOf(properties: Buffer | null): number | null {
  const [height, width] = [properties?.readUInt16LE(20) ?? 0, properties?.readUInt16LE(22) ?? 0];
  return width > 0 && height > 0 ? width / height : null;
}
