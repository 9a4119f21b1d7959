/** `svc demo`: a writable service with the demo data that leaves nothing behind. */
import { describe, expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { must, type Program, program, runProgram, temporaryFolder, until } from "../support/harness.ts";

interface Demo extends Program {
  origin: string;
  link: string;
  token: string;
  folder: string;
}

/** Starts a demo whose folder is in `temp`, and waits until it is ready. */
async function startDemo(
  temp: string,
  env: Record<string, string> = {},
  flags = ["--port", "0"],
): Promise<Demo> {
  const running = runProgram(["demo", ...flags], { TMPDIR: temp, ...env });
  const child = running.process;
  await until(() => /Ctrl-C/.test(running.output()) || child.exitCode !== null, "the demo is ready");
  if (child.exitCode !== null) throw new Error(`svc demo ended: ${running.errors()}`);
  const find = (pattern: RegExp) => must(pattern.exec(running.output())?.[1]);
  return {
    ...running,
    origin: find(/^svc demo is running at (http\S+)$/m),
    link: find(/^ {2}(http\S+\/sign-in\?link=\S+)$/m),
    token: find(/SVC_TOKEN=(svc_\w{40})$/m),
    folder: find(/--data-dir (\S+)$/m),
  };
}

/** Signs in with the link. @returns the headers of a form that the session submits, and its CSRF token */
async function signIn({ origin, link }: Demo) {
  const csrfOf = (html: string) => must(/name="csrf" value="([^"]+)"/.exec(html)?.[1]);
  const page = await fetch(link);
  const cookie = must(page.headers.get("set-cookie")?.split(";")[0]);
  const secret = must(new URL(link).searchParams.get("link"));
  const body = new URLSearchParams({ csrf: csrfOf(await page.text()), link: secret });
  const signed = await fetch(`${origin}/sign-in`, {
    ...{ method: "POST", redirect: "manual", headers: { origin, cookie }, body },
  });
  const headers = { origin, cookie: must(signed.headers.get("set-cookie")?.split(";")[0]) };
  return { headers, csrf: csrfOf(await (await fetch(origin, { headers })).text()) };
}

describe("svc demo", () => {
  test("takes an upload with its agent token, a review and a publication with its link", async () => {
    await using temp = await temporaryFolder();
    await using demo = await startDemo(temp.path);
    const authorization = { authorization: `Bearer ${demo.token}` };
    const api = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${demo.origin}/api/v1${path}`, { ...init, headers: authorization });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect((await api("/feed?limit=200")).body.count).toBe(200);
    const form = new FormData();
    form.append("project", "harbor");
    form.append("file", new File(["nine berths\n"], "berths.txt"));
    const { status, body } = await api("/assets", { method: "POST", body: form });
    expect(status).toBe(201);
    const review = { method: "PUT", body: JSON.stringify({ decision: "approved" }) };
    expect((await api(`/assets/${body.id}/review`, review)).status).toBe(403);

    const { headers, csrf } = await signIn(demo);
    const page = await (await fetch(`${demo.origin}/assets/${body.id}`, { headers })).text();
    const fields = Object.fromEntries(
      [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    const submit = (path: string, more: Record<string, string> = {}) =>
      fetch(`${demo.origin}/assets/${body.id}/${path}`, {
        ...{ method: "POST", redirect: "manual", headers },
        body: new URLSearchParams({ ...(fields as Record<string, string>), csrf, ...more }),
      });
    expect((await submit("review", { decision: "approved" })).status).toBe(303);
    expect((await submit("publish")).status).toBe(303);
    const { body: asset } = await api(`/assets/${body.id}`);
    expect(asset.status).toBe("published");
    expect(await (await fetch(String(asset.public_url))).text()).toBe("nine berths\n");
  });

  test("serves the files of its assets, also the published ones, and svc doctor finds nothing wrong", async () => {
    await using temp = await temporaryFolder();
    await using demo = await startDemo(temp.path);
    const headers = { authorization: `Bearer ${demo.token}` };
    const list = await fetch(`${demo.origin}/api/v1/assets?limit=200`, { headers });
    const { assets } = (await list.json()) as {
      assets: { url: string | null; public_url: string | null; size: number }[];
    };
    const urls = assets.flatMap(({ url, public_url }) => [url, public_url].filter((one) => one !== null));
    expect(urls.length).toBeGreaterThan(assets.length);
    for (const url of urls) {
      const response = await fetch(url);
      await response.body?.cancel();
      expect([url, response.status]).toEqual([url, 200]);
    }
    const { code, output } = await program(["doctor", "--json", "--data-dir", demo.folder]);
    expect([code, output.match(/"level":"error"/)]).toEqual([0, null]);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("deletes its folder on %s", async (signal) => {
    await using temp = await temporaryFolder();
    await using demo = await startDemo(temp.path);
    expect(await readdir(temp.path)).toHaveLength(1);
    demo.process.kill(signal);
    expect(await demo.ended).toBe(0);
    expect(await readdir(temp.path)).toEqual([]);
  });

  test("deletes its folder when it is stopped while it adds the data, or cannot start", async () => {
    await using temp = await temporaryFolder();
    await using starting = runProgram(["demo", "--port", "0"], { TMPDIR: temp.path });
    await until(async () => (await readdir(temp.path)).length > 0, "the folder exists");
    starting.process.kill("SIGINT");
    await starting.ended;
    expect(await readdir(temp.path)).toEqual([]);
    expect((await program(["demo", "--port", "x"], { TMPDIR: temp.path })).code).toBe(1);
    expect(await readdir(temp.path)).toEqual([]);
  });

  test("deletes the folder of a demo that was killed when the next one starts, and no other", async () => {
    await using temp = await temporaryFolder();
    await mkdir(join(temp.path, "svc-demo-mine"));
    await using killed = await startDemo(temp.path);
    await using running = await startDemo(temp.path);
    killed.process.kill("SIGKILL");
    await killed.process.exited;
    await using next = await startDemo(temp.path);
    const names = [running.folder, next.folder, join(temp.path, "svc-demo-mine")].toSorted();
    expect((await readdir(temp.path)).map((name) => join(temp.path, name)).toSorted()).toEqual(names);
  });

  test("uses nothing of the environment, and another port if the default one is in use", async () => {
    await using temp = await temporaryFolder();
    await using own = await temporaryFolder();
    const blocker = ((): Bun.Server<undefined> | null => {
      try {
        return Bun.serve({
          hostname: "127.0.0.1",
          port: 8787,
          reusePort: false,
          fetch: () => new Response(),
        });
      } catch {
        return null; // in use already, by another program
      }
    })();
    try {
      const env = {
        ...{ SVC_DATABASE_URL: `sqlite:${join(own.path, "svc.db")}`, SVC_DATA_DIR: own.path },
        ...{ SVC_SITE_URL: "https://svc.example.com", SVC_GITHUB_TOKEN: "x", SVC_ASSET_STORE: "s3://bucket" },
      };
      await using demo = await startDemo(temp.path, env, []);
      expect(demo.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(demo.origin).not.toBe("http://127.0.0.1:8787");
      expect(await readdir(own.path)).toEqual([]);
    } finally {
      await blocker?.stop(true);
    }
  });
});
