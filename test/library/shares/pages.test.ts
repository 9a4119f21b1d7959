/** The pages of a share: what a link reveals before the click, and who may post what. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { contentSecurityPolicy } from "../../../src/web/site/page-response.ts";
import { post, site } from "../../support/browser/site.ts";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, openLink, plantText, verdict, wholeAnswer } from "../../support/review/shares.ts";

let library: Library;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
});
afterAll(() => library.close());

const rowOf = async (id: string) => must(await library.ctx.data.share(id));

describe("the link", () => {
  test("reveals neither title nor file, sets no cookie and counts nothing, however often it is fetched", async () => {
    const asset = await plantText(library);
    const { id, link } = await createShare(library, asset.id);
    const [first, second] = [await library.ask(link), await library.ask(link, { method: "HEAD" })];
    const text = await first.text();
    for (const word of ["Map of the harbor", asset.id, id, "atlas", "Ana", "/api/assets/", "og:"])
      expect(text).not.toContain(word);
    expect([first.headers.get("set-cookie"), second.headers.get("set-cookie")]).toEqual([null, null]);
    const { views } = await rowOf(id);
    expect([views, await library.ctx.data.shareViews(id, { limit: 9 })]).toEqual([0, []]);
  });

  test("and every page after it is kept out of referrers, caches and search engines", async () => {
    const asset = await plantText(library);
    const { link } = await createShare(library, asset.id, { rights: "verdict" });
    const guest = await openLink(library, link);
    const answers = [await library.ask(link), await guest.page(), await library.ask("/s/unknown")];
    answers.push(await post(library, link, {}, {}, "198.51.100.8"));
    for (const { headers } of answers)
      expect(Object.fromEntries(headers)).toMatchObject({
        ...{ "referrer-policy": "no-referrer", "cache-control": "no-store", "x-robots-tag": "noindex" },
        "x-content-type-options": "nosniff",
      });
    for (const { headers } of answers.slice(0, 3))
      expect(headers.get("content-security-policy")).toBe(contentSecurityPolicy(library.ctx.config, []));
    const page = await answers[1]?.text();
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  });

  test("opens with a form of this site only, and the cookie is for this share only", async () => {
    const asset = await plantText(library);
    const { id, link } = await createShare(library, asset.id);
    for (const origin of ["https://evil.test", "null", "http://svc.test.evil.test", "http://svc.test:81"])
      expect((await post(library, link, {}, { origin })).status).toBe(403);
    const init = { method: "POST", body: new URLSearchParams() };
    expect((await library.ask(link, init)).status).toBe(403);
    expect((await rowOf(id)).views).toBe(0);
    const opened = await post(library, link, {});
    expect(opened.headers.get("set-cookie")).toMatch(
      new RegExp(`^svc_share=[\\w.-]+; Path=/s/${id}; HttpOnly; SameSite=Lax; Max-Age=43200$`),
    );
    expect(opened.headers.get("location")).toBe(`/s/${id}`);
    expect((await rowOf(id)).views).toBe(1);
  });

  test("answers another site's form the same for real and false links", async () => {
    const { link } = await createShare(library, (await plantText(library)).id);
    const send = (path: string) => post(library, path, {}, { origin: "https://evil.test" });
    expect(await wholeAnswer(await send(link))).toEqual(
      await wholeAnswer(await send(`/s/${"A".repeat(43)}`)),
    );
  });
});

test("the page shows no other asset and no other version, whatever its URL asks for", async () => {
  const first = await plantText(library);
  const next = await plantText(library, "brighter", first.id);
  const other = await library.plant({ bytes: "else", title: "Secret plan" });
  const { link } = await createShare(library, next.id, { rights: "verdict", allow_download: true });
  const guest = await openLink(library, link);
  for (const { id } of [first, other]) {
    const text = await (await guest.page(`?with=${id}&reviewed=${id}&show=all&mode=source`)).text();
    expect(text).toContain("Map of the harbor");
    expect(text.replaceAll('href="/site/', "")).not.toMatch(
      /href="\/(?!s\/)|Secret plan|[Vv]ersion 1|tester|Ask for a review|Compare|Sign in/,
    );
  }
});

describe("a session", () => {
  test("cannot be forged, fixed to a chosen value, or used for another share", async () => {
    const asset = await plantText(library);
    const [one, other] = [await createShare(library, asset.id), await createShare(library, asset.id)];
    const guest = await openLink(library, one.link);
    const [name, value = ""] = guest.cookie.split("=");
    const ask = async (path: string, cookie: string) =>
      (await library.ask(path, { headers: { cookie }, address: "198.51.100.9" })).status;
    expect(await ask(guest.path, guest.cookie)).toBe(200);
    expect(await ask(`/s/${other.id}`, guest.cookie)).toBe(404);
    const later = value.replace(/^\d+/, (expires) => String(Number(expires) + 1));
    for (const forged of [later, "", "A".repeat(43), value.slice(0, -1), `${value}A`])
      expect(await ask(guest.path, `${name}=${forged}`)).toBe(404);
    const chosen = await post(library, one.link, {}, { cookie: `${name}=chosen` });
    expect(chosen.headers.get("set-cookie")).not.toContain("chosen");
  });

  test("lasts twelve hours, then the link has to be opened again", async () => {
    const { link } = await createShare(library, (await plantText(library)).id);
    const guest = await openLink(library, link);
    library.clock.advance(12 * 3_600_000_000);
    expect((await guest.page()).status).toBe(404);
    expect((await (await openLink(library, link)).page()).status).toBe(200);
  });

  test("posts with the CSRF token of its own browser", async () => {
    const asset = await plantText(library);
    const { link } = await createShare(library, asset.id, { rights: "verdict" });
    const [guest, other] = [await openLink(library, link), await openLink(library, link)];
    const csrf = await other.csrf();
    const send = async (fields: Record<string, string>, headers: Record<string, string>) =>
      (await post(library, `${guest.path}/verdict`, { ...verdict(asset), ...fields }, headers)).status;
    const { cookie } = guest;
    expect(await send({ csrf }, { cookie })).toBe(403);
    expect(await send({}, { cookie })).toBe(403);
    expect(await send({ csrf }, { cookie: other.cookie, origin: "https://evil.test" })).toBe(403);
    expect(await send({ csrf }, { cookie: other.cookie, origin: site })).toBe(303);
  });
});

test("the secret of a link is in nothing that the service writes: logs, audit, metrics, rows, pages, errors", async () => {
  const asset = await plantText(library);
  const { id, link } = await createShare(library, asset.id, { rights: "verdict" });
  const secret = link.slice("/s/".length);
  const guest = await openLink(library, link);
  await guest.send("verdict", verdict(asset));
  const address = "198.51.100.10";
  const broken = { ...library.ctx.data.share };
  const answers = [await guest.page(), await library.ask(`${link}/more`, { address })];
  answers.push(await library.ask(link, { method: "DELETE", address }));
  answers.push(await library.ask(`${link}?q=1`, { method: "PROPFIND", address }));
  const { shareWithHash } = library.ctx.data;
  library.ctx.data.shareWithHash = () => Promise.reject(new Error("the database burns"));
  answers.push(await library.ask(link, { address }), await post(library, link, {}, {}, address));
  Object.assign(library.ctx.data, { shareWithHash, ...broken });
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 404, 500, 500]);
  const metrics = await library.ask("/metrics", { token: await library.mint(["feed:read"]) });
  const tables: unknown[] = [];
  await library.ctx.data.snapshot(async (rows) => {
    for (const name of rows.tables) for await (const page of rows.rows(name)) tables.push(page);
  });
  const written = [library.logged, tables, await metrics.text(), await Promise.all(answers.map(wholeAnswer))];
  expect(library.logged.filter(({ message }) => message === "a share link failed")).toHaveLength(2);
  expect(JSON.stringify(written)).not.toContain(secret);
  expect(JSON.stringify(tables)).toContain(id);
});
