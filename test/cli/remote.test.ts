/** The command line as a client of a server: `--server` or SVC_URL, and SVC_TOKEN, without a database. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Event } from "../../src/feed/schema.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { jsonLines, useLinkedServer } from "../support/agents/linked-server.ts";
import { command } from "../support/commands/command.ts";
import { must, programToken, runProgram, startServer, until } from "../support/harness.ts";

const linked = useLinkedServer();

const { svc } = linked;

test("an asset is uploaded, replaced, reviewed and published through a server", async () => {
  const page = join(linked.folder.path, "page.html");
  const large = join(linked.folder.path, "large.bin");
  await Bun.write(page, "<!doctype html><title>One</title><p>One");
  await Bun.write(large, new Uint8Array(3_000_000).fill(7));
  const pushed = await svc([
    "asset",
    "push",
    page,
    large,
    "--project",
    "atlas",
    "--issue",
    "7",
    "--tags",
    "a,b",
    "--json",
  ]);
  expect({ code: pushed.code, errors: pushed.errors }).toEqual({ code: 0, errors: "" });
  const [first, second] = jsonLines<Asset>(pushed.output);
  expect(first).toMatchObject({
    project: "atlas",
    issue: 7,
    tags: ["a", "b"],
    kind: "html",
    version: 1,
    status: "pending",
    title: "page.html",
  });
  expect(second).toMatchObject({
    kind: "file",
    size: 3_000_000,
    created_by: expect.stringMatching(/^token:env:/),
  });

  const again = jsonLines<Asset & { skipped?: true }>(
    (await svc(["asset", "push", page, large, "--project", "atlas", "--json"])).output,
  );
  expect(again.map(({ id, skipped }) => [id, skipped])).toEqual([
    [first?.id as string, true],
    [second?.id as string, true],
  ]);

  const id = first?.id as string;
  expect((await svc(["asset", "review", id, "rejected"])).errors).toContain("note is required");
  expect((await svc(["asset", "review", id, "rejected", "--note", "Say two"])).errors).toBe(
    `Rejected "page.html", version 1, on ${linked.server.origin}.\n`,
  );
  await Bun.write(page, "<!doctype html><title>Two</title><p>Two");
  const [next] = jsonLines<Asset>(
    (await svc(["asset", "push", page, "--project", "atlas", "--replaces", id, "--json"])).output,
  );
  expect(next).toMatchObject({ version: 2, parent_id: id, issue: 7 });
  await svc(["asset", "review", next?.id as string, "approved"]);
  const published = await svc(["asset", "publish", next?.id as string]);
  expect(await (await fetch(published.output.trim())).text()).toContain("Two");
  const shown = (await svc(["asset", "show", next?.id as string])).output;
  expect(shown).toContain("version 2, published");
  expect(shown).toContain(`v1  superseded  ${id}`);
  expect(
    jsonLines<Asset>((await svc(["asset", "list", "--status", "pending", "--json"])).output).map(
      (asset) => asset.id,
    ),
  ).toEqual([second?.id as string]);
});

test("the feed of a server is read by page and as a whole", async () => {
  for (const run of [1, 2, 3])
    await svc([
      "event",
      "add",
      "--kind",
      "issue.labeled",
      "--actor",
      "agent:codex",
      "--summary",
      `Paged ${run}`,
    ]);
  const first = await svc(["feed", "--json", "--limit", "2", "--kind", "issue.labeled"]);
  expect(jsonLines<Event>(first.output).map(({ summary }) => summary)).toEqual(["Paged 2", "Paged 3"]);
  const cursor = must(/--cursor (\S+)\n$/.exec(first.errors)?.[1]);
  const second = await svc(["feed", "--json", "--limit", "2", "--kind", "issue.labeled", "--cursor", cursor]);
  expect([jsonLines<Event>(second.output).map(({ summary }) => summary), second.errors]).toEqual([
    ["Paged 1"],
    "",
  ]);
  const all = await svc(["feed", "--json", "--after", "2020-01-01T00:00:00Z", "--kind", "issue.labeled"]);
  expect(jsonLines<Event>(all.output).map(({ summary }) => summary)).toEqual([
    "Paged 1",
    "Paged 2",
    "Paged 3",
  ]);
});

test("following the feed resumes without a gap when the server restarts", async () => {
  await svc([
    "event",
    "add",
    "--kind",
    "run.started",
    "--actor",
    "agent:codex",
    "--summary",
    "before",
    "--project",
    "atlas",
  ]);
  await using following = runProgram(
    ["feed", "-f", "--json", "--since", "1h", "--server", linked.server.origin],
    {
      SVC_TOKEN: programToken,
    },
  );
  const printed = () => jsonLines<Event>(following.output()).map((event) => event.summary);
  await until(() => printed().includes("before"), "past events are printed");
  const port = new URL(linked.server.origin).port;
  await svc(["event", "add", "--kind", "run.started", "--actor", "agent:codex", "--summary", "live"]);
  await until(() => printed().includes("live"), "the live event is printed");
  await linked.server.terminate();
  await command(
    ["event", "add", "--kind", "run.started", "--actor", "agent:codex", "--summary", "meanwhile"],
    {
      SVC_DATABASE_URL: linked.database.url,
    },
  );
  linked.server = await startServer(linked.database, { SVC_DATA_DIR: linked.folder.path }, ["--port", port]);
  await until(() => printed().includes("meanwhile"), "the event added during the restart is printed");
  expect(printed().filter((summary) => ["before", "live", "meanwhile"].includes(summary))).toEqual([
    "before",
    "live",
    "meanwhile",
  ]);
  following.process.kill("SIGINT");
  expect(await following.ended).toBe(0);
});

test("a decision is recorded once for the same text", async () => {
  const recorded = await svc(["decide", "atlas", "Prices are in cents"]);
  expect(recorded.output).toBe("");
  expect(recorded.errors).toMatch(/^Recorded decision \d+ for atlas on http:.+\.\n$/);
  const again = await svc(["decide", "atlas", "Prices are in cents", "--json"]);
  expect(again).toMatchObject({ code: 0, errors: "" });
  const { id, added } = JSON.parse(again.output);
  expect([`Recorded decision ${id} for atlas on ${linked.server.origin}.\n`, added]).toEqual([
    recorded.errors,
    false,
  ]);
  expect((await svc(["decide", "nope", "Text"])).errors).toContain("No project with slug 'nope'");
});

test("work is claimed, listed and released, and who comes second is told who holds it", async () => {
  const atlas = ["--project", "atlas"];
  const claimed = await svc([
    "claim",
    "12",
    "src/map/",
    ...atlas,
    "--for",
    "1h",
    "--note",
    "Draws",
    "--run-id",
    "s1",
  ]);
  expect([claimed.code, claimed.errors]).toEqual([
    0,
    expect.stringMatching(/^Claimed #12, src\/map\/\*\* .* until /),
  ]);
  const second = await svc(["claim", "#12", ...atlas, "--run-id", "s2"]);
  expect([second.code, second.errors]).toEqual([
    1,
    expect.stringMatching(/claims #12 since .*\(run s1\).*force/s),
  ]);
  const beside = await svc(["claim", "src/map/coast.ts", ...atlas, "--run-id", "s2"]);
  expect(beside.errors).toContain("Others on the same:\n- ");
  expect((await svc(["claim", ...atlas])).output).toMatch(/claims #12 .*: Draws\n/);
  expect((await svc(["release", "12", ...atlas, "--run-id", "s1"])).errors).toMatch(/^Released 1 claim /);
  const taken = await svc(["claim", "src/map/**", ...atlas, "--run-id", "s2", "--force", "--json"]);
  expect(jsonLines<{ claims: object[] }>(taken.output)[0]?.claims).toMatchObject([
    { run_id: "s2", note: null },
  ]);
  const left = jsonLines<{ subject: string }>((await svc(["claim", ...atlas, "--json"])).output);
  expect(left.map(({ subject }) => subject).toSorted()).toEqual(["src/map/**", "src/map/coast.ts"]);
});
