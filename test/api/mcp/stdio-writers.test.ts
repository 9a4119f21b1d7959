/** Several programs on standard input and output write to one database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Project } from "../../../src/feed/projects/schema.ts";
import type { FeedPage } from "../../../src/feed/schema.ts";
import { connectHttp, connectStdio, type ToolAnswer, textOf } from "../../support/agents/mcp-clients.ts";
import {
  dialects,
  linkIn,
  migratedDatabase,
  must,
  program,
  programToken,
  startServer,
  type TestDatabase,
} from "../../support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await migratedDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, SVC_ASSET_STORE: "none", SVC_PUBLIC_STORE: "none" };
  for (const slug of ["atlas", "borealis"]) await linkIn(database, slug);
});
afterAll(() => database.close());

test("several programs and a running server see each other's writes", async () => {
  await using server = await startServer(database, env);
  await using one = await connectStdio("client 2, 2026-07-28", env);
  await using other = await connectStdio("sdk 1, 2025-11-25", env);
  const added = await program(
    ["event", "add", "--kind", "run.started", "--actor", "agent:codex", "--summary", "Seen by all"],
    env,
  );
  expect([added.code, added.errors]).toEqual([0, expect.stringContaining("1 event")]);
  for (const { client } of [one, other]) {
    const { structuredContent } = (await client.callTool({
      name: "svc_get_feed",
      arguments: { limit: 1 },
    })) as ToolAnswer;
    expect(structuredContent).toMatchObject({ events: [{ summary: "Seen by all" }] });
  }
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
});

describe.each(dialects)("writers on %s", (dialect) => {
  test("120 decisions written concurrently by two programs and over HTTP are all stored", async () => {
    await using database = await migratedDatabase(dialect);
    const env = { SVC_DATABASE_URL: database.url, SVC_ASSET_STORE: "none", SVC_PUBLIC_STORE: "none" };
    await linkIn(database);
    await using server = await startServer(database, env);
    await using one = await connectStdio("client 2, 2026-07-28", env);
    await using other = await connectStdio("sdk 1, 2025-11-25", env);
    await using web = await connectHttp("client 2, 2026-07-28", server.origin, programToken);
    const clients = [one.client, other.client, web.client];
    const [writers, each] = [20, 6];
    const write = async (writer: number) => {
      const client = must(clients[writer % clients.length]);
      for (let count = 0; count < each; count++) {
        const fields = {
          project: "atlas",
          text: `Decision ${count} of writer ${writer}`,
          by: `agent:writer-${writer}`,
        };
        const answer = (await client.callTool({ name: "svc_decide", arguments: fields })) as ToolAnswer;
        expect([textOf(answer), answer.isError ?? false]).toEqual([textOf(answer), false]);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    const headers = { authorization: `Bearer ${programToken}` };
    const read = async <T>(path: string) =>
      (await (await fetch(`${server.origin}/api/v1${path}`, { headers })).json()) as T;
    expect(await read<Project>("/projects/atlas")).toMatchObject({ decisionsCount: writers * each });
    const texts = new Set<string>();
    for (let before: string | null = ""; before !== null; ) {
      const page: FeedPage = await read(
        `/feed?kind=decision.captured&limit=200${before && `&before=${before}`}`,
      );
      for (const { actor, summary } of page.events) texts.add(`${actor}: ${summary}`);
      before = page.next_before;
    }
    expect(texts.size).toBe(writers * each);
  });
});
