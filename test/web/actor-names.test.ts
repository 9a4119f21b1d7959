/** One actor has one name on every page. */
import { expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { page, signIn } from "../support/browser/site.ts";
import { event } from "../support/harness.ts";
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
