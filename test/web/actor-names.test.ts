/** One actor has one name on every page, and any of its forms finds it. */
import { expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { page, signIn } from "../support/browser/site.ts";
import { event, link, openApp } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";

test("one actor has one name on every page, whatever acted for it", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const { cookie } = await signIn(library, await library.mint(allScopes, { name: "maria" }));
  const about = { project: "atlas", run_id: "run-1", issue: 12 };
  await library.ctx.data.append([
    event({ ...about, actor: "agent:mira", kind: "run.started" }),
    event({ ...about, actor: "bot:mira", kind: "run.failed", cost_equiv: 3 }),
  ]);
  const { id } = (await library.upload({ project: "atlas", title: "Map", issue: "12", by: "agent:mira" }))
    .body;
  const review = { decision: "rejected", note: "Too dark", by: "human:mira" };
  expect((await library.review(id, review)).status).toBe(200);
  for (const path of [
    ...["/", "/feed", "/feed?view=events", "/runs/run-1?project=atlas", "/memory", "/usage?by=actor"],
    ...[`/assets/${id}`, "/assets?as=list", "/projects/atlas", "/projects/atlas/issues/12"],
  ]) {
    const html = await (await page(library, path, cookie)).text();
    // A brief is shown as agents get it.
    const text = html.replaceAll(/<(script|style|pre)[\s\S]*?<\/\1>|<[^>]*>/g, " ");
    expect([path, text.match(/\bmira\b/) !== null, text.match(/\w+:mira\b/)]).toEqual([path, true, null]);
  }
});

/** An actor of three forms, and another. */
async function openActors() {
  const app = await openApp("sqlite");
  const step = { kind: "step.usage", project: "atlas", cost_equiv: 2 } as const;
  await link(app.ctx.data, "atlas");
  for (const actor of ["agent:mira", "bot:mira", "human:mira", "agent:zoe"])
    await app.ctx.data.append([event({ ...step, actor, summary: `By ${actor}.` })]);
  const { cookie } = await signIn(app, await app.mint(["feed:read"]));
  return Object.assign(app, { open: async (path: string) => (await page(app, path, cookie)).text() });
}

test("the feed page takes any form of a name, and a person apart from programs", async () => {
  await using app = await openActors();
  const found = async (actor: string) => {
    const html = await app.open(`/feed?actor=${actor}`);
    for (const one of actor.split(",")) expect(html).toContain(`name="actor" value="${one}" checked`);
    return [...new Set(html.match(/By \w+:\w+/g))].sort();
  };
  for (const form of ["agent:mira", "bot:mira", "token:mira"])
    expect([form, await found(form)]).toEqual([form, ["By agent:mira", "By bot:mira"]]);
  expect(await found("human:mira")).toEqual(["By human:mira"]);
  expect(await found("mira")).toEqual(["By agent:mira", "By bot:mira", "By human:mira"]);
  expect(await found("human:mira,zoe")).toEqual(["By agent:zoe", "By human:mira"]);
  const names = Array.from({ length: 12 }, (_, at) => `name-${at}`);
  expect(await app.open(`/feed?actor=${names}`)).toContain('aria-current="true">Runs<');
});

test("the usage page sums the forms of a name in one row, which leads to the events of all", async () => {
  await using app = await openActors();
  const html = await app.open("/usage?by=actor");
  const [row, ...others] =
    html.match(/<tr><th scope="row"><a href="\/feed(?:(?!<\/tr>).)*>mira<.*?<\/tr>/g) ?? [];
  expect(row).toContain('href="/feed?actor=mira"');
  expect(row).toContain('<td data-label="Cost">$6.00</td>');
  expect(others).toEqual([]);
  expect(await app.open("/usage.csv?by=actor")).toMatch(/"agent:mira"[\s\S]*"bot:mira"[\s\S]*"human:mira"/);
});
