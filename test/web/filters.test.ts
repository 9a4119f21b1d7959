/** The filters of lists: a wrong one is marked in its form, and each that is set has a chip. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { page, signIn } from "../support/browser/site.ts";
import { event, link, openApp, type TestApp } from "../support/harness.ts";

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  for (const actor of ["agent:codex", "human:jonas"])
    await app.ctx.data.append([
      event({ kind: "run.started", project: "atlas", run_id: `run-${actor.length}`, actor }),
    ]);
  ({ cookie } = await signIn(app, await app.mint(allScopes)));
});
afterAll(() => app[Symbol.asyncDispose]());

async function open(path: string) {
  const response = await page(app, path, cookie);
  return { status: response.status, html: await response.text() };
}
const errors = (html: string) =>
  [...html.matchAll(/class="field-error"[^>]*>(.*?)</g)].map(([, text]) => text);
const chips = (html: string) =>
  [...html.matchAll(/class="chip" href="([^"]*)">.*?<\/span> (.*?)<bdi>(.*?)<\/bdi>/g)].map(
    ([, href, label, value]) => [`${label}${value}`, href],
  );

test("a filter that is not valid is marked in the form, which keeps all values, on every list", async () => {
  for (const [path, status, error, kept] of [
    ["/feed?issue=abc&actor=jonas", 400, "&quot;abc&quot; is not a number.", 'value="jonas" checked'],
    ["/feed?kind=nothing&issue=12", 400, "&quot;nothing&quot; is not one of the choices.", 'value="12"'],
    ["/assets?status=done&issue=12", 400, "&quot;done&quot; is not one of the choices.", 'value="12"'],
    ["/tasks?as=table&stage=x&actor=codex", 400, "&quot;x&quot; is not", 'value="agent:codex" selected'],
    ["/tasks?project=nope", 404, "There is no project &quot;nope&quot;.", 'value="nope" selected'],
    ["/runs?status=x&issue=12", 400, "&quot;x&quot; is not one of the choices.", 'value="12"'],
    ["/usage?from=soon&project=atlas", 400, "&quot;soon&quot; is not a date.", 'value="atlas" selected'],
    [
      "/usage?from=2026-02-02&to=2026-01-01",
      400,
      "From (2026-02-02) must not be after",
      'value="2026-01-01"',
    ],
    ["/memory?as_of=soon&query=dark", 400, "&quot;soon&quot; is not a date.", 'value="dark"'],
  ] as const) {
    const found = await open(path);
    expect([path, found.status, errors(found.html).join()]).toEqual([
      path,
      status,
      expect.stringContaining(error),
    ]);
    expect([path, found.html.includes(kept)]).toEqual([path, true]);
    expect([path, found.html.match(/aria-invalid="true"/g)?.length]).toEqual([path, 1]);
    expect([path, found.html.includes('<nav aria-label="Main">')]).toEqual([path, true]);
  }
});

test("each value of a filter has a chip, in words, that leads to the list without it", async () => {
  expect(chips((await open("/feed?kind=run.started,run.failed&actor=human:jonas&view=events")).html)).toEqual(
    [
      ["Kind: Run started", "/feed?kind=run.failed&amp;actor=human%3Ajonas&amp;view=events"],
      ["Kind: Run failed", "/feed?kind=run.started&amp;actor=human%3Ajonas&amp;view=events"],
      ["Actor: jonas", "/feed?kind=run.started%2Crun.failed&amp;view=events"],
    ],
  );
  expect(chips((await open("/runs?actor=agent:codex&parent=run-1&sort=cost")).html)).toEqual([
    ["Agent: codex", "/runs?parent=run-1&amp;sort=cost"],
    ["Started by run: run-1", "/runs?actor=agent%3Acodex&amp;sort=cost"],
  ]);
  expect(chips((await open("/usage?from=2026-01-01&by=task&project=atlas")).html)).toEqual([
    ["Project: atlas", "/usage?from=2026-01-01&amp;by=task"],
  ]);
});

test("a name finds its actor in every list, where only one has it", async () => {
  for (const path of [
    "/runs?actor=codex",
    "/runs?actor=bot:codex",
    "/feed?actor=codex",
    "/feed?actor=token:codex",
  ]) {
    const { status, html } = await open(path);
    expect([path, status, html.includes("agent:codex")]).toEqual([path, 200, true]);
    expect([path, html.includes('class="empty"')]).toEqual([path, false]);
  }
  const unknown = await open("/runs?actor=mira");
  expect([unknown.status, errors(unknown.html)]).toEqual([
    400,
    ["&quot;mira&quot; is not one of the choices."],
  ]);
});

test("a person saves filters under a name, finds them above the list, and can undo a removal", async () => {
  const csrf = /name="csrf" value="([^"]+)"/.exec((await open("/feed?kind=run.failed")).html)?.[1] ?? "";
  const send = async (path: string, fields: Record<string, string>) => {
    const response = await app.ask(path, {
      method: "POST",
      headers: { cookie, origin: "http://svc.test" },
      body: new URLSearchParams({ csrf, ...fields }),
    });
    return { status: response.status, to: response.headers.get("location"), html: await response.text() };
  };
  const saved = (html: string) =>
    [
      ...(/<nav class="saved-views".*?<\/nav>/.exec(html)?.[0] ?? "").matchAll(
        /href="([^"]*)".*?<bdi>(.*?)</g,
      ),
    ].map(([, href, name]) => [name, href]);
  const of = "/feed?kind=run.failed&actor=codex";
  expect((await open("/feed?kind=run.failed")).html).toContain(
    `<a href="/views?of=${encodeURIComponent("/feed?kind=run.failed")}">Save this view</a>`,
  );
  const unnamed = await send("/views", { of, name: " " });
  expect([unnamed.status, unnamed.html.includes('aria-invalid="true"')]).toEqual([400, true]);
  expect(await send("/views", { of, name: "Failures" })).toMatchObject({ status: 303, to: of });
  const view = [["Failures", of.replace("&", "&amp;")]];
  expect(saved((await open("/feed")).html)).toEqual(view);
  expect(saved((await open(of)).html)).toEqual(view);
  expect((await open(of)).html).toContain('aria-current="true"><bdi>Failures</bdi>');
  expect(saved((await open("/runs")).html)).toEqual([]);
  const other = await signIn(app, await app.mint(allScopes, { name: "other" }));
  expect(saved(await (await page(app, "/feed", other.cookie)).text())).toEqual([]);
  const { to } = await send("/views/remove", { of, name: "Failures" });
  expect(saved((await open("/feed")).html)).toEqual([]);
  expect((await open(to ?? "")).html).toContain("Removed <bdi>Failures</bdi>.");
  await send("/views", { of, name: "Failures" });
  expect(saved((await open("/feed")).html)).toEqual(view);
  expect((await send("/views", { of: "https://example.com/x", name: "Away" })).to).toBe("/feed");
});
