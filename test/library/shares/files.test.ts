/** The files of a share: signed URLs that belong to it, and end with it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary, pathOf } from "../../support/library.ts";
import { createShare, openLink, plantText } from "../../support/review/shares.ts";

let library: Library;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
});
afterAll(() => library.close());

const revoke = (id: string) => library.say(`/shares/${id}/revoke`, { method: "POST" });
const fileOf = async (link: string) => must((await (await openLink(library, link)).files())[0]);
const page = (link: string) => openLink(library, link).then((guest) => guest.page());

describe("the URL of a shared file", () => {
  test("serves it like the desk's, with ranges, but nothing may store it", async () => {
    const asset = await plantText(library, "a shared text");
    const { link } = await createShare(library, asset.id);
    const file = await fileOf(link);
    const whole = await library.ask(file);
    expect([whole.status, await whole.text()]).toEqual([200, "a shared text"]);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      ...{ "cache-control": "private, no-store", "referrer-policy": "no-referrer" },
      ...{ "x-content-type-options": "nosniff", "accept-ranges": "bytes" },
    });
    expect(whole.headers.get("content-disposition")).toStartWith("inline;");
    const part = await library.ask(file, { headers: { range: "bytes=2-7" } });
    expect([part.status, await part.text()]).toEqual([206, "shared"]);
  });

  test("ends with the share at once, also for a cached copy, and no other URL of the asset does", async () => {
    const asset = await plantText(library);
    const { id, link } = await createShare(library, asset.id);
    const { link: other } = await createShare(library, asset.id);
    const [file, otherFile] = [await fileOf(link), await fileOf(other)];
    const etag = must((await library.ask(file)).headers.get("etag"));
    const { body } = await library.say(`/assets/${asset.id}`);
    await revoke(id);
    for (const headers of [{}, { "if-none-match": etag }, { range: "bytes=0-1" }])
      expect((await library.ask(file, { headers })).status).toBe(403);
    expect((await library.ask(otherFile)).status).toBe(200);
    expect((await library.fetch(body.url)).status).toBe(200);
  });

  test("expires with the share, if that is sooner than other URLs do", async () => {
    const asset = await plantText(library);
    const expires = Math.floor(library.clock.now() / secondMicros) + 60;
    const { link } = await createShare(library, asset.id, { expires_at: fromMicros(expires * secondMicros) });
    const file = await fileOf(link);
    expect(file).toContain(`/${expires}-`);
    library.clock.advance(60 * secondMicros);
    expect((await library.ask(file)).status).toBe(403);
  });

  test("cannot be turned into one for another share, purpose or asset, or without a share", async () => {
    const [asset, other] = [await plantText(library), await plantText(library)];
    const { id, link } = await createShare(library, asset.id);
    const { id: otherId } = await createShare(library, asset.id);
    const file = await fileOf(link);
    for (const changed of [
      file.replace(id, otherId),
      file.replace(`-${id}`, ""),
      file.replace("/view/", "/download/"),
      file.replace("/view/", "/thumb/"),
      file.replace(asset.id, other.id),
    ])
      expect((await library.ask(changed)).status).toBe(403);
  });

  test("of a link to the latest version stays with the next one, which the page shows", async () => {
    const first = await plantText(library, "the first");
    const fixed = await createShare(library, first.id);
    const latest = await createShare(library, first.id, { follows: "latest" });
    const [fixedFile, latestFile] = [await fileOf(fixed.link), await fileOf(latest.link)];
    const second = await plantText(library, "the second", first.id);
    expect((await library.ask(fixedFile)).status).toBe(200);
    expect((await library.ask(latestFile)).status).toBe(200);
    expect(await (await library.ask(await fileOf(latest.link))).text()).toBe("the second");
    expect(await (await page(latest.link)).text()).toContain(`version ${second.version}`);
    expect(await (await page(fixed.link)).text()).toContain("version 1");
  });

  test("serves the pages of an HTML bundle, until it is revoked", async () => {
    const html = new File(["<h1>Shared</h1>"], "page.html", { type: "text/html" });
    const { body: asset } = await library.upload({ project: "atlas" }, html);
    const { id, link } = await createShare(library, asset.id);
    const file = await fileOf(link);
    expect(file).toStartWith("/api/assets/bundle/");
    expect(await (await library.ask(file)).text()).toContain("Shared");
    await revoke(id);
    expect((await library.ask(file)).status).toBe(403);
  });
});

describe("a download", () => {
  const download = async (link: string) => {
    const guest = await openLink(library, link);
    return library.ask(`${guest.path}/download`, { headers: { cookie: guest.cookie } });
  };

  test("is the file as an attachment, where the share allows it", async () => {
    const asset = await plantText(library, "to keep");
    const { link } = await createShare(library, asset.id, { allow_download: true });
    expect(await (await page(link)).text()).toContain("/download");
    const redirect = await download(link);
    expect(redirect.status).toBe(303);
    const file = await library.ask(pathOf(must(redirect.headers.get("location"))));
    expect(file.headers.get("content-disposition")).toStartWith("attachment;");
    expect(await file.text()).toBe("to keep");
  });

  test("is not there where the share does not allow it: no link, no route, and no file that would be one", async () => {
    const asset = await plantText(library);
    const { link } = await createShare(library, asset.id);
    const shown = await (await page(link)).text();
    expect(shown).not.toContain("/download");
    expect(shown).toContain("Downloads are off.");
    expect(shown).toContain('class="watermark"');
    expect((await download(link)).status).toBe(404);
    const archive = await library.plant({ bytes: "PK", mime: "application/zip" });
    const { link: archiveLink } = await createShare(library, archive.id);
    const archivePage = await (await page(archiveLink)).text();
    expect(archivePage).not.toContain("/api/assets/");
    // The apostrophe is rendered as it is.
    expect(archivePage).toContain("Browsers can't show this type of file (application/zip).");
  });
});
