/** The npm packages and the MCP bundle, started by Node as on a machine without Bun. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { McpbManifestSchema } from "@anthropic-ai/mcpb/schemas/0.3";
import { version } from "../../../src/core/version.ts";
import { must, temporaryFolder } from "../../support/harness.ts";
import { serverJson } from "../../support/http/public-schemas.ts";
import { draftRelease, emptyHome, run } from "../../support/release/packages.ts";

const hasNpx = Bun.which("npx", { PATH: "/usr/local/bin:/usr/bin:/bin" }) !== null;
const platform = `${process.platform}-${process.arch}`;
let folder = "";
beforeAll(async () => {
  folder = await draftRelease("/bin/echo");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const named = async (pattern: RegExp): Promise<string> =>
  join(folder, must((await readdir(folder)).find((name) => pattern.test(name))));

describe.if(hasNpx)("npx", () => {
  const npx = async (home: string, ...words: string[]) => {
    const tarballs = [await named(/svc-\d[^-]*\.tgz$/), await named(/-(x64|arm64)-[^-]*\.tgz$/)];
    const packages = tarballs.flatMap((path) => ["-p", path]);
    return run(["npx", "--yes", "--offline", ...packages, "svc", ...words], {
      cwd: home,
      env: emptyHome(home),
    });
  };

  test("starts the executable from the tarballs in an empty home, and unpacks it once", async () => {
    await using home = await temporaryFolder();
    const executable = join(home.path, ".local/share/svc/bin/svc");
    const first = await npx(home.path, "hello", "two words");
    expect([first.code, first.output]).toEqual([0, "hello two words\n"]);
    expect(first.errors).toContain(`Unpacking svc ${version} to ${executable}, once.\n`);
    expect((await stat(executable)).mode & 0o777).toBe(0o755);
    expect((await npx(home.path, "again")).errors).not.toContain("Unpacking");
  });

  test("replaces another version, and reports the exit code and the signal of the executable", async () => {
    await using home = await temporaryFolder();
    const bin = join(home.path, ".local/share/svc/bin");
    await Bun.write(join(bin, "svc"), "#!/bin/sh\nexit 7\n");
    await Bun.write(join(bin, "svc.sha256"), "of another version");
    expect((await npx(home.path, "new")).output).toBe("new\n");
    const stamp = await Bun.file(join(bin, "svc.sha256")).text();
    const { size } = await stat(join(bin, "svc"));
    await Bun.write(join(bin, "svc"), "#!/bin/sh\nexit 7\n".padEnd(size, "#"));
    await chmod(join(bin, "svc"), 0o755);
    expect([(await npx(home.path)).code, stamp]).toEqual([7, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test("says in one line where it cannot unpack, and which package is missing", async () => {
    await using place = await temporaryFolder();
    await run(["tar", "-xf", await named(/svc-\d[^-]*\.tgz$/), "-C", place.path]);
    const launcher = join(place.path, "package/svc.cjs");
    const alone = await run(["node", launcher], { env: emptyHome(place.path) });
    const missing = `The package @svc-project/svc-${platform} is missing.`;
    expect([alone.code, alone.errors]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^svc: ${missing}.*\n$`)),
    ]);
    await run([
      "tar",
      "-xf",
      await named(/-(x64|arm64)-[^-]*\.tgz$/),
      "-C",
      place.path,
      "--one-top-level=other",
    ]);
    await run(["mv", join(place.path, "other/package"), join(place.path, "package/executable")]);
    const packed = join(place.path, "package/executable/package.json");
    const facts = await Bun.file(packed).text();
    await Bun.write(packed, facts.replace(/"sha256": "..../, '"sha256": "0000'));
    const damaged = await run(["node", launcher], { env: emptyHome(place.path) });
    expect([damaged.code, damaged.errors]).toEqual([
      1,
      expect.stringMatching(/\nsvc: The package is damaged.*\n$/),
    ]);
    expect(existsSync(join(place.path, ".local/share/svc/bin/svc"))).toBe(false);
    await Bun.write(packed, facts);
    await Bun.write(join(place.path, "file"), "");
    const env = { ...emptyHome(place.path), XDG_DATA_HOME: join(place.path, "file") };
    const { code, errors } = await run(["node", launcher], { env });
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(/\nsvc: Cannot unpack to .*XDG_DATA_HOME.*\n$/),
    ]);
  });
});

test("the MCP bundle has the manifest that its tools demand, and starts by the command in it", async () => {
  await using place = await temporaryFolder();
  expect((await run(["unzip", "-q", await named(/\.mcpb$/), "-d", place.path])).code).toBe(0);
  const manifest = McpbManifestSchema.parse(await Bun.file(join(place.path, "manifest.json")).json());
  const { command = "", args = [] } = manifest.server.mcp_config ?? {};
  const data = join(place.path, "data");
  const words = args.map((word) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the host
    word.replace("${__dirname}", place.path).replace("${user_config.data_dir}", data),
  );
  const { code, output } = await run([command, ...words], { env: emptyHome(place.path) });
  expect([code, output]).toEqual([0, `mcp --data-dir ${data}\n`]);
  expect(existsSync(join(place.path, manifest.server.entry_point))).toBe(true);
});

test("server.json names the npm package, and with a URL the bundle and its sum", async () => {
  const { packages, ...entry } = await Bun.file(join(folder, "server.json")).json();
  expect(Object.keys(entry).filter((key) => !(key in serverJson.properties))).toEqual([]);
  expect(packages).toEqual([
    {
      registryType: "npm",
      identifier: "@svc-project/svc",
      version,
      transport: { type: "stdio" },
      packageArguments: [{ type: "positional", value: "mcp" }],
    },
  ]);
  const published = await draftRelease("/bin/echo", "--url", "https://example.com/0.0.1/");
  const { packages: both } = await Bun.file(join(published, "server.json")).json();
  const bundle = both[1].identifier.replace("https://example.com/0.0.1/", "");
  const sums = await Bun.file(join(published, "SHA256SUMS")).text();
  expect(sums).toContain(`${both[1].fileSha256}  ${bundle}\n`);
  expect(await Bun.file(join(published, "install.sh")).text()).toContain("from='https://example.com/0.0.1'");
  await rm(published, { recursive: true });
});
