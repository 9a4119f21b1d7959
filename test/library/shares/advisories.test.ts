/**
 * What went wrong with share links elsewhere. Each test is named after the advisory that it answers; see
 * passphrase.test.ts for those about the limits of attempts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes, type Scope } from "../../../src/core/auth/scopes.ts";
import { dayMicros, fromMicros } from "../../../src/core/lib/time.ts";
import { type Purpose, signedUrl } from "../../../src/library/assets/files/signed-urls.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import type { Share, ShareList } from "../../../src/library/shares/schema.ts";
import { post } from "../../support/browser/site.ts";
import { dialects, must } from "../../support/harness.ts";
import { type Library, openLibrary, pathOf } from "../../support/library.ts";
import { createShare, openLink, plantText, verdict, wholeAnswer } from "../../support/review/shares.ts";

type SharedPurpose = Exclude<Purpose, "upload">;
const image = { kind: "image", mime: "image/png" } as const;
const reviewScopes: Scope[] = ["assets:read", "assets:review"];

describe.each(dialects)("a share link on %s, after", (dialect) => {
  let library: Library;
  let clients = 0;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
  });
  afterAll(() => library.close());

  /** Each test is a client of its own, as failures are limited. */
  const newClient = () => `203.0.113.${++clients}`;
  const revoke = (id: string, token = library.token) =>
    library.say<Share>(`/shares/${id}/revoke`, { method: "POST", token });
  const revokeToken = (name: string) =>
    library.ctx.data.atomically((writes) => writes.revokeToken(name, library.clock.now()));

  test("GHSA-pmf4-v838-29hg, gets no role and no right that its creator does not have", async () => {
    const { id } = await plantText(library);
    const ask = async (scopes: readonly Scope[], role?: string) => {
      const token = await library.mint(scopes);
      const json = { recipient: "Ana", rights: "verdict", ...(role && { role }) };
      return (await library.say(`/assets/${id}/shares`, { json, token })).status;
    };
    expect(await ask(["assets:read", "assets:write"])).toBe(403);
    expect(await ask(reviewScopes)).toBe(201);
    expect(await ask(reviewScopes, "admin")).toBe(400);
    expect(await ask(reviewScopes, "design")).toBe(400);
    expect(await ask(allScopes, "admin")).toBe(201);
  });

  test("CVE-2026-129239, keeps its creator, role, rights and asset when it is changed", async () => {
    const [asset, other] = [await plantText(library), await plantText(library)];
    const { id } = await createShare(library, asset.id, { passphrase: "quiet harbor lantern" });
    const before = must(await library.ctx.data.share(id));
    const json = {
      ...{ recipient: "Bo", created_by: "human:maria", creator: null, role: "admin", rights: "verdict" },
      ...{ asset_id: other.id, asset: other.id, root_id: other.id, project: "borealis", follows: "latest" },
      ...{ allow_download: true, passphrase: null, has_passphrase: false, revoked_at: null, hash: "0" },
    };
    expect((await library.say<Share>(`/shares/${id}`, { json })).status).toBe(200);
    expect(await library.ctx.data.share(id)).toEqual({ ...before, recipient: "Bo" });
  });

  test("CVE-2026-45285, is in the feed and in everyone's list, and others can revoke it", async () => {
    const asset = await plantText(library);
    const { id, link } = await createShare(library, asset.id);
    const [event] = await library.ctx.data.feed(null, { kind: "share.created", limit: 1 });
    expect(must(event).wire).toContain(asset.id);
    const other = await library.mint(reviewScopes, { name: `other-${dialect}` });
    const { body } = await library.say<ShareList>(`/shares?asset=${asset.id}`, { token: other });
    expect(body.shares).toMatchObject([{ id, created_by: "token:tester", state: "active" }]);
    expect((await revoke(id, other)).body).toMatchObject({
      state: "revoked",
      revoked_by: `token:other-${dialect}`,
    });
    expect((await library.ask(link, { address: newClient() })).status).toBe(404);
  });

  test("CVE-2021-32703, CVE-2021-32705, CVE-2021-32741 and CVE-2021-37629, is limited on every route alike", async () => {
    const asset = await plantText(library);
    const { link } = await createShare(library, asset.id);
    const unknown = `/s/${"A".repeat(43)}`;
    const shareId = "01J9ZC5W8Q4T3M2N1K0H7G6F5D";
    const routes: [string, string][] = [
      ...([
        ["GET", unknown],
        ["POST", unknown],
        ["GET", `/s/${shareId}`],
      ] satisfies [string, string][]),
      ...([
        ["GET", `/s/${shareId}/download`],
        ["POST", `/s/${shareId}/verdict`],
      ] satisfies [string, string][]),
      ...([
        ["POST", `/s/${shareId}/comment`],
        ["GET", "/s/x"],
        ["PUT", unknown],
      ] satisfies [string, string][]),
    ];
    const ask = (method: string, path: string, address: string) =>
      method === "POST" ? post(library, path, {}, {}, address) : library.ask(path, { method, address });
    for (const [method, path] of routes) {
      const address = newClient();
      const answers: number[] = [];
      for (let count = 0; count < 31; count++) answers.push((await ask(method, path, address)).status);
      expect([method, path, ...new Set(answers.slice(0, 30)), answers[30]]).toEqual([method, path, 404, 429]);
      // Others behind this address go on, with a link and with a page that is open.
      const [landing, opened] = [await ask("GET", link, address), await ask("POST", link, address)];
      const cookie = must(opened.headers.get("set-cookie")?.split(";")[0]);
      const page = await library.ask(must(opened.headers.get("location")), { headers: { cookie }, address });
      expect([landing.status, opened.status, page.status]).toEqual([200, 303, 200]);
    }
  });

  /** The status of a URL that is signed for a share, whatever it is of: the share itself has to refuse. */
  const statusOf = async (share: string, purpose: SharedPurpose, { id, key }: AssetRow, name?: string) => {
    const { config, secret } = library.ctx;
    const expires = Math.floor(library.clock.now() / 1_000_000) + 60;
    const url = signedUrl(
      { config, secret },
      purpose,
      id,
      name ?? must(key?.split("/").at(-1)),
      expires,
      share,
    );
    return (await library.ask(pathOf(url))).status;
  };

  test("CVE-2026-129239, gives out the files of the versions that it covers, and of no other version or asset", async () => {
    const before = await library.plant({ ...image, bytes: "an earlier image" });
    const first = await library.plant({ ...image, bytes: "an image" }, before.id);
    const second = await library.plant({ ...image, bytes: "the next image" }, first.id);
    const others = [await library.plant({ ...image, bytes: "another" }), await plantText(library)];
    const [fixed, latest] = [
      await createShare(library, first.id, { allow_download: true }),
      await createShare(library, first.id, { allow_download: true, follows: "latest" }),
    ];
    for (const [{ id }, shown, hidden] of [
      [fixed, first, [before, second, ...others]],
      [latest, first, [before, ...others]],
      [latest, second, [before, ...others]],
    ] as const)
      for (const purpose of ["view", "download"] as const) {
        expect([purpose, await statusOf(id, purpose, shown)]).toEqual([purpose, 200]);
        for (const asset of hidden)
          expect([purpose, await statusOf(id, purpose, asset)]).toEqual([purpose, 403]);
      }
  });

  test("nextcloud/server#19349 and ocis#9273, gives out no download where it is off, and no image with annotations", async () => {
    const asset = await library.plant({ ...image, bytes: "an image", has_thumb: true });
    for (const annotations of ["own", "all"]) {
      const { id } = await createShare(library, asset.id, { rights: "verdict", annotations });
      expect([await statusOf(id, "view", asset), await statusOf(id, "download", asset)]).toEqual([200, 403]);
      expect(await statusOf(id, "annotated", asset, `${"A".repeat(22)}.webp`)).toBe(403);
      expect(await statusOf(id, "bundle", asset)).toBe(403);
    }
  });

  describe("GHSA-g65h-35f3-x2w3 and GHSA-56p6-qw3c-fq2g, ends open sessions and file URLs", () => {
    const ends: Record<string, (share: { id: string; creator: string }) => Promise<unknown>> = {
      "when it is revoked": ({ id }) => revoke(id),
      "when it expires": ({ id }) =>
        library.say(`/shares/${id}`, { json: { expires_at: fromMicros(library.clock.now()) } }),
      "when the token of its creator is revoked": ({ creator }) => revokeToken(creator),
      "when the token of its creator expires": async () => library.clock.advance(dayMicros),
    };
    for (const [when, end] of Object.entries(ends))
      test(when, async () => {
        const asset = await library.plant({ ...image, bytes: "an image" });
        const creator = `creator-${crypto.randomUUID()}`;
        const expires_at = library.clock.now() + dayMicros;
        const token = await library.mint(reviewScopes, { name: creator, expires_at });
        const fields = { rights: "verdict", allow_download: true };
        const { id, link } = await createShare(library, asset.id, fields, token);
        const guest = await openLink(library, link, { address: newClient() });
        const [file] = await guest.files();
        const form = verdict(asset, { csrf: await guest.csrf() });
        expect((await library.ask(must(file))).status).toBe(200);
        await end({ id, creator });
        const headers = { cookie: guest.cookie };
        expect((await library.ask(must(file), { headers: { range: "bytes=0-1" } })).status).toBe(403);
        expect((await guest.page()).status).toBe(404);
        expect((await library.ask(`${guest.path}/download`, { headers })).status).toBe(404);
        expect((await post(library, `${guest.path}/verdict`, form, headers)).status).toBe(404);
        expect((await post(library, link, {})).status).toBe(404);
        expect((await library.ctx.data.asset(null, asset.id))?.status).toBe("pending");
      });
  });

  test("different answers for real and false tokens, says the same of links that are unknown, expired, revoked or orphaned", async () => {
    const asset = await plantText(library);
    const creator = `creator-${crypto.randomUUID()}`;
    const token = await library.mint(reviewScopes, { name: creator });
    const make = async (fields: object, by = library.token) =>
      createShare(library, asset.id, { ...fields }, by);
    const secret = { passphrase: "quiet harbor lantern" };
    const [expired, revoked, orphaned] = [await make(secret), await make({}), await make(secret, token)];
    await library.say(`/shares/${expired.id}`, { json: { expires_at: fromMicros(library.clock.now()) } });
    await revoke(revoked.id);
    await revokeToken(creator);
    const live = await make({});
    const dead = [expired, revoked, orphaned];
    const paths = [...dead.map(({ link }) => link), `/s/${"A".repeat(43)}`, "/s/", "/s/x/y/z"];
    const ids = [...dead, live].map(({ id }) => `/s/${id}`); // not opened by this browser
    for (const send of [
      (path: string, address: string) => library.ask(path, { address }),
      (path: string, address: string) => post(library, path, { passphrase: "wrong" }, {}, address),
      (path: string, address: string) => library.ask(path, { method: "HEAD", address }),
    ]) {
      const address = newClient();
      const answers = [];
      for (const path of [...paths, ...ids]) answers.push(await wholeAnswer(await send(path, address)));
      const [first] = answers;
      expect(first?.status).toBe(404);
      expect(answers).toEqual(answers.map(() => must(first)));
    }
  });
});
