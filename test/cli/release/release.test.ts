/** The packages of a release, made of a small program in place of the executable. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../../src/core/version.ts";
import { temporaryFolder } from "../../support/harness.ts";
import { draftRelease, emptyHome, release, run } from "../../support/release/packages.ts";
import { repositoryRoot } from "../../support/repository.ts";

/** Prints its arguments. */
const program = "/bin/echo";
const isLinux = process.platform === "linux";
const platform = `${process.platform}-${process.arch}`;
let folder = "";
beforeAll(async () => {
  folder = await draftRelease(program);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a release", () => {
  test.if(isLinux)("has every package of this platform, each with its sum", async () => {
    const names = await readdir(folder);
    const endings = [".deb", ".rpm", ".oci.tar", ".mcpb", `${platform}-${version}.tgz`, `svc-${version}.tgz`];
    for (const ending of [...endings, "install.sh", "server.json"])
      expect(names.filter((name) => name.endsWith(ending))).toHaveLength(1);
    const sums = await Bun.file(join(folder, "SHA256SUMS")).text();
    expect(sums.match(/^[0-9a-f]{64} {2}\S+$/gm)?.length).toBe(names.length - 1);
    expect(await run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], { cwd: folder })).toMatchObject({
      code: 0,
    });
  });

  test("is the same for the same source", async () => {
    const second = await draftRelease(program);
    const sums = (path: string) => Bun.file(join(path, "SHA256SUMS")).text();
    expect(await sums(second)).toBe(await sums(folder));
    await rm(second, { recursive: true });
  });

  test.if(Bun.which("openssl") !== null)("is signed with a key, which openssl checks", async () => {
    await using place = await temporaryFolder();
    const key = join(place.path, "key.pem");
    await run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key]);
    const signed = await draftRelease(program, "--key", key);
    const verify = () =>
      run(
        ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "svc-release.pub", "-rawin"].concat([
          "-in",
          "SHA256SUMS",
          "-sigfile",
          "SHA256SUMS.sig",
        ]),
        { cwd: signed },
      );
    expect(await verify()).toMatchObject({ code: 0 });
    await Bun.write(join(signed, "SHA256SUMS"), "other");
    expect((await verify()).code).not.toBe(0);
    await rm(signed, { recursive: true });
  });

  test("says in one line what it cannot make or sign", async () => {
    await using place = await temporaryFolder();
    const to = ["--draft", "--executable", program, "--outdir", join(place.path, "out")];
    const unknown = await release(...to, "--platform", "beos-x64");
    expect(unknown).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^.*no package for "beos-x64".*\n$/),
    });
    const unsigned = await release(...to, "--key", join(place.path, "none.pem"));
    expect(unsigned).toMatchObject({
      code: 2,
      errors: expect.stringContaining("is not a private Ed25519 key"),
    });
    expect((await release("--collect", "--outdir", place.path)).errors).toMatch(
      /^.*has no packages of .*\n$/,
    );
  });
});

describe("install.sh", () => {
  const install = (home: string, ...words: string[]) =>
    run(["sh", join(folder, "install.sh"), ...words], { cwd: home, env: emptyHome(home) });

  test("installs the executable, and says where", async () => {
    await using home = await temporaryFolder();
    const dir = join(home.path, "bin");
    const { code, output } = await install(home.path, "--dir", dir);
    expect([code, output]).toEqual([0, expect.stringContaining(`Installed svc ${version} to ${dir}/svc`)]);
    expect((await run([join(dir, "svc"), "hello"])).output).toBe("hello\n");
    expect(await readdir(dir)).toEqual(["svc"]);
  });

  test("refuses a file with another sum, a missing one, and an unknown option, in one line each", async () => {
    await using home = await temporaryFolder();
    const archive = (await readdir(folder)).find(
      (name) => name.includes(".tar.") && !name.endsWith(".tar"),
    ) as string;
    await Bun.write(join(home.path, "from", archive), "other");
    const failures = [
      [["--from", join(home.path, "from")], /^svc: \S+ is damaged: its SHA-256 is \w+, expected \w+\n$/],
      [["--from", join(home.path, "none")], /^svc: \S+ does not exist\n$/],
      [["--to", "x"], /^svc: unknown option --to\. Usage: .*\n$/],
    ] as const;
    for (const [words, message] of failures)
      expect(await install(home.path, "--dir", join(home.path, "bin"), ...words)).toEqual({
        code: 1,
        output: "",
        errors: expect.stringMatching(message),
      });
    expect(await readdir(home.path)).toEqual(["from"]);
  });
});

test.if(isLinux && process.arch === "x64")("the README names packages as they are", async () => {
  const readme = await Bun.file(join(repositoryRoot, "README.md")).text();
  const named = [...readme.matchAll(/\.\/([\w.-]+\.(?:tgz|deb|rpm|sh|tar|mcpb))\b/g)].map(([, name]) => name);
  expect(named.length).toBe(7);
  const names = await readdir(folder);
  expect(named.filter((name) => !names.includes(name as string))).toEqual([]);
});

test("the workflow that publishes a release uses options that there are", async () => {
  const text = await Bun.file(join(repositoryRoot, ".github/workflows/release.yml")).text();
  const { jobs } = Bun.YAML.parse(text) as { jobs: Record<string, { steps: { run?: string }[] }> };
  const commands = Object.values(jobs)
    .flatMap(({ steps }) => steps.map(({ run = "" }) => run.replaceAll("\\\n", " ")))
    .flatMap((run) => run.match(/run release .*/g) ?? []);
  expect(commands.length).toBe(2);
  const program = await Bun.file(join(repositoryRoot, "cli/release/release.ts")).text();
  const used = commands.flatMap((command) =>
    [...command.matchAll(/ --([\w-]+)/g)].map(([, name = ""]) => name),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !new RegExp(`^      "?${name}"?: \\{ type`, "m").test(program))).toEqual([]);
});
