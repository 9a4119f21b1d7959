/**
 * The upload command that a tool gives: it runs as it is, over HTTP and over stdio, whatever the file is
 * called.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { UploadOffer } from "../../../src/library/assets/requests.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import {
  connectHttp,
  connectStdio,
  type Generation,
  generations,
  type McpClient,
  outsideDataTags,
  type ToolAnswer,
  textOf,
} from "../../support/agents/mcp-clients.ts";
import {
  type Dialect,
  dialects,
  linkIn,
  migratedDatabase,
  must,
  program,
  programEnvironment,
  programToken,
  type Server,
  startServer,
  type TestDatabase,
  temporaryFolder,
} from "../../support/harness.ts";

const fileNames = [
  "berth 4.png",
  `it's "my" chart.txt`,
  "chart [1-3] {a,b} *?.txt",
  "$HOME `id` $(id); true & x | y > z #.txt",
  "-T.txt",
  "-",
  "Übersicht – 図.txt",
];

interface Deployment extends AsyncDisposable {
  env: Record<string, string>;
  folder: string;
  database: TestDatabase;
  serve(port?: string): Promise<Server>;
}

/** A database with the project `atlas`, a local store, and a folder of files. */
async function openDeployment(dialect: Dialect): Promise<Deployment> {
  const folder = await temporaryFolder();
  const database = await migratedDatabase(dialect);
  const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path };
  await linkIn(database);
  return {
    ...{ env, folder: folder.path, database },
    serve: (port = "0") => startServer(database, env, ["--port", port]),
    async [Symbol.asyncDispose]() {
      await database.close();
      await folder.close();
    },
  };
}

async function call<T>(
  { client }: McpClient,
  name: string,
  args: object,
): Promise<ToolAnswer & { structuredContent: T }> {
  return (await client.callTool({ name, arguments: { ...args } })) as ToolAnswer & { structuredContent: T };
}

const reserve = (connected: McpClient, filename = "note.txt") =>
  call<UploadOffer>(connected, "svc_asset_request_upload", { project: "atlas", filename });

/** Reserves, runs the command as it stands in the text, finalizes, and reads the asset. */
async function upload(connected: McpClient, folder: string, filename: string): Promise<AssetDetail> {
  await Bun.write(join(folder, filename), filename);
  const offer = await reserve(connected, filename);
  const line = must(
    outsideDataTags(textOf(offer))
      .split("\n")
      .find((one) => one.startsWith("curl ")),
  );
  const shell = Bun.spawn(["sh", "-c", line], {
    cwd: folder,
    env: programEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  expect([await new Response(shell.stderr).text(), await shell.exited]).toEqual(["", 0]);
  const { id, finalize_body } = offer.structuredContent;
  expect((await call(connected, "svc_asset_finalize", { id, ...finalize_body })).isError).toBeFalsy();
  return (await call<AssetDetail>(connected, "svc_asset_get", { id })).structuredContent;
}

describe.each(generations)("%s", (generation: Generation) => {
  let deployment: Deployment;
  let server: Server;
  beforeAll(async () => {
    deployment = await openDeployment("sqlite");
    server = await deployment.serve();
  });
  afterAll(async () => {
    await server.close();
    await deployment[Symbol.asyncDispose]();
  });

  test.each([
    ["HTTP", () => connectHttp(generation, server.origin, programToken)],
    ["stdio", () => connectStdio(generation, deployment.env)],
  ])("uploads a file of any name over %s", async (_, connect) => {
    await using connected = await connect();
    for (const name of fileNames) {
      const { title, size, url } = await upload(connected, deployment.folder, name);
      expect([title, size]).toEqual([name, Buffer.byteLength(name)]);
      expect(await (await fetch(must(url))).text()).toBe(name);
    }
  });
});

describe.each(dialects)("over stdio on %s, a server is named", (dialect) => {
  test("by its current URL, refused after it has stopped, and not confused with another one on its port", async () => {
    await using deployment = await openDeployment(dialect);
    await using connected = await connectStdio("client 2, 2026-07-28", deployment.env);
    const refusal = async (one: McpClient) => {
      const answer = await reserve(one);
      return answer.isError ? textOf(answer) : null;
    };
    expect(await refusal(connected)).toMatch(
      /does not respond at http:\/\/127\.0\.0\.1:8787\. Ask the user to start `svc serve`/,
    );

    const server = await deployment.serve();
    const { port } = new URL(server.origin);
    expect((await upload(connected, deployment.folder, "a.txt")).size).toBe(5);
    await server.terminate();
    expect(await refusal(connected)).toContain(`does not respond at ${server.origin}`);

    await using other = await openDeployment("sqlite");
    const foreign = await other.serve(port);
    expect(await refusal(connected)).toContain(`does not respond at ${server.origin}`);
    await foreign.close();

    const site = { SVC_SITE_URL: "https://svc.example" };
    await using configured = await connectStdio("client 2, 2026-07-28", { ...deployment.env, ...site });
    expect((await reserve(configured)).structuredContent.upload_url).toStartWith(site.SVC_SITE_URL);
  });
});

test("commands return URLs of the running server", async () => {
  await using deployment = await openDeployment("sqlite");
  await using server = await deployment.serve();
  await Bun.write(join(deployment.folder, "a.txt"), "a");
  const pushed = await program(
    ["asset", "push", join(deployment.folder, "a.txt"), "--project", "atlas", "--json"],
    deployment.env,
  );
  expect((JSON.parse(pushed.output) as AssetDetail).url).toStartWith(`${server.origin}/`);
});
