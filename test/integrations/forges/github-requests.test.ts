/** A webhook request: its signature, form, size and errors. */
import { describe, expect, test } from "bun:test";
import {
  added,
  contentOf,
  deliver,
  env,
  feedOf,
  formOf,
  type Json,
  openLinked,
  withoutRuns,
} from "../../support/forges/github-deliveries.ts";
import { moreEvents } from "../../support/forges/github-events.ts";
import { delivery, example, examples, sign } from "../../support/forges/github-webhooks.ts";
import { link, openApp } from "../../support/harness.ts";

const addresses: [address: unknown, url: string | null][] = [
  ["https://github.com/acme/atlas/issues/1", "https://github.com/acme/atlas/issues/1"],
  ["https://a.example/\u001b[31m\n\u202e<b>", "https://a.example/%1B%5B31m%E2%80%AE%3Cb%3E"],
  ["http://github.com/acme/atlas", null],
  ["javascript:alert(1)", null],
  ["data:text/html,<script>alert(1)</script>", null],
  ["//evil.example", null],
  ["https://", null],
  ["", null],
  [null, null],
  [undefined, null],
  [`https://a.example/${"x".repeat(3000)}`, null],
];

/** Fields that the body of each event must have. */
const needed: Record<string, string[]> = {
  issues: ["/action", "/issue", "/issue/id", "/issue/number", "/issue/title", "/repository", "/sender"],
  pull_request: ["/action", "/number", "/pull_request", "/pull_request/id", "/pull_request/title"],
  pull_request_review: ["/action", "/review", "/review/state", "/pull_request/number"],
  workflow_run: ["/action", "/workflow_run", "/workflow_run/id", "/workflow_run/run_number"],
  deployment_status: [
    "/deployment",
    "/deployment_status/state",
    "/repository/id",
    "/repository/full_name",
    "/sender/login",
  ],
};

describe("a GitHub webhook", () => {
  test("gets an actor even from a hostile login", async () => {
    await using app = await openLinked("sqlite");
    const logins = ["a b\u0000\nc", "\u202eevil\ud800", "x".repeat(5000), " \u0007 "];
    for (const [index, login] of logins.entries()) {
      const body = example("issues", "opened", ({ issue, sender }) => {
        issue.id = index + 1;
        sender.login = login;
      });
      expect(await deliver(app, "issues", body)).toEqual(added);
    }
    const actors = (await feedOf(app)).map(({ actor }) => actor);
    expect(actors).toEqual(["human:abc", "human:evil\ufffd", `human:${"x".repeat(125)}…`, "human:unknown"]);
  });

  test("keeps only https URLs, with special characters escaped", async () => {
    await using app = await openLinked("sqlite");
    for (const [index, [html_url]] of addresses.entries()) {
      const body = example("issues", "opened", ({ issue }) =>
        Object.assign(issue, { id: index + 1, html_url }),
      );
      expect(await deliver(app, "issues", body)).toEqual(added);
    }
    expect((await feedOf(app)).map(({ url }) => url)).toEqual(addresses.map(([, url]) => url));
  });

  test("without a required field is a 400 that names the field", async () => {
    await using app = await openLinked("sqlite");
    for (const [name, path] of Object.entries(needed).flatMap(([name, paths]) =>
      paths.map((path) => [name, path] as const),
    )) {
      const [, body] = moreEvents.find(([mappedName]) => mappedName === name) as (typeof moreEvents)[number];
      const lacking = structuredClone(body);
      const steps = path.split("/").slice(1);
      const last = steps.pop() as string;
      delete steps.reduce((at, step) => at[step], lacking)[last];
      const { status, body: problem } = await deliver(app, name, lacking);
      expect([name, path, status, problem.detail]).toEqual([
        name,
        path,
        400,
        `The body does not match X-GitHub-Event: ${name}. Missing or invalid: ${path}.`,
      ]);
    }
    expect(await feedOf(app)).toEqual([]);
  });

  test.each<[what: string, status: number, sent: RequestInit]>([
    ["a form without its field", 400, formOf("issues", "pay=%7B%7D")],
    ["a form with two payloads", 400, formOf("issues", "payload=%7B%7D&payload=%7B%7D")],
    ["a form that holds no JSON", 400, formOf("issues", "payload=x")],
    [
      "another signature than that of the form",
      401,
      formOf("issues", "payload=%7B%7D", { "x-hub-signature-256": sign("{}") }),
    ],
    [
      "a header of Gitea",
      400,
      delivery("issues", example("issues", "opened"), { "x-gitea-event": "issues" }),
    ],
    [
      "a header of Forgejo",
      400,
      delivery("issues", example("issues", "opened"), { "x-forgejo-event": "issues" }),
    ],
    ["a header of Gogs", 400, delivery("issues", example("issues", "opened"), { "x-gogs-event": "issues" })],
    ["plain text", 415, delivery("issues", example("issues", "opened"), { "content-type": "text/plain" })],
    ["no JSON", 400, delivery("issues", "payload=%7B%7D")],
    [
      "half of a JSON document",
      400,
      delivery("issues", JSON.stringify(example("issues", "opened")).slice(0, 900)),
    ],
    ["nothing", 400, delivery("issues", "")],
    ["a list", 400, delivery("issues", [example("issues", "opened")])],
    ["null", 400, delivery("push", "null")],
    ["no UTF-8", 400, delivery("issues", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))],
    ["33 levels", 400, delivery("push", `${"[".repeat(33)}${"]".repeat(33)}`)],
    [
      "the body of a comment under the name of its issue",
      400,
      delivery("issues", examples.find(({ name }) => name === "issue_comment")?.body),
    ],
    ["no event name", 400, delivery("issues", example("issues", "opened"), { "x-github-event": null })],
    ["no delivery id", 400, delivery("issues", example("issues", "opened"), { "x-github-delivery": null })],
    [
      "a delivery id without end",
      400,
      delivery("issues", example("issues", "opened"), { "x-github-delivery": "7".repeat(129) }),
    ],
  ])("that is or has %s gets a %d", async (_, status, sent) => {
    await using app = await openLinked("sqlite");
    const response = await app.ask("/api/hooks/github", sent);
    expect([response.status, ((await response.json()) as Json).status]).toEqual([status, status]);
    expect(await feedOf(app)).toEqual([]);
  });

  test.each([
    ["no secret", { SVC_PUBLIC_READ: "1" }],
    ["demo data", { ...env, SVC_DATA_MODE: "mock" }],
  ])("gets a 501 in a deployment with %s", async (_, environment) => {
    await using app = await openApp("sqlite", environment);
    await link(app.ctx.data, "hello", "Codertocat/Hello-World");
    expect((await deliver(app, "issues", example("issues", "opened"))).status).toBe(501);
    expect(await feedOf(app)).toEqual([]);
  });

  test("may have up to 25 MiB, with or without a Content-Length", async () => {
    await using app = await openLinked("sqlite");
    const origin = app.listen();
    const body = JSON.stringify(example("issues", "opened")).padEnd(25 * 2 ** 20);
    const tooMuch = delivery("issues", body.padEnd(26 * 2 ** 20));
    const stream = new Blob([tooMuch.body as string]).stream();
    expect((await fetch(`${origin}/api/hooks/github`, tooMuch)).status).toBe(413);
    expect((await fetch(`${origin}/api/hooks/github`, { ...tooMuch, body: stream })).status).toBe(413);
    expect((await app.ask("/api/hooks/github", delivery("issues", `${body} `))).status).toBe(413);
    expect(await feedOf(app)).toEqual([]);
    const answer = await fetch(`${origin}/api/hooks/github`, delivery("issues", body));
    expect({ status: answer.status, body: (await answer.json()) as Json }).toEqual(added);
  });

  test("is accepted over HTTP as in this process", async () => {
    await using app = await openLinked("sqlite");
    const origin = app.listen();
    for (const [name, body] of moreEvents)
      expect((await fetch(`${origin}/api/hooks/github`, delivery(name, body))).status).toBe(202);
    expect((await withoutRuns(app)).map(contentOf)).toEqual(moreEvents.map(([, , event]) => event));
  });
});
