/** Dedupe keys are scoped to the project or the token: no caller can block or discover the keys of others. */
import { describe, expect, test } from "bun:test";
import { toMicros } from "../../src/core/lib/time.ts";
import { importEvents } from "../../src/feed/ingest/import.ts";
import { delivery, example, secret } from "../support/forges/github-webhooks.ts";
import { type DatabaseKind, databaseKinds, event, link, openApp, type TestApp } from "../support/harness.ts";

const env = { SVC_GITHUB_WEBHOOK_SECRET: secret };

async function open(kind: DatabaseKind): Promise<TestApp> {
  const app = await openApp(kind, env);
  for (const slug of ["alpha", "beta"]) await link(app.ctx.data, slug);
  return app;
}

async function post(app: TestApp, token: string, ...events: object[]): Promise<unknown> {
  const response = await app.ask("/api/v1/events", {
    token,
    json: { events: events.map((one) => ({ ...event(), ...one })) },
  });
  return response.status === 200
    ? response.json()
    : { status: response.status, detail: ((await response.json()) as { detail: string }).detail };
}
const added = { accepted: 1, duplicates: 0 };
const duplicate = { accepted: 0, duplicates: 1 };

async function run(app: Pick<TestApp, "ctx">, ...lines: object[]): Promise<unknown> {
  async function* each() {
    for (const line of lines) yield JSON.stringify({ ...event(), ts: "2025-05-05T05:05:05Z", ...line });
  }
  return importEvents(app.ctx, each(), () => {});
}

describe.each(databaseKinds)("a dedupe key on %s", (dialect) => {
  test("of one project neither suppresses nor reveals events of another", async () => {
    await using app = await open(dialect);
    const [alpha, beta] = await Promise.all(
      [["alpha"], ["beta"]].map((projects) => app.mint(["feed:write"], { projects })),
    );
    expect(await post(app, alpha as string, { project: "alpha", dedupe_key: "run-7-end" })).toEqual(added);
    expect(await post(app, beta as string, { project: "beta", dedupe_key: "run-7-end" })).toEqual(added);
    expect(await post(app, beta as string, { project: "beta", dedupe_key: "run-7-end" })).toEqual(duplicate);
    // By its repository, the event is of the same project.
    expect(await post(app, beta as string, { repo: "acme/beta", dedupe_key: "run-7-end" })).toEqual(
      duplicate,
    );
  });

  test("is shared by all tokens of a project, and private to the token for events without a project", async () => {
    await using app = await open(dialect);
    const [one, other] = [await app.mint(["feed:write"]), await app.mint(["feed:write"])];
    expect(await post(app, one, { project: "alpha", dedupe_key: "k" })).toEqual(added);
    expect(await post(app, other, { project: "alpha", dedupe_key: "k" })).toEqual(duplicate);
    expect(await post(app, one, { dedupe_key: "k" })).toEqual(added);
    expect(await post(app, other, { dedupe_key: "k" })).toEqual(added);
    expect(
      await post(
        app,
        other,
        { dedupe_key: "k" },
        { dedupe_key: "k", project: "beta" },
        { dedupe_key: "k", project: "beta" },
      ),
    ).toEqual({
      ...{ accepted: 1, duplicates: 2 },
    });
  });

  test("with a reserved prefix is rejected, so that webhooks and imported lines cannot be suppressed", async () => {
    await using app = await open(dialect);
    await link(app.ctx.data, "hello", "Codertocat/Hello-World");
    const token = await app.mint(["feed:write"]);
    const { issue, repository } = example("issues", "opened");
    for (const dedupe_key of [
      `github:issues:${repository.id}:${issue.id}:opened:${issue.updated_at}:`,
      "github:",
      "webhook:gitlab:gitlab.com:issue:1:1:opened:",
      "line:00",
    ])
      expect(await post(app, token, {}, { project: "hello", dedupe_key })).toEqual({
        ...{
          status: 400,
          detail:
            "events[1].dedupe_key: the prefixes github:, webhook:, line: are reserved; use another one.",
        },
      });
    const answer = await app.ask("/api/hooks/github", delivery("issues", example("issues", "opened")));
    expect(await answer.json()).toEqual(added);
  });

  test("of an imported line adds nothing in a second run", async () => {
    await using app = await open(dialect);
    const lines = [
      { project: "alpha", dedupe_key: "a" },
      { project: "beta", dedupe_key: "a" },
      { dedupe_key: "a" },
      { project: "alpha" },
      {},
    ];
    expect(await run(app, ...lines)).toMatchObject({ accepted: 5, duplicates: 0 });
    expect(await run(app, ...lines)).toMatchObject({ accepted: 0, duplicates: 5 });
  });

  test("of a line that an earlier version imported is known", async () => {
    await using app = await open(dialect);
    const line = {
      kind: "run.started" as const,
      actor: "agent:codex",
      ...{ summary: "Earlier", ts: "2025-05-05T05:05:05Z", task: "PROJ-7", run_id: "run-7" },
    };
    // Earlier versions gave the hash of the fields alone.
    const dedupe_key = "line:74d1fc17c0586c8f40c9ec10fa49f91a159416af35c9f2b2eee1899b57008c95";
    await app.ctx.data.append([{ ...line, ts: toMicros(line.ts), dedupe_key }]);
    expect(await run(app, line)).toEqual({ accepted: 0, duplicates: 1, lines: 1 });
    expect(await run(app, { ...line, run_id: "run-8" })).toEqual({ accepted: 1, duplicates: 0, lines: 1 });
  });
});
