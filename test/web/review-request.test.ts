/** Review requests on the desk and on Today. */
import { expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { fromMicros, minuteMicros } from "../../src/core/lib/time.ts";
import { page, post, signIn } from "../support/browser/site.ts";
import { openLibrary } from "../support/library.ts";

const textOf = (html: string): string => html.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

test("the desk says who is asked and until when, lists those first, and Today names the overdue ones", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const { cookie, csrf } = await signIn(library, await library.mint(allScopes, { name: "maria" }));
  const first = await library.plant({ title: "Berth map" });
  const plain = await library.plant({ title: "Tides" });
  const due_at = fromMicros(library.clock.now() + 120 * minuteMicros);
  const json = { reviewers: ["maria"], due_at, question: "Is it readable?", by: "agent:codex" };
  expect((await library.say(`/assets/${first.id}/review-requests`, { json })).status).toBe(200);
  const desk = async (id: string) => textOf(await (await page(library, `/assets/${id}`, cookie)).text());
  expect(await desk(first.id)).toContain("Asked of maria by codex, due in 2 h: Is it readable?");
  expect(await desk(first.id)).toContain("1 of 2 pending, 1 asked of you");
  expect(await desk(plain.id)).toContain("2 of 2 pending, 1 asked of you");
  library.clock.advance(300 * minuteMicros);
  const today = textOf(await (await page(library, "/", cookie)).text());
  expect(today).toMatch(/Berth mapDue .*A review is overdue.*Is it readable\?/);

  const form = { csrf, reviewers: "maria, reviewer", due: "24", question: "Now?" };
  const sent = await post(library, `/assets/${plain.id}/review-requests`, form, { cookie });
  expect([sent.status, sent.headers.get("location")]).toEqual([303, `/assets/${plain.id}`]);
  expect(await desk(plain.id)).toContain("Asked of maria and reviewer by maria, due in 24 h: Now?");
  const refused = await post(
    library,
    `/assets/${plain.id}/review-requests`,
    { ...form, reviewers: "x" },
    { cookie },
  );
  expect([refused.status, textOf(await refused.text())]).toEqual([
    400,
    expect.stringContaining("cannot review assets of atlas") as unknown as string,
  ]);
});
