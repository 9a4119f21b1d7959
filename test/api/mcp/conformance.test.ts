/**
 * The tools that others judge a server by: the official conformance suite, and the official inspector's
 * command line.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { toolOperations } from "../../../src/api/operations/index.ts";
import {
  linkIn,
  migratedDatabase,
  programCommand,
  programEnvironment,
  type Server,
  startServer,
  type TestDatabase,
} from "../../support/harness.ts";
import { repositoryRoot } from "../../support/repository.ts";

const packages = join(repositoryRoot, "node_modules/@modelcontextprotocol");
const baseline = join(import.meta.dir, "conformance.yaml");
const modernBaseline = join(import.meta.dir, "conformance-2026.yaml");

let database: TestDatabase;
let server: Server;
const env = () => ({ SVC_DATABASE_URL: database.url, SVC_ASSET_STORE: "none", SVC_PUBLIC_STORE: "none" });
beforeAll(async () => {
  database = await migratedDatabase("sqlite");
  await linkIn(database);
  server = await startServer(database, {
    ...env(),
    SVC_PUBLIC_READ: "1",
    SVC_RATE_LIMIT: "off",
  });
});
afterAll(async () => {
  await server.close();
  await database.close();
});

/** Runs a program of a package by Bun, whatever its first line asks for. */
async function runPackage(script: string, args: string[]) {
  const child = Bun.spawn([process.execPath, "--bun", join(packages, script), ...args], {
    env: programEnvironment({ ...env(), CI: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [code, output, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, output, errors };
}

describe("the conformance suite", () => {
  test("passes, except for the scenarios in the baseline, which all fail", async () => {
    const { code, output, errors } = await runPackage("conformance/dist/index.js", [
      ...["server", "--url", `${server.origin}/mcp`, "--expected-failures", baseline],
    ]);
    const passed = [...`${output}${errors}`.matchAll(/^✓ (\S+): (\d+) passed, 0 failed/gm)].filter(
      ([, , count]) => Number(count) > 0,
    );
    expect(passed.map(([, name]) => name)).toEqual([
      ...[
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
      ],
    ]);
    expect([code, `${output}${errors}`.match(/unexpected failures?:[\s\S]*/i)?.[0] ?? null]).toEqual([
      0,
      null,
    ]);
  });

  const runModern = (...args: string[]) =>
    runPackage("conformance/dist/index.js", ["server", "--url", `${server.origin}/mcp`, ...args]);

  test("of revision 2026-07-28 passes, except for the scenarios in its baseline", async () => {
    const { code, output, errors } = await runModern(
      ...["--requirements", "2026-07-28", "--expected-failures", modernBaseline],
    );
    const text = `${output}${errors}`;
    expect([code, /unexpected failures?:[\s\S]*/i.exec(text)?.[0] ?? null]).toEqual([0, null]);
    for (const name of ["tools-list", "caching", "sep-2164-resource-not-found", "http-header-validation"])
      expect(text).toMatch(new RegExp(`^✓ ${name}: [1-9]\\d* passed, 0 failed`, "m"));
  }, 120_000);

  test.each(["sep-2640-skills-enumeration", "sep-2640-skills-manifest"])("passes %s", async (scenario) => {
    const { code, output, errors } = await runModern("--scenario", scenario);
    expect([code, `${output}${errors}`]).toEqual([0, expect.stringMatching(/Passed: (\d+)\/\1, 0 failed/)]);
  });

  test.each([baseline, modernBaseline])("has a reason for every scenario in %s", async (path) => {
    const lines = (await Bun.file(path).text()).split("\n").filter((line) => line.startsWith("  - "));
    for (const line of lines) expect(line).toMatch(/^ {2}- [a-z0-9-]+ # \S+.{4,}$/);
    expect(lines.length).toBeGreaterThan(0);
  });
});

describe("the inspector's command line", () => {
  const inspect = async (target: string[], ...args: string[]) => {
    const { code, output, errors } = await runPackage("inspector/clients/launcher/build/index.js", [
      "--cli",
      ...target,
      ...args,
    ]);
    if (code !== 0) throw new Error(`the inspector ended with ${code}: ${errors}${output}`);
    return JSON.parse(output) as {
      tools: { name: string }[];
      structuredContent: object;
      resources: { uri: string }[];
    };
  };

  const targets: [string, () => string[]][] = [
    ["HTTP", () => [`${server.origin}/mcp`, "--transport", "http"]],
    [
      "stdio",
      () => [
        ...programCommand(),
        "mcp",
        ...Object.entries(env()).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
      ],
    ],
  ];
  test.each(targets)("lists the tools, calls one and lists the resources over %s", async (_, target) => {
    const { tools } = await inspect(target(), "--method", "tools/list");
    expect(tools.map(({ name }) => name)).toEqual(toolOperations.map(({ tool }) => tool.name));
    const called = await inspect(
      target(),
      "--method",
      "tools/call",
      "--tool-name",
      "svc_get_feed",
      "--tool-arg",
      "limit=1",
    );
    expect(called.structuredContent).toMatchObject({ count: 1, events: [{ kind: "project.linked" }] });
    const { resources } = await inspect(target(), "--method", "resources/list");
    expect(resources.map(({ uri }) => uri)).toContain("svc://projects/atlas");
  });
});
