/** The child process that parses a file, and children that misbehave. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Limits, limits } from "../../../src/files/probe/limits.ts";
import type { Probe } from "../../../src/files/probe/port.ts";
import { childAllowance, resourceLimits } from "../../../src/files/probe/sandbox/resource-limits.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { changed } from "../../support/assets/hostile-files.ts";
import * as made from "../../support/assets/media.ts";
import {
  asInspection,
  child,
  type Expected,
  expectThumbnail,
  isAlive,
  look,
  open,
  root,
  typed,
} from "../../support/assets/test-probe.ts";
import { must, until } from "../../support/harness.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

const isFenced = Bun.which("setpriv") !== null && Bun.which("prlimit") !== null;

useTemporaryFolder();

const png = bytesSource(made.png(60, 40));

test("a WebM of 280 bytes that keeps its parser at one place is a file, and nothing waits for a time limit", async () => {
  const webm = await made.webm();
  const endless = changed(
    webm,
    Buffer.from(webm).indexOf("\x16\x54\xae\x6b", 0, "latin1") + 4,
    made.bytes([0]),
  );
  const probe = open({ limits: { childMs: 2000 } });
  expect(await probe.inspect(bytesSource(endless))).toEqual(asInspection(["video/webm", "file"]));
  expect(probe.logged).toEqual([]);
});

/** The real one, which also writes down that it began. */
async function counted(bounds: Partial<Limits> = {}) {
  const [path, pidFile] = [join(tmpdir(), `${Bun.randomUUIDv7()}.ts`), join(tmpdir(), Bun.randomUUIDv7())];
  await writeFile(
    path,
    `import { appendFileSync } from "node:fs";
     import { runProbe } from ${JSON.stringify(join(root, "cli/probe.ts"))};
     appendFileSync(${JSON.stringify(pidFile)}, process.pid + " ");
     await runProbe();`,
  );
  const pids = () => readFileSync(pidFile, "utf8").trim().split(" ").map(Number);
  return { probe: open({ command: [process.execPath, path], limits: bounds }), pids };
}

describe("a child", () => {
  const image = () => made.bytes(made.png(60, 40));
  const inspect = (probe: Probe, bytes: Uint8Array, owner?: string) =>
    probe.inspectWithThumbnail({ ...bytesSource(bytes), ...(owner !== undefined && { owner }) });

  test("that ran no parser is reused for the next file, and ends when it is idle", async () => {
    const { probe, pids } = await counted({ idleMs: 2_000 });
    const types: string[] = [];
    for (const bytes of [made.bytes([7, 0]), new Uint8Array(), made.bytes(made.pdf())])
      types.push((await inspect(probe, bytes)).inspection.mime);
    expect(types).toEqual(["application/octet-stream", "application/octet-stream", "application/pdf"]);
    expect(pids()).toHaveLength(1);
    await until(() => !isAlive(must(pids()[0])), "it exits when idle");
  });

  test("that parsed a file is reused for files of its owner only", async () => {
    const { probe, pids } = await counted();
    for (const owner of ["ann", "ann", "bob", "bob", "ann"])
      await expectThumbnail((await inspect(probe, image(), owner)).thumbnail, [60, 40]);
    expect(pids()).toHaveLength(2);
    for (let count = 0; count < 2; count++) await inspect(probe, image());
    expect(pids()).toHaveLength(4);
    expect(probe.logged).toEqual([]);
  });

  test("that looked into a zip is reused for files of its owner only", async () => {
    const { probe, pids } = await counted();
    const kinds: string[] = [];
    for (const owner of ["ann", "ann", "bob"])
      for (const name of ["a.txt", "index.html"])
        kinds.push((await inspect(probe, made.bytes(made.zip([{ name }])), owner)).inspection.kind);
    expect([kinds, pids().length]).toEqual([["file", "html", "file", "html", "file", "html"], 2]);
  });

  test("is not reused after a damaged file or a damaged zip, nor after many files", async () => {
    const { probe, pids } = await counted();
    const damaged = image().fill(0xff, 60);
    for (const bytes of [damaged, made.bytes(made.zip([{ name: "a" }])).fill(0xff, 40)]) {
      await inspect(probe, bytes, "ann");
      await inspect(probe, bytes, "ann");
    }
    expect(pids()).toHaveLength(4);
    for (let count = 0; count <= limits.parsedFiles; count++) await inspect(probe, image(), "ann");
    expect(pids()).toHaveLength(6);
  });

  test("that parsed another file does not decide that this one is damaged", async () => {
    const outputFile = join(tmpdir(), Bun.randomUUIDv7());
    const { command } = await child(
      `const { appendFileSync } = await import("node:fs");
       appendFileSync(${JSON.stringify(outputFile)}, "begun ");
       const { readFrame } = await import(${JSON.stringify(join(root, "src/files/probe/sandbox/message-frames.ts"))});
       const hear = () => readFrame((length) => {
         const bytes = new Uint8Array(length);
         for (let at = 0; at < length; at += readSync(0, bytes, at, length - at, null));
         return bytes;
       }, 2 ** 20);
       const typed = (kind) => ({ mime: "image/png", kind, width: null, height: null, duration_ms: null });
       say({ say: "ready" });
       hear();
       for (let count = 0; ; count++) {
         say({ say: "found", found: typed("image") });
         hear();
         say({ say: "done", found: typed(count === 0 ? "image" : "file"), isReusable: count === 0 });
         hear();
       }`,
    );
    const probe = open({ command });
    for (let count = 0; count < 3; count++)
      expect((await inspect(probe, image(), "ann")).inspection.kind).toBe("image");
    expect(readFileSync(outputFile, "utf8")).toBe("begun ".repeat(3));
  });

  test("may die while it is idle", async () => {
    const { probe, pids } = await counted();
    await inspect(probe, image(), "ann");
    process.kill(must(pids()[0]), "SIGKILL");
    for (let count = 0; count < 2; count++)
      expect((await inspect(probe, image(), "ann")).inspection.width).toBe(60);
    expect(pids()).toHaveLength(2);
  });
});

test("a file whose child another process kills is inspected again", async () => {
  const { probe, pids } = await counted();
  const png = made.noisyPng(300, 300);
  let reads = 0;
  const read = async (offset: number, length: number) => {
    // The first one is of the head, before there is a child.
    if (reads++ === 1) process.kill(must(pids()[0]), "SIGKILL");
    return png.subarray(offset, offset + length);
  };
  expect((await probe.inspect({ size: png.length, read })).width).toBe(300);
  expect(pids()).toHaveLength(2);
});

describe("a child process that", () => {
  const unknown: Expected = ["application/octet-stream", "file"];
  const misdeeds: [does: string, script: string, expected: Expected, reason: RegExp][] = [
    ["hangs is killed", "for (;;);", unknown, /^exceeded its time limit$/],
    [
      "hangs after it found the type leaves the type",
      `${typed} for (;;);`,
      ["image/png", "image"],
      /^exceeded its time limit$/,
    ],
    [
      "talks and talks is killed",
      `for (;;) { ${typed} readSync(0, new Uint8Array(10)); Bun.sleepSync(9); } for (;;);`,
      ["image/png", "image"],
      /^exceeded its time limit$/,
    ],
    [
      "dies leaves what is known",
      `${typed} process.kill(process.pid, "SIGABRT");`,
      ["image/png", "image"],
      /^was killed by SIGABRT$/,
    ],
    ["fails throws no exception", "process.exit(3);", unknown, /^exited with code 3$/],
    ["ends without a message throws no exception", "", unknown, /^sent an invalid message$/],
    [
      "prints garbage is not read on",
      'for (;;) writeSync(1, "garbage ".repeat(1000));',
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "announces four gigabytes is not read on",
      "writeSync(1, new Uint8Array(8).fill(255)); for (;;);",
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "says no JSON is not read on",
      "writeSync(1, new Uint8Array([0, 0, 0, 1, 0, 0, 0, 0, 33])); for (;;);",
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "asks for other bytes than the file's gets none",
      'say({ say: "read", offset: -1, length: 9 }); for (;;);',
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "asks for too much gets none",
      'say({ say: "read", offset: 0, length: 2 ** 30 }); for (;;);',
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "lies about the type is not believed",
      'say({ say: "found", found: { mime: "a/b\\r\\nx: y", kind: "image" } });',
      unknown,
      /^sent an invalid message$/,
    ],
  ];
  for (const [does, script, expected, reason] of misdeeds)
    test(does, async () => {
      const { command, pid } = await child(script);
      const probe = open({ command, limits: script.endsWith("for (;;);") ? { childMs: 2000 } : {} });
      expect(await probe.inspect(png)).toEqual(asInspection(expected));
      expect(isAlive(pid())).toBe(false);
      expect(probe.logged.map(({ fields }) => fields.reason)).toEqual([expect.stringMatching(reason)]);
    });

  test("cannot be started throws nothing", async () => {
    const probe = open({ command: [join(tmpdir(), "nothing")] });
    expect(await probe.inspect(png)).toEqual(asInspection(unknown));
    expect(await probe.thumbnail(png, await look(made.png(60, 40)))).toBeNull();
    expect((await probe.helpers())[0]).toMatchObject({ name: "probe", version: null });
    expect(probe.logged).toHaveLength(3);
  });

  test.skipIf(!existsSync("/proc/self/status"))("takes too much memory is killed early", async () => {
    const outputFile = join(tmpdir(), "grown");
    const { command, pid } = await child(
      `${typed} const kept = [];
       for (let count = 1; ; count++) {
         kept.push(new Uint8Array(2 ** 20).fill(count));
         writeFileSync(${JSON.stringify(outputFile)}, String(count));
         Bun.sleepSync(1);
       }`,
    );
    const probe = open({ command });
    expect(await probe.inspect(png)).toEqual(asInspection(["image/png", "image"]));
    expect(isAlive(pid())).toBe(false);
    expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(["exceeded its memory limit"]);
    expect(Number(readFileSync(outputFile, "utf8"))).toBeLessThan(320);
  });

  test.skipIf(!isFenced)("has a CPU limit of twice its working time", async () => {
    const words = await resourceLimits();
    for (const workMs of [limits.childMs, limits.bundleMs]) {
      const output = Bun.spawnSync([
        ...words({ ...childAllowance, workMs, bytesMax: limits.childBytes }),
        "prlimit",
        "--cpu",
        "--output",
        "SOFT,HARD",
        "--raw",
        "--noheadings",
      ]).stdout;
      expect(output.toString().trim()).toBe(`${workMs / 500} ${workMs / 500 + 1}`);
    }
  });

  test.skipIf(!isFenced)("hangs dies with a killed server", async () => {
    const { command, pid } = await child("setInterval(() => {}, 1_000_000);");
    const script = `import { openProbe } from ${JSON.stringify(join(root, "src/files/probe/probe.ts"))};
      const probe = openProbe({ command: ${JSON.stringify(command)}, log() {}, limits: { childMs: 60_000, sourceMs: 60_000 } });
      await probe.inspect({ size: 4, read: async () => Buffer.from("PK\\x03\\x04") });`;
    const server = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] });
    await until(() => existsSync(`${must(command[1])}.pid`) && isAlive(pid()), "the child runs");
    server.kill("SIGKILL");
    await server.exited;
    await until(() => !isAlive(pid()), "the child is gone as well");
  });

  test("returns something other than a thumbnail makes none", async () => {
    for (const body of [
      'Buffer.from("<script>")',
      'Buffer.concat([Buffer.from("RIFF0000WEBP"), new Uint8Array(300_000)])',
    ]) {
      const { command } = await child(`say({ say: "done" }, ${body}); for (;;);`);
      expect(await open({ command }).thumbnail(png, await look(made.png(60, 40)))).toBeNull();
    }
  });

  test("runs without environment, in an empty folder that is deleted afterwards", async () => {
    const outputFile = join(tmpdir(), "surroundings");
    const { command } = await child(
      `const { readdirSync } = await import("node:fs");
       const inside = [Object.keys(process.env).filter((name) => name !== "PWD"), process.cwd(), readdirSync(".")];
       writeFileSync(${JSON.stringify(outputFile)}, JSON.stringify(inside));`,
    );
    await open({ command }).inspect(png);
    const [names, cwd, files] = JSON.parse(readFileSync(outputFile, "utf8"));
    expect([names, files]).toEqual([[], []]);
    expect([dirname(cwd), existsSync(cwd)]).toEqual([realpathSync(tmpdir()), false]);
  });
});
