/**
 * `svc probe`, not listed in help: the child process that parses uploads for the server, over standard input
 * and output.
 */
import { readSync, writeSync } from "node:fs";
import { type Pipe, runProbeChild } from "../src/files/probe/sandbox/child.ts";
import { useUsualJit } from "./usual-jit.ts";

const [input, output] = [0, 1];

const pipe: Pipe = {
  read(length) {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const count = readSync(input, bytes, at, length - at, null);
      if (count === 0) process.exit(0); // the server has exited
      at += count;
    }
    return bytes;
  },
  write(bytes) {
    for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at);
  },
};

export function runProbe(): Promise<void> {
  useUsualJit();
  return runProbeChild(pipe);
}

if (import.meta.main) await runProbe();
