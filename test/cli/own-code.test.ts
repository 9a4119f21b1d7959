/** The executable runs its own code only: none from a cache in the home folder, none of the working folder. */
import { expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { freshDatabase, programToken, runProgram, startServer, temporaryFolder } from "../support/harness.ts";

test.skipIf(!process.env.SVC_TEST_BINARY)(
  "svc runs no code from a cache in the home folder, and reads no settings of Bun",
  async () => {
    await using folder = await temporaryFolder();
    await using database = await freshDatabase("sqlite");
    const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
    // Where Bun keeps what it transpiled, and runs it from.
    const cache = join(home, ".bun/install/cache/@t@");
    await mkdir(cache, { recursive: true });
    const hostile = {
      "preload.ts": "console.log('PRELOADED');",
      "bunfig.toml": 'preload = ["./preload.ts"]',
      ".env": "SVC_SITE_URL=http://hostile.example",
      "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./preload.ts"] } } }',
      "package.json": '{ "bun": { "preload": ["./preload.ts"] } }',
      "node_modules/node:fs/index.js": "console.log('PRELOADED');",
    };
    for (const [name, text] of Object.entries(hostile)) await Bun.write(join(work, name), text);
    const env = {
      HOME: home,
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: undefined,
      SVC_DATA_DIR: join(folder.path, "data"),
      SVC_ASSET_STORE: undefined,
    };
    const inWork = ["env", "-C", work];
    await using server = await startServer(database, env, undefined, inWork);
    const link = ["project", "link", "atlas", "--repo", "acme/atlas"];
    const linked = runProgram(link, { ...env, SVC_DATABASE_URL: database.url }, inWork);
    expect([await linked.ended, linked.errors()]).toEqual([0, expect.not.stringContaining("PRELOADED")]);
    await Bun.write(join(work, "large.txt"), "some words\n".repeat(100_000)); // hashed by the other worker
    for (const file of ["bunfig.toml", "large.txt"]) {
      const client = { ...env, SVC_URL: server.origin, SVC_TOKEN: programToken };
      const pushed = runProgram(["asset", "push", file, "--project", "atlas"], client, inWork);
      expect([await pushed.ended, pushed.errors()]).toEqual([0, expect.stringContaining("Uploaded")]);
    }
    expect(await server.terminate()).toBe(0);
    expect(server.output() + server.errors() + linked.output()).not.toMatch(/PRELOADED|hostile/);
    expect(await readdir(cache)).toEqual([]);
  },
);
