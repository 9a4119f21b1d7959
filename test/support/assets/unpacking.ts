/** Unpacks a bundle with the probe, and expects it to be refused. */
import { expect } from "bun:test";
import { Problem } from "../../../src/core/problem.ts";
import type { BundleFile, Probe, Sink } from "../../../src/files/probe/port.ts";
import { openProbe } from "../../../src/files/probe/probe.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { type LogLine, probeCommand } from "../harness.ts";
import { html, type ZipEntry } from "./media.ts";

export const ours = probeCommand();

export function open(command = ours): Probe & { logged: LogLine[] } {
  const logged: LogLine[] = [];
  return {
    ...openProbe({ command, log: (level, message, fields) => void logged.push({ level, message, fields }) }),
    logged,
  };
}
export const probe = open();
export const MiB = 2 ** 20;

/** Keeps files in memory. */
export class Kept implements Sink {
  readonly files = new Map<string, { file: BundleFile; content: Buffer }>();
  dropped = 0;

  async write(file: BundleFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.files.set(file.path, { file, content: Buffer.alloc(0) });
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    this.files.set(file.path, { file, content: Buffer.concat(pieces) });
  }

  async discard(): Promise<void> {
    this.files.clear();
    this.dropped++;
  }
}

/** Counts files and bytes, and forgets them. */
export class Counted implements Sink {
  files = 0;
  bytes = 0;
  dropped = 0;

  async write(_file: BundleFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.files++;
    for await (const piece of content) this.bytes += piece.length;
  }

  async discard(): Promise<void> {
    this.dropped++;
  }
}

/** The result for a bundle without stored files. */
export async function refusal(
  bundle: Uint8Array,
  by = probe,
  sink: Sink & { dropped: number } = new Kept(),
): Promise<string> {
  const error = await by.unbundle(bytesSource(bundle), sink).then(
    () => null,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(Problem);
  expect([error.status, sink.dropped]).toEqual([400, 1]);
  if (sink instanceof Kept) expect(sink.files.size).toBe(0);
  return error.detail;
}

export const index: ZipEntry = { name: "index.html", data: html };
