/** The served OpenAPI document in the hands of others: two linters find nothing, two generators make clients that compile. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import type { Environment } from "../src/config.ts";
import type { Deprecation } from "../src/deprecation.ts";
import { openApp, temporaryFolder, testClock } from "./harness.ts";

const root = dirname(import.meta.dir);
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** Every kind of deployment has a document of its own. */
const deployments: Record<string, { env: Environment; deprecations: Deprecation[] }> = {
  closed: { env: { SVC_RATE_LIMIT: "60/60" }, deprecations: [] },
  open: { env: { SVC_PUBLIC_READ: "1" }, deprecations: [] },
  "in change": {
    env: { SVC_RATE_LIMIT: "60/60" },
    deprecations: ["getProject", "requestUpload"].map((name) => ({
      ...{ kind: "operation", name, replacement: "getFeed", deprecated: "2026-01-01T00:00:00Z", sunset: "2026-06-01T00:00:00Z" },
    })),
  },
};
const documents: Record<string, object> = {};
const fileOf = (name: string) => join(folder.path, `${name}.json`);
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const [name, { env, deprecations }] of Object.entries(deployments)) {
    await using app = await openApp("sqlite", env, testClock(), { deprecations });
    documents[name] = (await (await app.ask("/openapi.json")).json()) as object;
    await Bun.write(fileOf(name), JSON.stringify(documents[name]));
  }
});
afterAll(() => folder.close());

const run = async (command: string[], cwd = root) => {
  // What a tool tells its makers is no matter of a test.
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const child = Bun.spawn(command, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, output, errors };
};

describe.each(Object.keys(deployments))("of a deployment that is %s", (name) => {
  test("`redocly lint` has nothing to say, by its recommended rules", async () => {
    const cli = join(root, "node_modules/@redocly/cli/bin/cli.js");
    const flags = ["--format", "json", "--extends", "recommended"];
    const { output, errors } = await run([process.execPath, cli, "lint", ...flags, fileOf(name)], folder.path);
    const { totals, problems } = JSON.parse(output || `{"errors":${JSON.stringify(errors)}}`);
    expect([problems, totals]).toEqual([[], { errors: 0, warnings: 0, ignored: 0 }]);
  });

  test("Spectral has nothing to say, by its rules for OpenAPI", async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas as never, "recommended"]] } as never);
    expect(await spectral.run(documents[name] as never)).toEqual([]);
  });
});

test("Spectral does look: it misses what a document leaves out", async () => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas as never, "recommended"]] } as never);
  const found = await spectral.run({ openapi: "3.1.1", info: { title: "svc", version: "0.0.1" }, paths: {} } as never);
  expect(found.map(({ code }) => code)).toContain("oas3-api-servers");
});

test("openapi-typescript and openapi-ts make clients of it that compile under strict rules", async () => {
  const bin = (name: string) => join(root, "cli/client/node_modules/.bin", name);
  const plugins = ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"];
  for (const command of [
    ["openapi-typescript", fileOf("closed"), "-o", "one/api.ts"],
    ["openapi-ts", "-i", fileOf("closed"), "-o", "two", "-p", ...plugins, "--no-log-file"],
  ]) {
    const { code, output, errors } = await run([process.execPath, bin(command[0] as string), ...command.slice(1)], folder.path);
    if (code !== 0) throw new Error(output + errors);
  }
  await Bun.write(
    join(folder.path, "use.ts"),
    `import type { paths } from "./one/api";
import { appendEvents, getFeed, reviewAsset, uploadAsset } from "./two";
type Page = paths["/feed"]["get"]["responses"][200]["content"]["application/json"];
export const newest = async (): Promise<Page["events"][number]["kind"] | undefined> => (await getFeed({ query: { limit: 1 } })).data?.events[0]?.kind;
export const append = () => appendEvents({ body: { events: [{ kind: "run.started", actor: "agent:codex", summary: "Run 7 started" }] } });
export const review = (id: string) => reviewAsset({ path: { id }, body: { decision: "approved" } });
export const reserve = () => uploadAsset({ body: { project: "atlas", presign: true, filename: "shot.png" } });
// @ts-expect-error: there is no such kind of event
export const wrong = () => getFeed({ query: { kind: "nothing" } });
`,
  );
  const options = {
    strict: true,
    noEmit: true,
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    skipLibCheck: true,
    types: [],
  };
  await Bun.write(join(folder.path, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["use.ts", "one", "two"] }));
  const { code, output } = await run([join(root, "node_modules/.bin/tsc"), "-p", folder.path]);
  expect([output, code]).toEqual(["", 0]);
});
