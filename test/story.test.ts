/**
 * The main workflow with the real program: link a project, receive webhooks and events, and read the same
 * feed everywhere.
 */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import examples from "@octokit/webhooks-examples";
import type { Event, FeedPage } from "../src/feed/schema.ts";
import { dialects, freshDatabase, program, runProgram, startServer, until } from "./support/harness.ts";

const secret = "a-webhook-secret";

/** Example webhooks of one repository. */
const webhooks = ["issues", "pull_request", "pull_request_review", "workflow_run"]
  .flatMap((name) =>
    (examples.find((example) => example.name === name)?.examples ?? []).map((body) => ({
      name,
      body: body as Record<string, unknown>,
    })),
  )
  .filter(({ body }) => (body.repository as { full_name?: string })?.full_name === "Codertocat/Hello-World");

describe.each([...dialects])("the main workflow on %s", (dialect) => {
  test("link, create a token, serve, receive webhooks, follow, read, restart: no event is lost or duplicated", async () => {
    await using database = await freshDatabase(dialect);
    const env = { SVC_DATABASE_URL: database.url, SVC_GITHUB_WEBHOOK_SECRET: secret };
    expect((await program(["project", "link", "hello", "--repo", "codertocat/hello-world"], env)).code).toBe(
      0,
    );
    const created = await program(["token", "create", "reader", "--scopes", "feed:read,feed:write"], env);
    const token = created.output.trim();
    expect(token).toMatch(/^svc_[0-9A-Za-z]{40}$/);

    const server = await startServer(database, env);
    await using following = runProgram(["feed", "-f", "--json"], env);
    await until(() => following.output().includes("project.linked"), "past events are printed");

    const headers = (name: string, text: string) => ({
      "content-type": "application/json",
      "x-github-event": name,
      "x-github-delivery": crypto.randomUUID(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`,
    });
    let accepted = 0;
    for (const { name, body } of webhooks) {
      const text = JSON.stringify(body);
      const response = await fetch(`${server.origin}/api/hooks/github`, {
        method: "POST",
        headers: headers(name, text),
        body: text,
      });
      expect(response.status).toBe(202);
      accepted += ((await response.json()) as { accepted: number }).accepted;
    }
    expect(accepted).toBeGreaterThan(5);
    const read = async (origin: string, path: string) =>
      (await (
        await fetch(`${origin}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
      ).json()) as FeedPage;
    const posted = await fetch(`${server.origin}/api/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        events: [
          {
            kind: "run.finished",
            actor: "agent:codex",
            project: "hello",
            summary: "Run 7 finished",
            tokens_in: 900,
          },
        ],
      }),
    });
    expect(posted.status).toBe(200);

    const page = await read(server.origin, "/feed?limit=200");
    expect(page.count).toBe(accepted + 2);
    await until(() => following.output().trim().split("\n").length >= page.count, "all events are printed");
    const printed = following
      .output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event);
    expect(printed.toReversed()).toEqual(page.events);

    following.process.kill("SIGINT");
    expect(await following.ended).toBe(0);
    expect(following.errors()).toBe("");
    expect(await server.terminate()).toBe(0);
    const restarted = await startServer(database, env);
    expect(await read(restarted.origin, "/feed?limit=200")).toEqual(page);
    expect(await restarted.terminate()).toBe(0);
  });
});
