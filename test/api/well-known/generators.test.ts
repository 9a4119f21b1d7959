/**
 * The served OpenAPI document in the hands of others: two linters find nothing, two generators make clients
 * that compile.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { Environment } from "../../../src/core/config.ts";
import type { Deprecation } from "../../../src/core/deprecation.ts";
import { must, openApp, temporaryFolder, testClock } from "../../support/harness.ts";
import { openLibrary } from "../../support/library.ts";
import { repositoryRoot } from "../../support/repository.ts";

const root = repositoryRoot;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** Every kind of deployment has a document of its own. */
const deployments: Record<string, { env: Environment; deprecations: Deprecation[] }> = {
  closed: { env: { SVC_RATE_LIMIT: "60/60" }, deprecations: [] },
  "open and in change": {
    env: { SVC_PUBLIC_READ: "1" },
    deprecations: ["getProject", "requestUpload"].map((name) => ({
      ...{
        kind: "operation",
        name,
        replacement: "getFeed",
        deprecated: "2026-01-01T00:00:00Z",
        sunset: "2026-06-01T00:00:00Z",
      },
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
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output, errors };
};

interface Lint {
  problems: object[];
  totals: object;
}
let linted: Promise<Map<string, Lint>> | undefined;

/** Lints all documents in one run of redocly, which takes longer to start than to lint. @returns by deployment */
async function lint(): Promise<Map<string, Lint>> {
  const cli = join(root, "node_modules/@redocly/cli/bin/cli.js");
  const flags = ["--format", "json", "--extends", "recommended"];
  const names = Object.keys(deployments);
  const { output, errors } = await run(
    [process.execPath, cli, "lint", ...flags, ...names.map(fileOf)],
    folder.path,
  );
  // It prints one object after the other, in the order of the files.
  const results: Lint[] = JSON.parse(`[${output.replace(/^\}\{$/gm, "},{")}]`);
  if (results.length !== names.length) throw new Error(output + errors);
  return new Map(results.map((result, index) => [names[index] as string, result]));
}

describe.each(Object.keys(deployments))("of a deployment that is %s", (name) => {
  test("`redocly lint` reports nothing with its recommended rules", async () => {
    linted ??= lint();
    const { problems, totals } = must((await linted).get(name));
    expect([problems, totals]).toEqual([[], { errors: 0, warnings: 0, ignored: 0 }]);
  });
});

test("Spectral reports nothing with its OpenAPI rules, which takes it too long for more than one document", async () => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas as never, "recommended"]] } as never);
  expect(await spectral.run(documents["open and in change"] as never)).toEqual([]);
});

test("Spectral reports what an incomplete document leaves out", async () => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas as never, "recommended"]] } as never);
  const found = await spectral.run({
    openapi: "3.1.1",
    info: { title: "svc", version: "0.0.1" },
    paths: {},
  } as never);
  expect(found.map(({ code }) => code)).toContain("oas3-api-servers");
});

const plugins = ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"];
const generators: string[][] = [
  ["openapi-typescript", "%", "-o", "one/api.ts"],
  ["openapi-ts", "-i", "%", "-o", "two", "-p", ...plugins, "--no-log-file"],
];

let generated: Promise<void> | undefined;

/** Runs the generators on the document of a closed deployment, once for all tests. */
const generate = (): Promise<void> => (generated ??= runGenerators());

async function runGenerators(): Promise<void> {
  for (const [name = "", ...flags] of generators) {
    const bin = join(root, "cli/client/node_modules/.bin", name);
    const command = [process.execPath, bin, ...flags.map((flag) => (flag === "%" ? fileOf("closed") : flag))];
    const { code, output, errors } = await run(command, folder.path);
    if (code !== 0) throw new Error(output + errors);
  }
}

test("a client generated by openapi-ts can append, page, upload, reserve, reject and publish", async () => {
  await generate();
  await using library = await openLibrary("sqlite", "disk");
  const sdk = await import(join(folder.path, "two/index.ts"));
  const { client } = await import(join(folder.path, "two/client.gen.ts"));
  const auth = await library.mint(allScopes, { name: "generated" });
  client.setConfig({ baseUrl: `${library.listen()}/api/v1`, auth, throwOnError: true });

  const events = Array.from({ length: 5 }, (_, run) => ({
    kind: "run.started",
    actor: "agent:codex",
    summary: `Run ${run}`,
  }));
  expect((await sdk.appendEvents({ body: { events } })).data).toEqual({ accepted: 5, duplicates: 0 });
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data } = await sdk.getFeed({ query: { kind: "run.started", limit: 2, cursor } });
    found.push(...data.events.map(({ summary }: { summary: string }) => summary));
    if (data.next_cursor === null) break;
    cursor = data.next_cursor;
  }
  expect(found).toEqual(["Run 4", "Run 3", "Run 2", "Run 1", "Run 0"]);

  const file = new File(["words"], "a.txt");
  const { data: first } = await sdk.uploadAsset({
    body: { project: "atlas", tags: ["map", "berths"], file },
  });
  expect([first.status, first.tags]).toEqual(["pending", ["map", "berths"]]);
  const { data: rejected } = await sdk.reviewAsset({
    path: { id: first.id },
    body: { decision: "rejected", note: "Too short." },
  });
  expect(rejected.status).toBe("rejected");

  const { data: reserved } = await sdk.requestUpload({
    body: { project: "atlas", filename: "b.txt", replaces: first.id },
  });
  expect((await library.put(reserved, "more words")).status).toBe(200);
  const { data: second } = await sdk.finalizeAsset({
    path: { id: reserved.id },
    body: reserved.finalize_body,
  });
  await sdk.reviewAsset({ path: { id: second.id }, body: { decision: "approved" } });
  const { data: published } = await sdk.publishAsset({ path: { id: second.id } });
  expect(await (await library.fetch(published.public_url)).text()).toBe("more words");
});

test("clients generated by openapi-typescript and openapi-ts compile in strict mode", async () => {
  await generate();
  await Bun.write(
    join(folder.path, "use.ts"),
    `import type { paths } from "./one/api";
import { appendEvents, getFeed, requestUpload, reviewAsset, uploadAsset } from "./two";
type Page = paths["/feed"]["get"]["responses"][200]["content"]["application/json"];
export const newest = async (): Promise<Page["events"][number]["kind"] | undefined> => (await getFeed({ query: { limit: 1 } })).data?.events[0]?.kind;
export const append = () => appendEvents({ body: { events: [{ kind: "run.started", actor: "agent:codex", summary: "Run 7 started" }] } });
export const review = (id: string) => reviewAsset({ path: { id }, body: { decision: "approved" } });
export const upload = () => uploadAsset({ body: { project: "atlas", file: new Blob(["some words"]) } });
export const reserve = async (): Promise<string | undefined> =>
  (await requestUpload({ body: { project: "atlas", filename: "shot.png" } })).data?.upload_url;
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
  await Bun.write(
    join(folder.path, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["use.ts", "one", "two"] }),
  );
  const { code, output } = await run([join(root, "node_modules/.bin/tsc"), "-p", folder.path]);
  expect([output, code]).toEqual(["", 0]);
});
