/** The commands and client settings of the documentation work. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { fillDemo } from "../../../db/demo.ts";
import { openData } from "../../../db/open.ts";
import { docPages } from "../../../src/api/docs/page.ts";
import type { Deprecation } from "../../../src/core/deprecation.ts";
import {
  blocksOf,
  expectOutput,
  parseCommands,
  runCommands,
  toolsMissing,
} from "../../support/agents/docs-commands.ts";
import { lanes } from "../../support/demo.ts";
import {
  linkIn,
  migratedDatabase,
  must,
  openApp,
  startServer,
  type TestApp,
  temporaryFolder,
  testClock,
} from "../../support/harness.ts";
import { repositoryRoot } from "../../support/repository.ts";

const site = "http://svc.test";
let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite");
});
afterAll(() => app.close());
const pageOf = async (name: string) =>
  must((await docPages(app.ctx)).find((page) => page.name === name)).markdown;

describe.skipIf(toolsMissing.length > 0)("the commands", () => {
  test("of the page for developers run in an empty folder, and say what is stated", async () => {
    await using folder = await temporaryFolder();
    const database = { url: `sqlite:${join(folder.path, "svc.db")}` };
    await using server = await startServer(database, { SVC_DATA_DIR: folder.path });
    const [start, ...rest] = parseCommands(await pageOf("developer"));
    expect(start).toEqual({
      command: "svc serve\n",
      expected: {
        language: "text",
        text: expect.stringMatching(
          /^Created the database .*\nsvc is running at http:\/\/127\.0\.0\.1:8787\n/,
        ),
      },
    });
    const started = server.output().replaceAll(server.origin, "http://127.0.0.1:8787");
    // An executable that is not on PATH names its own.
    expectOutput(must(start?.expected), started.replace(/(?<=agents: ).*(?= backfill$)/m, "svc"));
    const commands = rest.map(({ command }) => command.replaceAll("http://127.0.0.1:8787", server.origin));
    const output = await runCommands(commands, folder.path, { SVC_DATA_DIR: folder.path });
    for (const [index, { expected: stated }] of rest.entries())
      if (stated) expectOutput(stated, must(output[index]));
    expect(rest.filter(({ expected: stated }) => stated).length).toBeGreaterThan(5);
  });

  test.each(["people", "operate", "command-line"])(
    "of %s run on a database of their own, and say what is stated",
    async (names) => {
      await using folder = await temporaryFolder();
      const blocks = parseCommands((await Promise.all(names.split(", ").map(pageOf))).join("\n"));
      const output = await runCommands(
        blocks.map(({ command }) => command),
        folder.path,
        { SVC_DATA_DIR: folder.path },
      );
      for (const [index, { expected: stated }] of blocks.entries())
        expectOutput(must(stated), must(output[index]));
      expect(blocks.length).toBeGreaterThan(4);
    },
  );

  test("of the page for admins run beside a server, and say what is stated", async () => {
    await using folder = await temporaryFolder();
    const env = { SVC_DATA_DIR: folder.path };
    await using server = await startServer({ url: `sqlite:${join(folder.path, "svc.db")}` }, env);
    const commands = parseCommands(await pageOf("admin"));
    const outputs = await runCommands(
      commands.map(({ command }) => command),
      folder.path,
      env,
    );
    for (const [index, { expected }] of commands.entries())
      expectOutput(must(expected), must(outputs[index]));
    expect(outputs[0]).toContain(`${server.origin}/sign-in?link=`);
  });

  test("of the page for leads run on the data of the demo, and say what is stated, other numbers and times apart", async () => {
    await using folder = await temporaryFolder();
    await using database = await migratedDatabase("sqlite");
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
    await fillDemo(data, { now: Date.now() * 1000, lanes });
    await data.close();
    const commands = parseCommands(await pageOf("lead"));
    const outputs = await runCommands(
      commands.map(({ command }) => command),
      folder.path,
      { SVC_DATABASE_URL: database.url },
    );
    const leveled = (text: string) =>
      text
        .replaceAll(/\d+[smhd] ago/g, "0d ago")
        .replaceAll(/\$?\d[\d.]*[kM]?/g, "0")
        .replaceAll(/^[A-Z][a-z]{2} (?=0)/gm, "Nov ");
    for (const [index, { expected }] of commands.entries()) {
      const { language, text } = must(expected);
      expectOutput({ language, text: leveled(text) }, leveled(must(outputs[index])));
    }
    expect(commands.length).toBeGreaterThan(4);
  });

  test("of the README's first look run in an empty folder, and end with the rejection in the brief", async () => {
    await using folder = await temporaryFolder();
    const database = { url: `sqlite:${join(folder.path, "svc.db")}` };
    await using server = await startServer(database, { SVC_DATA_DIR: folder.path });
    const readme = await Bun.file(join(repositoryRoot, "README.md")).text();
    const section = must(/^## A first look\n[\s\S]*?(?=^## )/m.exec(readme)?.[0]);
    const commands = parseCommands(section.replaceAll("http://127.0.0.1:8787", server.origin)).map(
      ({ command }) => command,
    );
    const outputs = await runCommands(commands, folder.path, { SVC_DATA_DIR: folder.path });
    expect(outputs.length).toBe(2);
    expect(outputs[0]).toMatch(/Map of the berths, version 1: Berth 4 is missing\./);
    expect(outputs[1]).toMatch(/Added 1 event/);
  });

  test("of the guide to the API, and of the pages on agents and runs, run against a server, and say what is stated", async () => {
    await using folder = await temporaryFolder();
    await using database = await migratedDatabase("sqlite");
    await using server = await startServer(database, { SVC_DATA_DIR: folder.path, SVC_RATE_LIMIT: "600/60" });
    await linkIn(database);
    // Without a token in the environment: each page creates the one that it uses.
    const env = { SVC_DATABASE_URL: database.url };
    let compared = 0;
    for (const name of ["guide", "connect", "runs"]) {
      await using folder = await temporaryFolder();
      const commands = parseCommands((await pageOf(name)).replaceAll(site, server.origin));
      const outputs = await runCommands(
        commands.map(({ command }) => command),
        folder.path,
        env,
      );
      for (const [index, { expected }] of commands.entries()) {
        if (!expected) continue;
        expectOutput(expected, must(outputs[index]));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(15);
  });
});

test("the policy, the notes and the reference tell what is on its way out, and forget it when it is over", async () => {
  const clock = testClock("2027-03-31T00:00:00Z");
  const days = { deprecated: "2027-01-01T00:00:00Z", sunset: "2027-04-01T00:00:00Z" };
  const deprecations: Deprecation[] = [
    { kind: "operation", name: "listProjects", replacement: "getFeed", ...days },
  ];
  await using retiring = await openApp("sqlite", {}, clock, { deprecations });
  const told = async () =>
    Promise.all(
      ["versioning", "agent-readiness", "api"].map(async (name) =>
        (await retiring.ask(`/docs/${name}.md`)).text(),
      ),
    );
  const row = "| operation `listProjects` | 2027-01-01 | 2027-04-01 | `getFeed` |";
  const [policy, notes, reference] = await told();
  expect(policy).toContain(`${row} works |`);
  expect(notes).toContain(`${row} works |`);
  expect(reference).toContain("Deprecated since 2027-01-01, works until 2027-04-01. Use `getFeed` instead.");
  clock.set("2027-04-02T00:00:00Z");
  const [gone, , without] = await told();
  expect(gone).toContain(`${row} returns 410 |`);
  expect(without).not.toContain("### GET /projects\n");
  clock.set("2027-05-02T00:00:00Z");
  expect((await told())[0]).toContain("Nothing is deprecated.");
});

test("what clients are told to be configured with is JSON and TOML that names this server", async () => {
  const blocks = blocksOf(await pageOf("connect")).filter(
    ({ language }) => language === "json" || language === "toml",
  );
  expect(blocks.length).toBeGreaterThan(5);
  for (const { language, text } of blocks) {
    const value = JSON.stringify(language === "json" ? JSON.parse(text) : Bun.TOML.parse(text));
    expect([value, value.includes(`${site}/mcp`) || value.includes('"svc","args":["mcp"')]).toEqual([
      value,
      true,
    ]);
  }
});
