/**
 * Titles that hold marks of direction, or text that runs the other way, do not reorder what stands around
 * them.
 */
import { expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { isolateBidi } from "../../src/core/lib/strings/display-text.ts";
import { bidiLeaks } from "../support/browser/bidi-leaks.ts";
import { event, must, program, temporaryFolder } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";

const title = "invoice\u202e gpj.exe";

/** Signs in. @returns the HTML of a page */
async function signedInPages(library: Library): Promise<(path: string) => Promise<string>> {
  const token = await library.mint(["feed:read", "assets:read", "assets:review", "memory:read"]);
  const form = await library.ask("/sign-in");
  const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? "";
  const headers = {
    origin: "http://svc.test",
    cookie: form.headers.get("set-cookie") ?? "",
    "content-type": "application/x-www-form-urlencoded",
  };
  const body = new URLSearchParams({ csrf, token }).toString();
  const signedIn = await library.ask("/sign-in", { method: "POST", headers, body });
  const cookie = must(signedIn.headers.get("set-cookie")).split(";", 1)[0] as string;
  return async (path) => (await library.ask(path, { headers: { cookie, accept: "text/html" } })).text();
}

test("the name of an actor with marks of direction is isolated on every page that shows it", async () => {
  await using library = await openLibrary("sqlite", "disk", { SVC_PUBLIC_READ: "1" });
  const name = "mallory\u202egpj.ana";
  const actor = `human:${name}`;
  const token = await library.mint(allScopes);
  const about = { project: "atlas", actor, run_id: "run-1", issue: 12 };
  await library.ctx.data.append([
    event({ ...about, kind: "run.started" }),
    event({ ...about, kind: "run.failed", cost_equiv: 3 }),
  ]);
  const { id } = (await library.upload({ project: "atlas", title: "Map", issue: "12" })).body;
  const review = { decision: "rejected", note: "Too dark", by: actor };
  expect((await library.review(id, review)).status).toBe(200);
  const decision = { project: "atlas", text: "Draw brighter", by: actor };
  expect((await library.say("/decisions", { json: decision, token })).status).toBe(200);
  const page = await signedInPages(library);
  for (const path of [
    ...["/", "/feed", "/feed?view=events", "/runs/run-1?project=atlas", "/memory"],
    ...["/usage?by=actor", `/assets/${id}`, "/projects/atlas/issues/12"],
  ]) {
    const html = await page(path);
    expect([path, html.includes(name), await bidiLeaks(html)]).toEqual([path, true, []]);
  }
});

test("a title with marks of direction is isolated in the library, on its page, in its name and in the feed", async () => {
  await using library = await openLibrary("sqlite", "disk", { SVC_PUBLIC_READ: "1" });
  const { id } = (await library.upload({ project: "atlas", title })).body;
  const page = await signedInPages(library);
  for (const path of ["/assets", "/assets?view=table"]) {
    const html = await page(path);
    expect([
      path,
      html.split(title).length > 1,
      html.replaceAll(new RegExp(`<bdi[^>]*>${title}</bdi>|"[^"]*${title}[^"]*"`, "g"), "").includes(title),
    ]).toEqual([...[path, true, false]]);
  }
  const desk = await page(`/assets/${id}`);
  expect(desk).toContain(`<bdi>${title}</bdi>`);
  expect(desk).toContain(`<title>\u2068${title}\u2069 · svc</title>`);
  expect(must((await library.events()).at(-1)).summary).toBe(`Uploaded \u2068${title}\u2069, version 1`);
});

test("the terminal shows marks of direction instead of obeying them", async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: folder.path };
  await program(["project", "link", "atlas", "--repo", "acme/atlas"], env);
  const path = `${folder.path}/a.txt`;
  await Bun.write(path, "words");
  const pushed = await program(["asset", "push", path, "--project", "atlas", "--title", title], env);
  const listed = await program(["asset", "list"], env);
  const shown = await program(["asset", "show", /[0-7][0-9A-Z]{25}/.exec(listed.output)?.[0] ?? ""], env);
  const feed = await program(["feed"], env);
  for (const { code, output, errors } of [pushed, listed, shown, feed]) {
    expect(code).toBe(0);
    expect(output + errors).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  }
  for (const { output } of [listed, shown, feed]) expect(output).toContain("invoice\\u{202e} gpj.exe");
});

test("an isolate is as whole as the text in it is not", () => {
  expect(isolateBidi("plain עברית")).toBe("plain עברית");
  expect(isolateBidi("a\u2067b")).toBe("\u2068a\u2067b\u2069\u2069");
  expect(isolateBidi("a\u2069b")).toBe("\u2068\u2068a\u2069b\u2069");
});
