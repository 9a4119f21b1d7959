/** Links to a review queue or a variant set: what belongs to them at each moment, and what does not. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Purpose, signedUrl } from "../../../src/library/assets/files/signed-urls.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import type { ShareLog } from "../../../src/library/shares/schema.ts";
import { dialects, link, must } from "../../support/harness.ts";
import { type Library, openLibrary, pathOf } from "../../support/library.ts";
import { createShare, openLink, shareQueue, verdict, wholeAnswer } from "../../support/review/shares.ts";

describe.each(dialects)("a link on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());
  /** Each test has tags and sets of its own. */
  let tag = "";
  let tags = 0;
  beforeEach(() => {
    tag = `harbor-${++tags}`;
  });

  const plant = (title: string, row: Partial<AssetRow> = {}): Promise<AssetRow> => {
    library.clock.advance(1_000);
    return library.plant({ title, bytes: title, tags: [tag], ...row });
  };
  const textOf = async (response: Promise<Response>) => (await response).text();
  /** The titles in the strip. */
  const strip = (html: string) =>
    [...html.matchAll(/<li data-id[^>]*><a[^>]*title="([^"]*)"/g)].map(([, one]) => one);
  const h1 = (html: string) => must(/<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1]);
  const refresh = (guest: { path: string; cookie: string }, query = "") =>
    library.ask(`${guest.path}/queue${query}`, {
      headers: { cookie: guest.cookie },
      address: "198.51.100.7",
    });

  describe("to the queue", () => {
    test("shows what waits, the oldest first, and new assets as they come", async () => {
      await plant("First");
      await plant("Second");
      await plant("A photo", { kind: "image", mime: "image/png" });
      await plant("Without the tag", { tags: ["other"] });
      const { link: path, subject, asset_id, kind } = await shareQueue(library, { kind: "file", tag });
      expect([subject, asset_id, kind]).toEqual(["queue", null, "file"]);
      const guest = await openLink(library, path);
      const page = await textOf(guest.page());
      expect([h1(page), strip(page)]).toEqual(["First", ["First", "Second"]]);
      const third = await plant("Third");
      expect(strip(await textOf(refresh(guest)))).toEqual(["First", "Second", "Third"]);
      expect(h1(await textOf(guest.page(`?asset=${third.id}`)))).toBe("Third");
    });

    test("goes on to the next asset after a verdict, and says so when nothing is left", async () => {
      const [first, second] = [await plant("First"), await plant("Second")];
      const { id, link: path } = await shareQueue(library, { tag });
      const guest = await openLink(library, path);
      const sent = await guest.send(`verdict?asset=${first.id}`, verdict(first));
      expect(sent.headers.get("location")).toBe(`${guest.path}?asset=${second.id}&done=verdict`);
      library.clock.advance(1_000);
      const last = await guest.send(
        `verdict?asset=${second.id}`,
        verdict(second, { decision: "rejected", note: "Dark" }),
      );
      expect(last.headers.get("location")).toBe(`${guest.path}?done=verdict`);
      const page = await textOf(guest.page("?done=verdict"));
      expect([h1(page), page]).toEqual([
        "Nothing to review",
        expect.stringContaining("Your review was recorded."),
      ]);
      const { body } = await library.say<ShareLog>(`/shares/${id}/log`);
      expect(body.entries.filter(({ name }) => name !== null)).toMatchObject([
        { action: "rejected", asset_id: second.id, name: "Ana" },
        { action: "approved", asset_id: first.id, name: "Ana" },
      ]);
      expect((await library.ctx.data.asset(null, first.id))?.reviewed_by).toBe("human:Ana(not-verified)");
    });

    test("no longer has what was decided, replaced or taken elsewhere: page, files, verdicts and comments", async () => {
      const ends: Record<string, (asset: AssetRow) => Promise<unknown>> = {
        approved: ({ id }) => library.review(id, { decision: "approved" }),
        rejected: ({ id }) => library.review(id, { decision: "rejected", note: "No" }),
        replaced: (asset) => library.plant({ bytes: "newer", tags: [] }, asset.id),
      };
      for (const [how, end] of Object.entries(ends)) {
        const asset = await plant(how, { kind: "image", mime: "image/png" });
        const { link: path } = await shareQueue(library, { tag, allow_download: true });
        const guest = await openLink(library, path);
        const query = `?asset=${asset.id}`;
        const form = { csrf: await guest.csrf(), ...verdict(asset) };
        const files = [
          ...(await textOf(guest.page(query))).matchAll(/http:\/\/svc\.test(\/api\/assets\/[^"]+)/g),
        ];
        const file = must(files[0]?.[1]);
        expect((await library.ask(file)).status).toBe(200);
        await end(asset);
        const statuses = [
          await library.ask(file),
          await guest.page(query),
          await library.ask(`${guest.path}/download${query}`, { headers: { cookie: guest.cookie } }),
          await guest.post(`verdict${query}`, form),
          await guest.post(`comment${query}`, { ...form, do: "add", body: "Late" }),
        ].map(({ status }) => status);
        expect([how, ...statuses]).toEqual([how, 403, 404, 404, 404, 404]);
      }
    });
  });

  describe("to a set", () => {
    test("shows its newest versions, decided or not, and keeps the desk after the last verdict", async () => {
      const [first, second] = [await plant("First", { set: tag }), await plant("Second", { set: tag })];
      await plant("Other set", { set: "other" });
      await library.review(first.id, { decision: "approved" });
      const { link: path } = await shareQueue(library, { set: tag });
      const guest = await openLink(library, path);
      const page = await textOf(guest.page());
      expect([h1(page), strip(page)]).toEqual(["Second", ["First, approved", "Second"]]);
      const sent = await guest.send(`verdict?asset=${second.id}`, verdict(second));
      expect(sent.headers.get("location")).toBe(`${guest.path}?asset=${second.id}&done=verdict`);
      const closed = await textOf(guest.page());
      expect(closed).toContain("This version was reviewed: approved.");
      expect(closed).not.toContain('value="approved"');
    });

    test("shows nothing of a set of the same name in another project", async () => {
      await plant("Ours", { set: tag });
      const { link: path } = await shareQueue(library, { set: tag });
      const theirs = await plant("Theirs", { set: tag, project: "borealis" });
      const guest = await openLink(library, path);
      expect(strip(await textOf(guest.page()))).toEqual(["Ours"]);
      expect((await guest.page(`?asset=${theirs.id}`)).status).toBe(404);
    });

    test("is refused without variants, or with the filters of a queue", async () => {
      await plant("One", { set: tag });
      const ask = async (json: Record<string, unknown>) => {
        const { status, body } = await library.say("/projects/atlas/shares", {
          json: { recipient: "Ana", ...json },
        });
        return [status, body.detail];
      };
      expect(await ask({ set: "unknown" })).toEqual([400, "atlas has no set named unknown."]);
      expect(await ask({ set: tag, kind: "image" })).toEqual([
        400,
        "kind and tag are for the review queue, not a set.",
      ]);
      const json = { recipient: "Ana" };
      expect((await library.say("/projects/unknown/shares", { json })).status).toBe(404);
    });
  });

  test("gives the same answer for every id that is not part of it, and signs no file of them", async () => {
    const own = await plant("Own");
    const others = [
      await plant("Other tag", { tags: [] }),
      await plant("Other project", { project: "borealis" }),
    ];
    const { id, link: path } = await shareQueue(library, { tag, annotations: "all" });
    const guest = await openLink(library, path);
    const ids = [...others.map((one) => one.id), "01J9ZC5W8Q4T3M2N1K0H7G6F5D", "../x", "x".repeat(300)];
    const answers = await Promise.all(
      ids.map(async (one) => wholeAnswer(await guest.page(`?asset=${encodeURIComponent(one)}`))),
    );
    for (const answer of answers) expect(answer).toEqual(must(answers[0]));
    expect(answers[0]).toMatchObject({ status: 404, body: expect.not.stringContaining("Other") });
    const signed = (purpose: Exclude<Purpose, "upload">, asset: AssetRow) =>
      pathOf(signedUrl(library.ctx, purpose, asset.id, "x", Math.floor(library.clock.now() / 1e6) + 60, id));
    for (const asset of others)
      for (const purpose of ["view", "thumb", "bundle", "download", "annotated"] as const)
        expect((await library.ask(signed(purpose, asset))).status).toBe(403);
    // Of its own asset neither other versions to compare with, nor what a download would give.
    const page = await textOf(guest.page(`?asset=${own.id}&with=${must(others[0]).id}`));
    expect(page).not.toMatch(/Other tag|href="\/(?!s\/|site\/)|tester|atlas/);
    expect((await library.ask(signed("download", own))).status).toBe(403);
  });

  test("opens nothing else with its cookie: pages, the API, streams and other links", async () => {
    const asset = await plant("Own");
    const { link: path } = await shareQueue(library, { tag });
    const other = await createShare(library, asset.id);
    const { cookie } = await openLink(library, path);
    const paths = ["/", "/feed", "/assets", `/assets/${asset.id}`, "/web/feed-rows", "/web/feed/stream"];
    for (const one of [...paths, `/api/v1/assets/${asset.id}`, "/api/v1/feed/stream", "/web/assets"])
      expect([one, (await library.ask(one, { headers: { cookie } })).status]).toEqual([one, 401]);
    expect((await library.ask(`/s/${other.id}`, { headers: { cookie } })).status).toBe(404);
  });

  test("ends at once when it is revoked: its page, its strip and its files", async () => {
    await plant("Own", { kind: "image", mime: "image/png" });
    const { id, link: path } = await shareQueue(library, { tag });
    const guest = await openLink(library, path);
    const [file] = await guest.files();
    await library.say(`/shares/${id}/revoke`, { method: "POST" });
    const answers = [
      await library.ask(must(file)),
      await guest.page(),
      await refresh(guest),
      await library.ask(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 404, 404, 404]);
    for (const { headers } of answers) expect(headers.get("cache-control")).toContain("no-store");
  });
});
