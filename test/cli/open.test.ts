/** Sign-in links in the terminal: when `svc serve` prints one, and `svc open`. */
import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import {
  createDatabase,
  dialects,
  freshDatabase,
  migratedDatabase,
  must,
  program,
  programCommand,
  programEnvironment,
  rowsOf,
  startServer,
  type TestDatabase,
  temporaryFolder,
  until,
} from "../support/harness.ts";

const linkPattern = /^(https?:\/\/\S+\/sign-in\?link=[\w-]{22})$/m;
const linkSecret = /link=/;
/** The output without the line that names a new database. */
const withoutCreated = (output: string): string => output.replace(/^Created the database .+\n/, "");
const linkIn = (text: string): string | undefined => linkPattern.exec(text)?.[1];

/** Opens a link and presses its button. @returns the status of the response */
async function follow(link: string): Promise<number> {
  const { origin, searchParams } = new URL(link);
  const page = await fetch(link);
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const response = await fetch(`${origin}/sign-in`, {
    ...{ method: "POST", redirect: "manual", headers: { origin, cookie } },
    body: new URLSearchParams({ csrf, link: must(searchParams.get("link")) }),
  });
  return response.status;
}

const env = ({ url }: Pick<TestDatabase, "url">) => ({ SVC_DATABASE_URL: url });

describe.each(dialects)("svc serve on %s", (dialect) => {
  test("prints a sign-in link until someone has signed in, and never logs it", async () => {
    await using database = await migratedDatabase(dialect);
    await createDatabase(database.url);
    const links: string[] = [];
    for (let start = 0; start < 2; start++) {
      await using server = await startServer(database);
      const [first, second, third] = withoutCreated(server.output()).split("\n");
      expect(first).toBe(`svc is running at ${server.origin}`);
      expect(second).toBe("Sign in (link works once, within 15 minutes):");
      expect(third).toStartWith(`${server.origin}/sign-in?link=`);
      links.push(must(third));
      if (start === 1) expect([await follow(must(third)), await follow(must(third))]).toEqual([303, 401]);
      await server.terminate();
      for (const link of links) expect(server.errors()).not.toContain(new URL(link).search.slice(6));
    }
    await using server = await startServer(database);
    expect(server.output()).toBe(`svc is running at ${server.origin}\n`);
  });
});

describe("svc serve without a terminal prints no link", () => {
  test.each<[string, Record<string, string>]>([
    ["for a public site", { SVC_SITE_URL: "https://svc.example.com" }],
    ["on a public host", { SVC_HOST: "0.0.0.0" }],
    ["to the systemd journal", { JOURNAL_STREAM: "9:12345" }],
    ["of demo data", { SVC_DATA_MODE: "mock" }],
  ])("%s", async (_, extra) => {
    await using database = await freshDatabase("sqlite");
    await createDatabase(database.url);
    const running = Bun.spawn([...programCommand(), "serve", "--port", "0"], {
      env: programEnvironment({ ...env(database), ...extra }),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const decoder = new TextDecoder();
    let output = "";
    for await (const chunk of running.stdout) {
      output += decoder.decode(chunk);
      if (output.endsWith("\n")) running.kill("SIGTERM");
    }
    expect(withoutCreated(output)).toMatch(/^svc is running at http\S+( with demo data)?\n$/);
  });
});

test("svc serve on a terminal prints a link for the public URL", async () => {
  await using database = await freshDatabase("sqlite");
  let output = "";
  const decoder = new TextDecoder();
  const running = Bun.spawn([...programCommand(), "serve", "--port", "0", "--host", "0.0.0.0"], {
    env: programEnvironment({ ...env(database), SVC_SITE_URL: "https://svc.example.com" }),
    terminal: { cols: 60, rows: 24, data: (_, data) => void (output += decoder.decode(data)) },
  });
  await until(() => linkIn(output.replaceAll("\r", "")), "the link");
  running.kill("SIGTERM");
  await running.exited;
  expect(output).toContain("svc is running at https://svc.example.com");
  expect(linkIn(output.replaceAll("\r", ""))).toStartWith("https://svc.example.com/");
});

describe("svc open", () => {
  test("prints a link that signs in, also when someone has signed in before, on standard output alone", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    for (let time = 0; time < 2; time++) {
      const { code, output, errors } = await program(["open"], env(database));
      expect([code, errors]).toEqual([0, "The link works once, within 15 minutes.\n"]);
      expect(output).toMatch(/^http\S+\n$/);
      expect(await follow(output.trim())).toBe(303);
    }
    const revoked = await program(["open", "--revoke"], env(database));
    expect(revoked.errors).toEqual(
      expect.stringMatching(/^Revoked unused links in \S+\. Signed out 2 sessions opened with one\.\n$/),
    );
    expect(server.errors()).not.toMatch(linkSecret);
  });

  test("opens the browser of BROWSER, or of the desktop, but not over SSH or with --print", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    await using folder = await temporaryFolder();
    const opened = join(folder.path, "opened");
    for (const name of ["xdg-open", "open", "my-browser"]) {
      await Bun.write(join(folder.path, name), `#!/bin/sh\necho "$1" >> '${opened}'\n`);
      await chmod(join(folder.path, name), 0o755);
    }
    const desktop = { PATH: `${folder.path}:${process.env.PATH}`, DISPLAY: ":0" };
    const ssh = { ...desktop, SSH_CONNECTION: "198.51.100.1 1 198.51.100.2 22" };
    const cases: [string[], Record<string, string>, boolean][] = [
      [[], desktop, true],
      [["--print"], desktop, false],
      [[], ssh, false],
      [[], { ...ssh, BROWSER: `${folder.path}/my-browser` }, true],
      [[], { BROWSER: `${folder.path}/missing` }, false],
    ];
    const links: string[] = [];
    for (const [flags, extra, opens] of cases) {
      const { code, output, errors } = await program(["open", ...flags], { ...env(database), ...extra });
      expect([code, errors.startsWith("Opened in your browser.")]).toEqual([0, opens]);
      if (opens) links.push(output);
      const log = async () => ((await Bun.file(opened).exists()) ? Bun.file(opened).text() : "");
      await until(async () => (await log()) === links.join(""), "the browser has the link");
    }
    expect(server.errors()).not.toMatch(linkSecret);
  });

  test("prints a link for a token with --for, on the server's machine and from another one", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const local = env(database);
    const create = async (name: string, role: string) =>
      (await program(["token", "create", name, "--role", role], local)).output.trim();
    const [admin, reviewer] = [await create("mara", "admin"), await create("dana", "reviewer")];
    const remote = (token: string) => ({ SVC_URL: server.origin, SVC_TOKEN: token });
    for (const from of [local, remote(admin)]) {
      const { code, output, errors } = await program(["open", "--for", "dana"], from);
      expect([code, linkIn(output)]).toEqual([0, output.trim()]);
      expect(errors).toMatch(
        /^Send this link to dana only: .+ It works once, until [\d :-]+ UTC\. It only opens on the server's machine: .+\n$/,
      );
      expect(await (await fetch(output.trim())).text()).toContain("Sign in as dana");
      const withEmail = await program(["open", "--for", "dana", "--email", "dana@example.com"], from);
      expect([withEmail.code, linkIn(withEmail.output)]).toEqual([0, withEmail.output.trim()]);
    }
    expect(
      await rowsOf(
        database.url,
        "select email from sign_in_links where token = 'dana' order by coalesce(email, '')",
      ),
    ).toEqual([null, null, "dana@example.com", "dana@example.com"].map((email) => ({ email })));
    const path = `${server.origin}/api/v1/tokens/dana/sign-in-links`;
    const withoutBody = await fetch(path, { method: "POST", headers: { authorization: `Bearer ${admin}` } });
    expect(withoutBody.status).toBe(201);
    const failures: [string[], Record<string, string>, number, string][] = [
      [["--for", "nobody"], local, 1, 'No token "nobody". See svc token list, or create it'],
      [["--for", "Dana Smith"], remote(admin), 2, "--for takes the name of a token, such as dana."],
      [["--for", "mara"], remote(reviewer), 1, "This is for admins. Use a token with the role admin."],
      [["--for", "dana", "--revoke"], local, 2, "Use either --for or --revoke, not both."],
      [["--server", server.origin], {}, 2, "--server needs --for or --revoke"],
      [["--email", "dana@example.com"], local, 2, "--email needs --for"],
      [["--for", "dana", "--email", "dana"], remote(admin), 1, "email"],
    ];
    for (const [flags, from, status, message] of failures) {
      const { code, output, errors } = await program(["open", ...flags], from);
      expect([code, output, errors.split("\n").length]).toEqual([status, "", 2]);
      expect(errors).toStartWith(`svc: ${message}`);
    }
  });

  test("uses the configured URL of the site", async () => {
    await using database = await freshDatabase("sqlite");
    await createDatabase(database.url);
    const site = { ...env(database), SVC_SITE_URL: "https://svc.example.com" };
    await program(["project", "link", "atlas", "--repo", "acme/atlas"], site);
    expect((await program(["open"], site)).output).toMatch(/^https:\/\/svc\.example\.com\/sign-in\?link=/);
  });

  test("fails when the server is not running, or runs on another database", async () => {
    await using database = await freshDatabase("sqlite");
    await using other = await freshDatabase("sqlite");
    let port: string;
    {
      await using server = await startServer(database);
      ({ port } = new URL(server.origin));
      await server.terminate();
      const { code, output, errors } = await program(["open"], env(database));
      expect([code, output]).toEqual([1, ""]);
      expect(errors).toBe(`svc: No server is running at ${server.origin}. Start it: svc serve\n`);
    }
    await using server = await startServer(other, {}, ["--port", port]);
    const { code, errors } = await program(["open"], env(database));
    expect([code, errors]).toEqual([
      1,
      `svc: The server at ${server.origin} uses another database. Choose the data folder of that server with --data-dir.\n`,
    ]);
  });
});
