/** Which server a command talks to, and how its error responses read. */
import { describe, expect, test } from "bun:test";
import type { Event } from "../../src/feed/schema.ts";
import { jsonLines, useLinkedServer } from "../support/agents/linked-server.ts";
import { command } from "../support/commands/command.ts";
import { programToken, temporaryFolder } from "../support/harness.ts";

const linked = useLinkedServer();

const { svc } = linked;

const addEvent = [
  "event",
  "add",
  "--kind",
  "run.started",
  "--actor",
  "agent:codex",
  "--project",
  "atlas",
  "--summary",
];

test("--url of `svc event add` is the URL of the event: the token is only sent to --server or SVC_URL", async () => {
  let requests = 0;
  await using trap = Bun.serve({
    port: 0,
    fetch() {
      requests++;
      return Response.json({ accepted: 1, duplicates: 0 });
    },
  });
  const nowhere = { SVC_TOKEN: programToken, SVC_DATA_DIR: "/nowhere/at/all" };
  const local = await command([...addEvent, "here", "--url", trap.url.href], {
    ...nowhere,
    SVC_DATABASE_URL: linked.database.url,
  });
  expect(local.errors).toContain("url must be");
  const url = "https://ci.example.com/7";
  expect(
    (await command([...addEvent, "by flag", "--url", url, "--server", linked.server.origin], nowhere)).code,
  ).toBe(0);
  expect(
    (await command([...addEvent, "by variable", "--url", url], { ...nowhere, SVC_URL: linked.server.origin }))
      .code,
  ).toBe(0);
  expect(
    (
      await command([...addEvent, "in the database", "--url", url], {
        SVC_TOKEN: programToken,
        SVC_DATABASE_URL: linked.database.url,
      })
    ).code,
  ).toBe(0);
  const { output } = await svc(["feed", "--json", "--limit", "3"]);
  expect(jsonLines<Event>(output).map((event) => [event.summary, event.url])).toEqual([
    ["by flag", url],
    ["by variable", url],
    ["in the database", url],
  ]);
  expect(requests).toBe(0);
});

describe("the server of a command", () => {
  const list = (args: string[], env: Record<string, string> = {}) =>
    command(["asset", "list", "--json", ...args], {
      SVC_TOKEN: programToken,
      SVC_DATA_DIR: "/nowhere/at/all",
      ...env,
    });

  test("is --server, or SVC_URL without it", async () => {
    expect(await list([], { SVC_URL: linked.server.origin })).toMatchObject({ code: 0, errors: "" });
    expect(await list(["--server", linked.server.origin], { SVC_URL: "http://127.0.0.1:1" })).toMatchObject({
      code: 0,
      errors: "",
    });
  });

  test("is ignored with --data-dir", async () => {
    await using own = await temporaryFolder();
    await command(["project", "link", "atlas", "--repo", "acme/atlas", "--data-dir", own.path]);
    expect(await list(["--data-dir", own.path, "--quiet"], { SVC_URL: "http://127.0.0.1:1" })).toMatchObject({
      code: 0,
      output: "",
      errors: "",
    });
  });

  test("is not --url", async () => {
    const { code, errors } = await list(["--url", linked.server.origin]);
    expect([code, errors.split("\n")[0]]).toEqual([
      2,
      "svc: Unknown option '--url'. See svc asset list --help.",
    ]);
  });

  test("does not follow a redirect: one line and exit code 1", async () => {
    await using moved = Bun.serve({
      port: 0,
      fetch: () => Response.redirect(`${linked.server.origin}/api/v1/assets`, 308),
    });
    const { code, errors } = await list(["--server", moved.url.origin]);
    expect([code, errors]).toEqual([
      1,
      `svc: ${moved.url.host} redirects to ${linked.server.origin}. Use that URL for --server or SVC_URL.\n`,
    ]);
  });
});

describe("an error response is one line and exit code 1", () => {
  test.each([
    [
      "an unknown token",
      ["asset", "list"],
      "nope",
      "This token is not valid. It may have been revoked or have expired.",
    ],
    [
      "an unknown project",
      ["event", "add", "--kind", "run.started", "--actor", "agent:a", "--summary", "x", "--project", "nope"],
      programToken,
      "no project with slug 'nope'",
    ],
    ["an unknown asset", ["asset", "show", "nope"], programToken, "No asset with id 'nope'."],
    [
      "the feed of an unknown project",
      ["feed", "--project", "nope"],
      programToken,
      "No project with slug 'nope'",
    ],
    [
      "following an unknown project",
      ["feed", "-f", "--project", "nope"],
      programToken,
      "No project with slug 'nope'",
    ],
    ["the feed of an unknown lane", ["feed", "-f", "--lane", "nope"], programToken, "lane must be one of"],
    [
      "the assets of an unknown project",
      ["asset", "list", "--project", "nope"],
      programToken,
      "No project with slug 'nope'",
    ],
  ])("%s", async (_, args, token, message) => {
    const { code, errors } = await svc(args, token);
    expect(code).toBe(1);
    expect(errors).toContain(message);
    expect(errors.trim().split("\n")).toHaveLength(1);
  });

  test("a server that cannot be reached", async () => {
    const { code, errors } = await command(["asset", "list", "--server", "http://127.0.0.1:1"]);
    expect({ code, lines: errors.trim().split("\n").length }).toEqual({ code: 1, lines: 1 });
    expect(errors).toContain("Cannot connect to 127.0.0.1:1");
  });
});
