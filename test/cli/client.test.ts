/**
 * The typed client as others have it: packed, installed, compiled against and run, with the programs of its
 * page.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pack } from "../../cli/client/pack.ts";
import { blocksOf } from "../support/agents/docs-commands.ts";
import {
  linkIn,
  migratedDatabase,
  program,
  type Server,
  startServer,
  type TestDatabase,
  temporaryFolder,
} from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";

const root = repositoryRoot;
const page = await Bun.file(join(root, "src/api/docs/pages/use/guide.md")).text();
const programs = blocksOf(page).filter(({ language }) => language === "ts");

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: TestDatabase;
let server: Server;
beforeAll(async () => {
  [folder, database] = await Promise.all([temporaryFolder(), migratedDatabase("sqlite")]);
  server = await startServer(database, { SVC_DATA_DIR: folder.path });
  await linkIn(database);
  await install(await pack(join(folder.path, "packed")));
});
afterAll(async () => {
  await server.close();
  await database.close();
  await folder.close();
});

/** As a package manager does it, with what it depends on from here. */
async function install(file: string): Promise<void> {
  const modules = join(folder.path, "node_modules");
  await mkdir(join(modules, "svc-client"), { recursive: true });
  expect(
    Bun.spawnSync(["tar", "-xzf", file, "-C", join(modules, "svc-client"), "--strip-components=1"]).exitCode,
  ).toBe(0);
  const beside = dirname(await realpath(join(root, "cli/client/node_modules/openapi-fetch")));
  for (const name of ["openapi-fetch", "openapi-typescript-helpers"])
    await symlink(join(beside, name), join(modules, name));
  await mkdir(join(modules, "@types"));
  await symlink(await realpath(join(root, "node_modules/@types/bun")), join(modules, "@types/bun"));
}

/** What the compiler says of a module beside the package. */
async function compile(name: string, text: string): Promise<string> {
  await Bun.write(join(folder.path, name), text);
  const flags = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "esnext",
    "--module",
    "preserve",
    "--types",
    "bun",
  ];
  return Bun.spawnSync([join(root, "node_modules/.bin/tsc"), ...flags, name], {
    cwd: folder.path,
  }).stdout.toString();
}

test("the programs of its page compile, run, and say what is stated", async () => {
  expect(programs.length).toBe(4);
  expect(await compile("program.ts", programs.map(({ text }) => text).join("\n"))).toBe("");
  const [created = ""] = /svc (token create [^)]+)\)/.exec(page)?.slice(1) ?? [];
  const token = (await program(created.split(" "), { SVC_DATABASE_URL: database.url })).output.trim();
  expect(token).toStartWith("svc_");
  const run = Bun.spawn([process.execPath, "program.ts"], {
    ...{
      cwd: folder.path,
      env: { SVC_URL: server.origin, SVC_TOKEN: token, NO_COLOR: "1" },
      stderr: "pipe",
    },
  });
  const [output, errors] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  expect([await run.exited, errors]).toEqual([0, ""]);
  expect(output.split("\n")).toEqual([
    expect.stringMatching(/^2\S+Z project\.linked Project atlas linked to acme\/atlas$/),
    "1",
    "pending html",
    "404 No project with slug 'nope'.",
    "",
  ]);
  expect(page).toContain("```text\n404 No project with slug 'nope'.\n```");
});

test.each([
  ["a path that is not there", `api.GET("/feeds");`],
  ["a parameter of another type", `api.GET("/feed", { params: { query: { limit: "5" } } });`],
  ["a body without what it needs", `api.POST("/events", { body: { events: [{ kind: "run.started" }] } });`],
  ["a field that no answer has", `api.GET("/feed").then(({ data }) => data?.total);`],
])("%s does not compile", async (_, call) => {
  const text = `import { connect } from "svc-client";\nconst api = connect({ url: "http://svc.test", token: undefined });\n`;
  expect(await compile("wrong.ts", text + call)).toMatch(/^wrong\.ts\(3,\d+\): error TS/);
});
