/** The decisions on the page of a project. */
import { expect, test } from "bun:test";
import { page, signIn } from "../support/browser/site.ts";
import { link, openApp } from "../support/harness.ts";

test("are the newest thirty, and a link to all", async () => {
  await using app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  const newest = Array.from({ length: 31 }, (_, index) => 31 - index);
  await app.ctx.data.atomically(async (writes) => {
    for (const number of newest.toReversed())
      await writes.addDecision({
        project: "atlas",
        text: `Decision number ${number}.`,
        source: "mcp",
        source_ref: null,
        actor: "human:maria",
        valid_from: number,
      });
  });
  const { cookie } = await signIn(app, await app.mint(["feed:read", "memory:read"]));
  const html = await (await page(app, "/projects/atlas", cookie)).text();
  const listed = [...html.matchAll(/Decision number (\d+)\./g)].map(([, number]) => Number(number));
  expect(listed).toEqual(newest.slice(0, 30));
  expect(html).toContain('<a href="/memory?project=atlas">All decisions</a>');
});
