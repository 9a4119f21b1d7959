/** The queue folds files that were rejected before: they come last, with the note, and can be refused. */
import { expect, test } from "bun:test";
import { connect } from "../../../cli/client/client.ts";
import { drawTop } from "../../../cli/top/screen.ts";
import { loadTop } from "../../../cli/top/state.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { page, post, signIn } from "../../support/browser/site.ts";
import { dialects } from "../../support/harness.ts";
import { file, openLibrary } from "../../support/library.ts";

const textOf = (html: string): string => html.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

test.each(dialects)(
  "on %s, what was rejected before waits after the others, however old, and says why",
  async (dialect) => {
    await using library = await openLibrary(dialect, "disk");
    const token = await library.mint(allScopes, { name: "maria" });
    const push = async (title: string, content: string, fields: Record<string, string> = {}) => {
      library.clock.advance(1_000_000);
      return (await library.upload({ project: "atlas", title, ...fields }, file("map.txt", content))).body;
    };
    const old = await push("Old map", "the old map");
    await library.review(old.id, { decision: "rejected", note: "Berth 4 is missing." });
    const repeated = await push("Same map", "the old map", { resubmit: "It was closed." });
    const fresh = await push("New map", "the new map");

    const { queues = [], count } = (await library.say<Today>("/today", { token })).body.reviews ?? {};
    const [queue] = queues;
    expect([count, queue?.count, queue?.repeats]).toEqual([2, 2, 1]);
    expect(queue?.oldest.map(({ id, repeats }) => [id, repeats?.note])).toEqual([
      [fresh.id, undefined],
      [repeated.id, "Berth 4 is missing."],
    ]);

    const { cookie, csrf } = await signIn(library, token);
    const read = async (path: string) => textOf(await (await page(library, path, cookie)).text());
    const today = await read("/");
    expect(today).toMatch(/New map.*Same map.*This file was already rejected as .*Berth 4 is missing\./);
    const desk = await read(`/assets/${repeated.id}`);
    expect(desk).toContain("Repeated: the same file was rejected: “Berth 4 is missing.”");
    expect(desk).toContain("Uploaded again because: “It was closed.”");
    expect(desk).toContain("2 of 2 pending, 1 rejected before");

    const api = connect({
      url: "http://svc.test",
      token,
      fetch: async ({ url }) => library.ask(new URL(url).pathname + new URL(url).search, { token }),
    });
    const nowMs = library.clock.now() / 1_000;
    const top = drawTop(await loadTop({ api }, nowMs), {
      width: 200,
      height: 30,
      view: "reviews",
      nowMs,
      place: "here",
      problem: null,
      isColored: false,
    });
    const rows = top.filter((line) => / map: /.test(line)).map((line) => line.trim());
    expect(rows).toEqual([
      expect.stringMatching(/New map: By tester$/),
      expect.stringMatching(/Same map: This file was already rejected as .*Berth 4 is missing\."$/),
    ]);

    const settings = () => read("/projects/atlas/review");
    const sent = await post(
      library,
      "/projects/atlas/repeat-policy",
      { csrf, repeats: "refuse" },
      { cookie },
    );
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "/projects/atlas/review"]);
    expect(await settings()).toMatch(/Set by maria/);
    const refused = await library.upload({ project: "atlas" }, file("x.txt", "the old map"));
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining("Berth 4 is missing."),
    ]);
    await post(library, "/projects/atlas/repeat-policy", { csrf, repeats: "accept" }, { cookie });
    expect((await library.upload({ project: "atlas" }, file("x.txt", "the old map"))).status).toBe(201);
  },
);
