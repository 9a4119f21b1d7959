/** Compares the marked seconds of a sound with the same seconds of the one before. */
import type { Target } from "../marks/schema.ts";
import type { FileSource } from "../port.ts";
import type { SandboxedProcess } from "../sandbox/sandboxed-process.ts";
import { type AudioTools, decodeAudio, hasEnded, samplesPerSecond } from "../timeline/decode-audio.ts";
import type { FileMatch, PlaceState } from "./schema.ts";
import { compareSounds } from "./sound-difference.ts";

/** What a mark of a moment means: so much to each side of it. All in seconds. */
const around = 0.5;
/** A longer range is not compared: a change in its rest would be missed. */
const rangeMax = 60;
/** More marks are not compared: an upload waits for them. */
const marksMax = 8;

interface Sound {
  source: FileSource;
  mime: string;
}

/** Whether it is the same sound as a whole is not asked. Null if nothing could be compared. */
export async function matchSounds(
  tools: AudioTools,
  before: Sound,
  after: Sound,
  targets: readonly (Target | null)[],
): Promise<FileMatch | null> {
  const places = targets.map((): PlaceState => "unknown");
  let compared = 0;
  for (const [at, target] of targets.entries()) {
    const part = target && partOf(target);
    if (!part || compared >= marksMax) continue;
    const [one, other] = [
      await decodeAudio(tools, before, part, readSamples),
      await decodeAudio(tools, after, part, readSamples),
    ];
    if (!one || !other) continue;
    compared++;
    places[at] = compareSounds(one, other);
  }
  return compared === 0 ? null : { isSame: false, places };
}

function partOf({ t_ms, t_end_ms }: Target): { from: number; length: number } | null {
  if (t_ms === undefined) return null;
  const [start, end] = [t_ms / 1000, (t_end_ms ?? t_ms) / 1000];
  if (end - start > rangeMax) return null;
  const more = t_end_ms === undefined ? around : 0;
  const from = Math.max(0, start - more);
  return { from, length: end + more - from };
}

async function readSamples(program: SandboxedProcess): Promise<Int16Array | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let piece = await program.read(); piece; piece = await program.read()) {
    size += piece.length;
    if (size > (rangeMax + 1) * samplesPerSecond * 2) return null;
    pieces.push(piece);
  }
  const bytes = new Uint8Array(Buffer.concat(pieces));
  return hasEnded(program) && size > 0 ? new Int16Array(bytes.buffer, 0, size >> 1) : null;
}
