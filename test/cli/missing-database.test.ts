/** A command in the wrong folder: it names the database it looked for, and creates none. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { command } from "../support/commands/command.ts";
import { startServer, temporaryFolder } from "../support/harness.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.close());

describe("without a database, an error names the file and what to do", () => {
  test.each([
    [["feed"]],
    [["brief", "atlas"]],
    [["recall", "maps"]],
    [["search", "maps"]],
    [["decide", "atlas", "Text"]],
    [["prefer", "tone", "plain"]],
    [["project", "list"]],
    [["event", "import", import.meta.path]],
    [["asset", "list"]],
  ])("svc %p: another folder, or a server", async (args) => {
    const { code, output, errors } = await command(args, { SVC_DATA_DIR: folder.path });
    expect([code, output, errors]).toEqual([
      1,
      "",
      `svc: No database at ${join(folder.path, "svc.db")}. Name its folder with --data-dir, or use a server with svc login or --server.\n`,
    ]);
    expect(await readdir(folder.path)).toEqual([]);
  });

  test.each([[["token", "rotate", "--all"]], [["backup", "x.tar"]], [["mcp"]]])(
    "svc %p: another folder, or a new database",
    async (args) => {
      const { code, output, errors } = await command(args, { SVC_DATA_DIR: folder.path });
      expect([code, output, errors]).toEqual([
        1,
        "",
        `svc: No database at ${join(folder.path, "svc.db")}. Name its folder with --data-dir, or create one with svc serve or svc project link.\n`,
      ]);
      expect(await readdir(folder.path)).toEqual([]);
    },
  );

  test("svc doctor reports it as a finding", async () => {
    const { code, output } = await command(["doctor"], { SVC_DATA_DIR: folder.path });
    expect([code, output]).toEqual([1, expect.stringMatching(/^✗ database {7}No database at /)]);
  });
});

describe("a command that creates a database says where", () => {
  test("svc project link", async () => {
    await using own = await temporaryFolder();
    const link = () => command(["project", "link", "atlas", "--repo", "a/b"], { SVC_DATA_DIR: own.path });
    const path = join(own.path, "svc.db");
    expect((await link()).errors).toBe(
      `Created the database ${path}.\nLinked project "atlas" to a/b in ${path}.\n`,
    );
    expect((await link()).errors).toBe(`Updated project "atlas" in ${path}.\n`);
  });

  test("svc serve, and svc restore", async () => {
    await using own = await temporaryFolder();
    const url = `sqlite:${join(own.path, "served.db")}`;
    await using server = await startServer({ url }, { SVC_DATA_DIR: own.path });
    expect(server.output()).toStartWith(`Created the database ${join(own.path, "served.db")}\n`);
    const backup = join(own.path, "backup.tar");
    expect((await command(["backup", backup], { SVC_DATABASE_URL: url })).code).toBe(0);
    const target = join(own.path, "restored.db");
    const { code, errors } = await command(["restore", backup], {
      SVC_DATABASE_URL: `sqlite:${target}`,
      SVC_DATA_DIR: join(own.path, "other"),
    });
    expect([code, errors]).toEqual([
      0,
      expect.stringContaining(`Created the database ${target}.\nRestored `),
    ]);
  });
});
