/** A probe without helpers, and children that do something else than parse. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Inspection } from "../../../src/files/probe/kind.ts";
import type { Limits } from "../../../src/files/probe/limits.ts";
import type { Probe, UploadFormat } from "../../../src/files/probe/port.ts";
import { openProbe } from "../../../src/files/probe/probe.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { type LogLine, must, probeCommand } from "../harness.ts";
import { repositoryRoot } from "../repository.ts";
import * as made from "./media.ts";

export const root = repositoryRoot;
export const command = probeCommand();

interface TestProbe extends Probe {
  logged: LogLine[];
}

/** No helper is found, unless `path` names a folder that holds one. */
export function open(
  options: { command?: string[]; path?: string | undefined; limits?: Partial<Limits> } = {},
): TestProbe {
  const logged: LogLine[] = [];
  const log = (level: string, message: string, fields: Record<string, unknown>) =>
    void logged.push({ level, message, fields });
  return { ...openProbe({ command, path: "", log, ...options } as Parameters<typeof openProbe>[0]), logged };
}

export const probe = open();
export const look = (bytes: Uint8Array | string): Promise<Inspection> =>
  probe.inspect(bytesSource(made.bytes(bytes)));

/** Type, kind, width, height, duration. */
export type Expected = [
  mime: string,
  kind: Inspection["kind"],
  width?: number | null,
  height?: number | null,
  duration_ms?: number | null,
];
export const asInspection = ([
  mime,
  kind,
  width = null,
  height = null,
  duration_ms = null,
]: Expected): Inspection => ({
  mime,
  kind,
  width,
  height,
  duration_ms,
});
export type Made = Uint8Array | string | Promise<Uint8Array>;

export function describeFiles(
  title: string,
  files: [name: string, bytes: () => Made, expected: Expected][],
): void {
  describe(title, () => {
    for (const [name, bytes, expected] of files)
      test(name, async () => expect(await look(await bytes())).toEqual(asInspection(expected)));
  });
}

export async function turned(): Promise<Uint8Array> {
  return made.withSegment(await made.jpeg(60, 40), made.orientation(6));
}

export const cut = async (bytes: Made, length: number) =>
  made.bytes((await bytes) as Uint8Array).subarray(0, length);

export async function expectThumbnail(
  thumbnail: Uint8Array | null,
  size: [number, number] | null,
  expected: UploadFormat = "jpeg",
): Promise<void> {
  if (size === null) return void expect(thumbnail).toBeNull();
  const { width, height, format } = await new Bun.Image(must(thumbnail)).metadata();
  expect([format, width, height] as unknown[]).toEqual([expected, ...size]);
  expect(must(thumbnail).length).toBeLessThanOrEqual(200_000);
}

/** A helper that does what the words of a shell say, in a folder to be looked in. */
export async function helper(name: string, words: string): Promise<string> {
  const place = join(tmpdir(), `helper-${crypto.randomUUID()}`);
  await mkdir(place);
  const path = join(place, name);
  await writeFile(path, `#!/bin/sh\n${words}\n`);
  await chmod(path, 0o755);
  return place;
}

/** False for a process that ended and was not collected by its parent yet (proc(5), state Z). */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};

/** A child that does something else. It leaves its number in a file before. */
export async function child(script: string): Promise<{ command: string[]; pid: () => number }> {
  const path = join(tmpdir(), `child-${crypto.randomUUID()}.ts`);
  const frames = JSON.stringify(join(root, "src/files/probe/sandbox/message-frames.ts"));
  const outputFile = `${path}.pid`;
  await writeFile(
    path,
    `import { readSync, writeFileSync, writeSync } from "node:fs";
     import { encodeFrame } from ${frames};
     const say = (head, body) => writeSync(1, encodeFrame(head, body));
     writeFileSync(${JSON.stringify(outputFile)}, String(process.pid));
     ${script}`,
  );
  return { command: [process.execPath, path], pid: () => Number(readFileSync(outputFile, "utf8")) };
}
export const typed =
  'say({ say: "found", found: { mime: "image/png", kind: "image", width: null, height: null, duration_ms: null } });';
