/** What a hostile server answers reaches no terminal as an escape sequence, whichever command prints it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Command, commands } from "../../cli/commands.ts";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { annotate } from "../../src/library/annotations/annotate.ts";
import { setChecklist } from "../../src/library/checklists/checklists.ts";
import { event, program, temporaryFolder } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";
import { addPausedWebhook } from "../support/webhooks/webhook-rows.ts";

/** Clears the screen, writes the clipboard, moves up (C1), deletes, and turns the direction of text. */
const evil = "EVIL\u001b[2J\u001b[31m\u001b]52;c;RVZJTA==\u0007\u009b1A\r\u007f\u202egnp.exe\u2066";
const controls = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Every text of an answer with more behind it, but times. */
function corrupt(value: unknown): unknown {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d/.test(value) ? value : value + evil;
  if (Array.isArray(value)) return value.map(corrupt);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, corrupt(one)]));
}

let library: Library;
let server: Bun.Server<undefined>;
let env: Record<string, string>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let asset = "";
let webhook = "";
beforeAll(async () => {
  folder = await temporaryFolder();
  let origin = "";
  server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { method, headers } = request;
      const { pathname, search } = new URL(request.url);
      headers.delete("host");
      const body = method === "GET" ? null : await request.bytes();
      const answer = await fetch(origin + pathname + search, { method, headers, body });
      const type = answer.headers.get("content-type") ?? "";
      // An upload goes where the server says, with what it says.
      if (!/json/.test(type) || pathname.endsWith("/presign")) return answer;
      const json = JSON.stringify(corrupt(await answer.json()));
      return new Response(json, { status: answer.status, headers: { "content-type": type } });
    },
  });
  library = await openLibrary("sqlite", "disk", { SVC_SITE_URL: server.url.origin });
  origin = library.listen();
  asset = (await library.plant({ title: "Poster", set: "posters" })).id;
  webhook = (await addPausedWebhook(library.ctx.data)) + evil;
  await setChecklist(library.ctx, { slug: "atlas", kind: "file", items: [{ text: "Sharp" }] }, adminCaller);
  await annotate(library.ctx, { id: asset, body: "words" }, adminCaller);
  await library.ctx.data.append([event({ kind: "run.started", project: "atlas", run_id: "run-1" })]);
  await Bun.write(join(folder.path, "file.txt"), "other words");
  await Bun.write(join(folder.path, "list.md"), "- Sharp");
  const imported = { ...event({ project: "atlas" }), ts: "2026-03-01T00:00:00Z" };
  await Bun.write(join(folder.path, "events.ndjson"), JSON.stringify(imported));
  env = {
    SVC_TOKEN: await library.mint(allScopes, { name: "ana" }),
    SVC_URL: server.url.origin,
    SVC_DATA_DIR: "/nowhere/at/all",
    HOME: folder.path,
    XDG_CONFIG_HOME: join(folder.path, "config"),
  };
});
afterAll(async () => {
  await server.stop(true);
  await library.close();
  await folder[Symbol.asyncDispose]();
});

/** The words and flags of each command that calls a server. */
const calls = (): Record<string, string[]> => ({
  acp: ["--", "true"],
  open: ["--for", "ana", "--print"],
  backfill: ["--yes"],
  connect: ["claude-code", "--dry-run", "--yes"],
  whoami: [],
  today: [],
  inbox: [],
  "inbox done": ["review-1"],
  "inbox snooze": ["review-1"],
  feed: [],
  runs: [],
  top: ["--json"],
  usage: [],
  "budget set": ["5", "--project", "atlas"],
  "budget list": [],
  "budget check": [],
  "budget remove": ["1"],
  tasks: [],
  "token list": [],
  "token owner": ["ana"],
  "token review-role": ["ana", "design"],
  "token activity": ["ana"],
  "token revoke": ["gone"],
  audit: [],
  doctor: ["--server", server.url.origin],
  "model onboard": ["model-1", "--provider", "openai", "--lanes", ""],
  "model list": [],
  "guidance add": ["model-1", join(folder.path, "list.md"), "--source", "https://example.com/"],
  consolidate: [],
  offboard: ["dana", "--yes"],
  "project remove": ["nowhere", "--reason", "x", "--yes"],
  erase: ["dana", "--reason", "x", "--yes"],
  redact: ["event", "128", "--reason", "x", "--yes"],
  "person list": [],
  "person add": ["dana"],
  "person link": ["dana", "--email", "dana@example.com"],
  "person unlink": ["dana", "--email", "dana@example.com"],
  "person remove": ["dana"],
  "person unmapped": ["--keep", "atlas"],
  "email add": ["ana@example.com", "--daily"],
  "email list": [],
  "email send": [asset],
  "email remove": [asset],
  "project link": ["atlas", "--repo", "acme/atlas"],
  "project list": [],
  "project show": ["atlas"],
  "run show": ["run-1"],
  run: ["--project", "atlas", "--", "true"],
  "event add": ["--kind", "run.started", "--actor", "human:ana", "--summary", "words"],
  "event import": [join(folder.path, "events.ndjson")],
  "asset push": [join(folder.path, "file.txt"), "--project", "atlas"],
  "asset list": [],
  "asset show": [asset],
  "asset request-review": [asset, "--reviewer", "ana"],
  "asset review": [asset, "rejected", "--note", "words"],
  "asset annotations": [asset],
  "asset annotate": [asset, "words"],
  "asset review-set": ["posters", "--project", "atlas", "--reject", asset, "--note", "words"],
  "asset wait": [asset, "--timeout", "1s"],
  "asset remove-metadata": [asset],
  "asset publish": [asset],
  "asset unpublish": [asset, "--reason", "words"],
  "asset delete": [asset, "--reason", "words", "--yes"],
  "share create": [asset, "--recipient", "Ana"],
  "share list": [],
  "share renew": [asset],
  "share revoke": [asset],
  "share log": [asset],
  "checklist set": ["atlas", "file", join(folder.path, "list.md")],
  "checklist list": ["atlas"],
  "checklist show": ["atlas", "file"],
  "checklist remove": ["atlas", "file"],
  "review-policy set": ["atlas", "file", "reviewer=1"],
  "review-policy list": ["atlas"],
  "review-policy remove": ["atlas", "file"],
  "review-policy repeats": ["atlas", "refuse"],
  brief: ["atlas", "posters"],
  rules: ["atlas", "--check"],
  recall: ["posters"],
  search: ["posters"],
  decide: ["atlas", "words"],
  ...{ "decision confirm": ["1"], "decision drop": ["1"], "decision retire": ["1"] },
  "decision anchors": ["1", "--clear"],
  "decision check": ["1", "--kind", "forbid", "--text", "#FF0000"],
  check: ["--project", "atlas", "--diff", join(folder.path, "list.md"), "--fresh"],
  prefer: ["tone", "calm"],
  claim: ["12", "--project", "atlas"],
  release: ["12", "--project", "atlas"],
  "webhook add": ["https://example.com/"],
  "webhook list": [],
  "webhook test": [webhook],
  "webhook log": [webhook],
  "webhook replay": [webhook, "--since", "1h"],
  "webhook pause": [webhook],
  "webhook resume": [webhook],
  "webhook rotate": [webhook],
  "webhook remove": [webhook],
});

/** Commands that print no text of the server, if all goes well. */
const ownWords = new Set([
  "check",
  "decision check",
  "email list", // empty without a mail server
  "event add",
  "backfill", // no session is on this machine
  "event import",
  "guidance add",
  "inbox done",
  "inbox snooze",
  "model onboard",
  "offboard",
  "person add",
  "person link",
  "person remove",
  "person unlink",
  "person unmapped",
  "prefer",
  "project link",
  "release",
  "review-policy repeats",
  "rules",
  "run",
  "token owner",
  "token review-role",
  "acp", // what it writes is the agent's
  "tasks", // no run here names one
  "usage",
]);

/** The commands below one that call a server, by their words. */
async function serverCommands(words: string, command: Command): Promise<string[]> {
  const own = command.run && command.args && "server" in command.args ? [words] : [];
  const inner = Object.entries((command.subCommands ?? {}) as Record<string, Command>);
  const below = await Promise.all(inner.map(([name, one]) => serverCommands(`${words} ${name}`, one)));
  return [...own, ...below.flat()];
}

test("no command prints a control character that a hostile server sent", async () => {
  const loaded = Object.entries(commands).map(async ([name, [, load]]) =>
    serverCommands(name, (await load()).default),
  );
  const names = (await Promise.all(loaded)).flat();
  const args = calls();
  expect(Object.keys(args).toSorted()).toEqual(names.toSorted());
  const unshown: Record<string, string> = {};
  for (const name of names) {
    const { output, errors } = await program([...name.split(" "), ...(args[name] ?? [])], env);
    expect([name, output + errors]).toEqual([name, expect.not.stringMatching(controls)]);
    if (!ownWords.has(name) && !(output + errors).includes("EVIL")) unshown[name] = output + errors;
  }
  expect(unshown).toEqual({});
});

test("JSON stays JSON, with the same values", async () => {
  const { output } = await program(["asset", "show", asset, "--json"], env);
  expect(output).not.toMatch(controls);
  expect(JSON.parse(output)).toMatchObject({ title: `Poster${evil}`, versions: [{ id: asset + evil }] });
});

test("the colors of svc are its own, and none of the server's", async () => {
  const { output } = await program(["feed"], { ...env, NO_COLOR: undefined, FORCE_COLOR: "1" });
  const withoutColors = Bun.stripANSI(output);
  expect(withoutColors.length).toBeLessThan(output.length);
  expect(withoutColors).not.toMatch(controls);
  expect(withoutColors).toContain("u{1b}[31m");
});
