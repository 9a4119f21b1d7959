/** Alarms as samples, a report as speech. */
import { ffmpeg } from "./paint.ts";

const rate = 11_025;

/** The first beeps evenly and low; the second rises from 800 Hz and does not stop rising. */
export function anchorAlarm(version: 1 | 2): Uint8Array {
  const seconds = 5;
  const samples = new Int16Array(rate * seconds);
  let phase = 0;
  for (let at = 0; at < samples.length; at++) {
    const time = at / rate;
    const beat = version === 1 ? 1 : 0.5 - time * 0.06;
    const frequency = version === 1 ? 440 : 800 + 220 * time + 90 * Math.sin(2 * Math.PI * 6 * time);
    phase += (2 * Math.PI * frequency) / rate;
    const into = (time % beat) / beat;
    const swell = into < 0.55 ? Math.min(1, into * 20, (0.55 - into) * 20) : 0;
    const loud = version === 1 ? 0.22 : 0.35 + 0.11 * time;
    const tone = version === 1 ? Math.sin(phase) : 0.75 * Math.sin(phase) + 0.25 * Math.sin(3 * phase);
    samples[at] = Math.round(32_000 * swell * loud * tone);
  }
  return wave(samples);
}

function wave(samples: Int16Array): Uint8Array {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}

const report =
  "Tides for the harbor of Veere. High water tonight at fourteen minutes past two, one point nine metres above nap. Low water at eight thirty one. Wind north west, five.";

export const spokenReport = (): Promise<Uint8Array> =>
  ffmpeg({ "report.txt": report }, [
    "-f",
    "lavfi",
    "-i",
    "flite=textfile=report.txt:voice=slt",
    "-ac",
    "1",
    "-ar",
    "22050",
    "-b:a",
    "40k",
    "-write_xing",
    "1",
    "report.mp3",
  ]);
