/** svc login, logout and whoami, and which server or database a command uses. */
import { describe, expect, test } from "bun:test";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { loginPath } from "../../cli/login/login-file.ts";
import { normalizeUrl } from "../../cli/login/target.ts";
import { useLinkedServer } from "../support/agents/linked-server.ts";
import { programCommand, programEnvironment, programToken, temporaryFolder } from "../support/harness.ts";

const linked = useLinkedServer();

interface Run {
  code: number;
  output: string;
  errors: string;
}

/** Runs a command in a folder of its own, with its own configuration folder and some standard input. */
async function run(home: string, args: string[], env: Record<string, string> = {}, input = ""): Promise<Run> {
  const child = Bun.spawn([...programCommand(), ...args], {
    cwd: home,
    env: programEnvironment({ XDG_CONFIG_HOME: join(home, "config"), ...env }),
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output = "", errors = ""] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  return { code: await child.exited, output, errors };
}

/** A folder whose user is logged in to the server. */
async function loggedIn() {
  const home = await temporaryFolder();
  const login = await run(home.path, ["login", linked.server.origin], {}, `${programToken}\n`);
  return { login, ...home };
}

test("svc login checks the token, and saves it in a file that only the user can read", async () => {
  await using home = await loggedIn();
  expect(home.login.errors).toMatch(/^Logged in to http:\S+ with the token "env:[0-9a-f]{8}" \(feed:read, /);
  expect([home.login.code, home.login.output]).toEqual([0, ""]);
  const file = join(home.path, "config", "svc", "login.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(file, ".."))).mode & 0o777).toBe(0o700);
  expect(await Bun.file(file).json()).toEqual({
    current: linked.server.origin,
    servers: { [linked.server.origin]: { token: programToken } },
  });
});

test("svc login saves nothing for a token that the server rejects, and for another website", async () => {
  await using home = await temporaryFolder();
  await using website = Bun.serve({
    port: 0,
    fetch: () => new Response("<p>Hello", { headers: { "content-type": "text/html" } }),
  });
  const wrong = await run(home.path, ["login", linked.server.origin], {}, "svc_wrong");
  expect([wrong.code, wrong.errors]).toEqual([1, expect.stringContaining("This token is not valid")]);
  const elsewhere = await run(home.path, ["login", website.url.origin], {}, programToken);
  expect([elsewhere.code, elsewhere.errors]).toEqual([
    1,
    expect.stringContaining("does not answer as an svc server (status 200, text/html)"),
  ]);
  expect((await run(home.path, ["login", linked.server.origin])).code).toBe(2);
  expect((await run(home.path, ["login", "ftp://svc.test"], {}, "x")).code).toBe(2);
  expect(await Bun.file(join(home.path, "config")).exists()).toBe(false);
});

test("every command that can work from afar uses the server of the login, and says so", async () => {
  await using home = await loggedIn();
  const svc = async (...args: string[]) => {
    const { code, output, errors } = await run(home.path, args);
    expect([args, code, code === 0 ? "" : errors]).toEqual([args, 0, ""]);
    return { output, errors };
  };
  const on = `on ${linked.server.origin}`;
  expect((await svc("decide", "atlas", "Maps are SVG files")).errors).toContain(`for atlas ${on}.`);
  expect((await svc("prefer", "tone", "plain")).errors).toBe(
    `Set preference "tone" for all projects ${on}.\n`,
  );
  expect((await svc("brief", "atlas", "draw maps")).output).toContain("Maps are SVG files");
  expect((await svc("recall", "maps", "--kinds", "decision")).output).toContain("Maps are SVG files");
  expect((await svc("search", "maps")).output).toContain("memory\n  Maps are SVG files\n    decision  1");
  expect((await svc("search", "atlas", "--json")).output).toContain('{"group":"jump","type":"project"');
  expect((await svc("search", "zzzz")).errors).toBe("No results.\n");
  expect((await svc("project", "list")).output).toContain("acme/atlas");
  expect((await svc("project", "show", "atlas")).output).toContain("Maps are SVG files");
  await Bun.write(join(home.path, "past.ndjson"), importLines);
  const first = await svc("event", "import", "past.ndjson");
  expect(first.errors).toContain(`Added 2 events ${on}. Skipped 0 duplicates.\nA server assigns the time`);
  expect(JSON.parse((await svc("event", "import", "past.ndjson", "--json")).output)).toEqual({
    accepted: 0,
    duplicates: 2,
    lines: 2,
  });
  expect((await svc("feed", "--limit", "1")).output).toContain("Run 2 started");
  await Bun.write(join(home.path, "note.txt"), "a note");
  expect((await svc("asset", "push", "note.txt", "--project", "atlas")).errors).toBe(`Uploaded ${on}.\n`);
  expect((await svc("asset", "list")).output).toContain("note.txt");
  expect(await Bun.file(join(home.path, "svc.db")).exists()).toBe(false);
});

const importLines = [1, 2]
  .map((run) =>
    JSON.stringify({
      kind: "run.started",
      actor: "runner:ci",
      summary: `Run ${run} started`,
      ts: "2026-01-05T09:00:00Z",
    }),
  )
  .join("\n");

test("an import to a server names the line that is not valid", async () => {
  await using home = await loggedIn();
  const unknownProject = '{"kind":"run.started","actor":"agent:a","summary":"x","project":"nope"}';
  for (const [line, message] of [
    ["{", "line 3: not valid JSON"],
    ['{"kind":"asset.uploaded","actor":"agent:a","summary":"x"}', "line 3: kind must be one of"],
    [unknownProject, "line 3: project: no project with slug 'nope'"],
  ] as const) {
    const input = `${importLines.split("\n")[0]}\n\n${line}`;
    const { code, errors } = await run(home.path, ["event", "import"], {}, input);
    expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
  }
});

describe("the target of a command is", () => {
  const targetOf = async (home: string, args: string[] = [], env: Record<string, string> = {}) => {
    const { output, errors } = await run(home, ["whoami", "--json", ...args], env);
    const { server, source, database, token_source } = JSON.parse(
      output || `{"server":${JSON.stringify(errors)}}`,
    );
    return database ? { database } : { server, source, token_source };
  };
  const other = "http://127.0.0.1:1";

  test("a flag, then SVC_URL, then a database of the environment, then the login, then svc.db", async () => {
    await using home = await loggedIn();
    const login = { server: linked.server.origin, source: "login", token_source: "login" };
    expect(await targetOf(home.path)).toEqual(login);
    expect(await targetOf(home.path, [], { SVC_DATABASE_URL: "sqlite:other.db" })).toEqual({
      database: "other.db",
    });
    expect(await targetOf(home.path, [], { SVC_DATA_DIR: "data" })).toEqual({ database: "data/svc.db" });
    const both = { SVC_URL: linked.server.origin, SVC_DATABASE_URL: "sqlite:other.db" };
    expect(await targetOf(home.path, [], both)).toEqual({ ...login, source: "SVC_URL" });
    expect(await targetOf(home.path, ["--data-dir", "."], { SVC_URL: other })).toEqual({
      database: "svc.db",
    });
    expect(await targetOf(home.path, ["--server", linked.server.origin], { SVC_URL: other })).toEqual({
      ...login,
      source: "--server",
    });
    expect((await run(home.path, ["logout"])).errors).toContain(`Logged out of ${linked.server.origin}.`);
    expect(await targetOf(home.path)).toEqual({ database: "svc.db" });
    expect((await run(home.path, ["logout"])).code).toBe(1);
  });

  test("called with SVC_TOKEN, or the token saved for this server, and never with that of another", async () => {
    await using home = await loggedIn();
    const sent: (string | null)[] = [];
    await using trap = Bun.serve({
      port: 0,
      fetch(request) {
        sent.push(request.headers.get("authorization"));
        return Response.json({ detail: "No." }, { status: 401 });
      },
    });
    const remote = ["feed", "--server", trap.url.origin];
    await run(home.path, remote);
    await run(home.path, remote, { SVC_TOKEN: "mine" });
    const { errors } = await run(home.path, remote);
    expect(errors).toBe(
      `svc: ${trap.url.origin} requires a token. Run svc login ${trap.url.origin}, or set SVC_TOKEN.\n`,
    );
    expect(sent).toEqual([null, "Bearer mine", null]);
    expect((await targetOf(home.path, [], { SVC_TOKEN: programToken })).token_source).toBe("SVC_TOKEN");
  });

  test("never a new database while logged in, but with --data-dir", async () => {
    await using home = await loggedIn();
    const link = ["project", "link", "beacon", "--repo", "acme/beacon"];
    const { errors } = await run(home.path, link);
    expect(errors).toBe(`Linked project "beacon" to acme/beacon on ${linked.server.origin}.\n`);
    expect((await run(home.path, [...link, "--data-dir", "."])).errors).toBe(
      `Created the database ${join(home.path, "svc.db")}.\nLinked project "beacon" to acme/beacon in svc.db.\n`,
    );
  });
});

test("svc whoami shows the server, the token, its scopes and its expiry", async () => {
  await using home = await loggedIn();
  const { output } = await run(home.path, ["whoami"]);
  expect(output).toMatch(
    /^Server {4}http:\S+ \(svc login\)\nToken {5}env:\S+ \(svc login\)\nScopes {4}feed:read, .*\nProjects {2}all\nExpires {3}never\n$/,
  );
});

test("svc whoami says that the database of its folder does not exist yet", async () => {
  await using home = await temporaryFolder();
  const { output } = await run(home.path, ["whoami"]);
  expect(output).toMatch(
    /^Database {2}svc\.db \(does not exist yet\)\nUser {6}human:\S+, with every scope\n$/,
  );
});

test("a damaged login file is an error that names it", async () => {
  await using home = await temporaryFolder();
  await mkdir(join(home.path, "config", "svc"), { recursive: true });
  const file = join(home.path, "config", "svc", "login.json");
  await Bun.write(file, "{");
  const { code, errors } = await run(home.path, ["feed"]);
  expect([code, errors]).toEqual([1, `svc: ${file} is damaged. Delete it, then run svc login again.\n`]);
});

test("the login file is in the configuration folder of the platform", () => {
  const home = process.env.HOME as string;
  expect(loginPath({ XDG_CONFIG_HOME: "/x" }, "linux")).toBe("/x/svc/login.json");
  expect(loginPath({}, "linux")).toBe(`${home}/.config/svc/login.json`);
  expect(loginPath({}, "darwin")).toBe(`${home}/Library/Application Support/svc/login.json`);
  expect(loginPath({ APPDATA: "/roaming" }, "win32")).toBe("/roaming/svc/login.json");
});

test.each([
  ["https://svc.test", "https://svc.test"],
  ["https://svc.test/", "https://svc.test"],
  ["https://svc.test/team/", "https://svc.test/team"],
  ["https://SVC.test/api/v1/", "https://svc.test"],
])("the server of %s is %s", (url, server) => {
  expect(normalizeUrl(url)).toBe(server);
});
