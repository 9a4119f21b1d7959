/** A zip file is a bundle or a plain file only after its whole check: one that breaks off is an error. */
import { describe, expect, test } from "bun:test";
import type { Limits } from "../../../src/files/probe/limits.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { zip } from "../../support/assets/media.ts";
import { asInspection, child, open } from "../../support/assets/test-probe.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const bundle = bytesSource(zip([{ name: "index.html" }]));
/** Reports the type, as the child does before it reads the directory of a zip file. */
const typed = `
  const { readSync } = await import("node:fs");
  say({ say: "found", found: { mime: "application/zip", kind: "file" } });
  readSync(0, new Uint8Array(64));`;

const later = { status: 503, headers: { "retry-after": "2" } };
const refused = { status: 400 };
const cases: [does: string, script: string, problem: object, limits?: Partial<Limits>][] = [
  ["runs out of time before it begins", "for (;;);", later, { childMs: 500 }],
  ["runs out of time after the type", `${typed} for (;;);`, later, { childMs: 2000 }],
  ["is killed by the kernel", `${typed} process.kill(process.pid, "SIGKILL");`, later],
  ["crashes", `${typed} process.exit(1);`, refused],
  [
    "takes too much memory",
    `${typed} const kept = [];
     for (;;) { kept.push(new Uint8Array(2 ** 20).fill(1)); Bun.sleepSync(1); }`,
    refused,
  ],
];

describe("a zip file whose check", () => {
  for (const [does, script, problem, limits = {}] of cases)
    test(`${does} is a ${(problem as { status: number }).status}`, async () => {
      const probe = open({ command: (await child(script)).command, limits });
      await expect(probe.inspect(bundle)).rejects.toMatchObject(problem);
      await expect(probe.inspect({ ...bundle, head: await bundle.read(0, 64) })).rejects.toMatchObject(
        problem,
      );
    });

  test("cannot be started is a 503", async () => {
    await expect(open({ command: ["/nowhere/program"] }).inspect(bundle)).rejects.toMatchObject(later);
  });

  test("finishes is a bundle", async () => {
    expect(await open().inspect(bundle)).toEqual(asInspection(["application/zip", "html"]));
  });
});
