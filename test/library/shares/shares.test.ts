/** Share links for the team: creating, listing, changing and revoking them, and their log. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { retentions, trimRows } from "../../../src/api/retention.ts";
import { dayMicros, fromMicros, minuteMicros } from "../../../src/core/lib/time.ts";
import type { Share, ShareList, ShareLog } from "../../../src/library/shares/schema.ts";
import { post } from "../../support/browser/site.ts";
import { dialects, link } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, openLink, plantText, verdict } from "../../support/review/shares.ts";

describe.each(dialects)("a share link on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());

  const revoke = (id: string, token = library.token) =>
    library.say<Share>(`/shares/${id}/revoke`, { method: "POST", token });
  const change = (id: string, json: Record<string, unknown>) => library.say<Share>(`/shares/${id}`, { json });
  const list = async (query = "") => (await library.say<ShareList>(`/shares${query}`)).body.shares;
  const events = async (kind: "share.created" | "share.revoked") =>
    (await library.ctx.data.feed(null, { kind, limit: 50 })).map(({ wire }) => JSON.parse(wire));

  test("is created for fourteen days, for one version to view, and its secret is returned once", async () => {
    const asset = await plantText(library);
    const { url: _, mail_problem, link: path, ...share } = await createShare(library, asset.id);
    expect(path).toMatch(/^\/s\/[\w-]{43}$/);
    expect(mail_problem).toBeNull();
    const now = library.clock.now();
    expect(share).toMatchObject({
      ...{ asset_id: asset.id, project: "atlas", follows: "fixed", rights: "view", role: null, views: 0 },
      ...{ recipient: "Ana at Harbor Ltd", has_passphrase: false, allow_download: false, state: "active" },
      ...{ created_by: "token:tester", revoked_at: null, revoked_by: null },
      expires_at: fromMicros(now + 14 * dayMicros),
    });
    const listed = await list(`?asset=${asset.id}`);
    expect<unknown>(listed).toEqual([share]);
    const rows = await library.ctx.data.shares(null, { limit: 100 });
    expect(JSON.stringify([listed, rows, await library.events()])).not.toContain(path.slice(3));
  });

  test("is listed newest first, page by page, by project and by any version of its asset", async () => {
    const first = await plantText(library);
    const second = await plantText(library, "other words", first.id);
    const created = [];
    for (const id of [first.id, second.id, first.id]) {
      created.unshift((await createShare(library, id)).id);
      library.clock.advance(1_000);
    }
    expect((await list(`?asset=${first.id}`)).map(({ id }) => id)).toEqual(created);
    expect((await list(`?asset=${second.id}&project=atlas`)).map(({ id }) => id)).toEqual(created);
    expect(await list(`?asset=${second.id}&project=borealis`)).toEqual([]);
    const paged: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await library.say<ShareList>(`/shares?asset=${first.id}&limit=2${cursor}`);
      paged.push(...body.shares.map(({ id }) => id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    expect(paged).toEqual(created);
  });

  test("changes its recipient, and its expiry to an earlier time only", async () => {
    const asset = await plantText(library);
    const { id, expires_at } = await createShare(library, asset.id);
    const sooner = fromMicros(library.clock.now() + dayMicros);
    expect((await change(id, { recipient: "Harbor Ltd" })).body).toMatchObject({
      ...{ recipient: "Harbor Ltd", expires_at },
    });
    expect((await change(id, { expires_at: sooner })).body.expires_at).toBe(sooner);
    const { status, body } = await change(id, { expires_at });
    expect([status, body.detail]).toEqual([
      400,
      "expires_at can only move to an earlier time. Renew the link instead.",
    ]);
    expect((await change(id, { expires_at: fromMicros(library.clock.now() - 1) })).body.state).toBe(
      "expired",
    );
    await revoke(id);
    expect((await change(id, { recipient: "nobody" })).status).toBe(409);
  });

  test("is refused with an expiry in the past or in more than a year, and a short passphrase", async () => {
    const { id } = await plantText(library);
    const ask = async (json: Record<string, unknown>) =>
      (await library.say(`/assets/${id}/shares`, { json: { recipient: "Ana", ...json } })).status;
    const now = library.clock.now();
    expect(
      await Promise.all([
        ask({ expires_at: fromMicros(now) }),
        ask({ expires_at: fromMicros(now + 367 * dayMicros) }),
        ask({ passphrase: "short" }),
        ask({ recipient: "" }),
        ask({ rights: "everything" }),
      ]),
    ).toEqual([400, 400, 400, 400, 400]);
    expect(
      (await library.say("/assets/01J9ZC5W8Q4T3M2N1K0H7G6F5D/shares", { json: { recipient: "Ana" } })).status,
    ).toBe(404);
  });

  test("writes an event when it is created and when it is revoked, which name neither link nor recipient", async () => {
    const asset = await plantText(library);
    const { id } = await createShare(library, asset.id, { rights: "verdict" });
    const [created] = await events("share.created");
    expect(created).toMatchObject({
      actor: "bot:tester",
      project: "atlas",
      url: `http://svc.test/assets/${asset.id}`,
    });
    expect(created.summary).toMatch(
      /^Shared Map of the harbor, version 1 to view, comment, approve, and reject until [\d-]+ [\d:]+ UTC$/,
    );
    const count = (await events("share.revoked")).length;
    const [first, again] = [await revoke(id), await revoke(id)];
    expect([first.status, again.status, first.body.state]).toEqual([200, 200, "revoked"]);
    expect(again.body).toEqual(first.body);
    const revoked = await events("share.revoked");
    expect([revoked.length - count, revoked[0].summary]).toEqual([
      1,
      "Revoked a link to Map of the harbor, version 1",
    ]);
  });

  test("has a log of what was done with it, with the network and the typed name", async () => {
    const asset = await plantText(library);
    const { id, link: path } = await createShare(library, asset.id, {
      rights: "verdict",
      allow_download: true,
    });
    const guest = await openLink(library, path, { address: "2001:db8:1:2::7" });
    for (let count = 0; count < 3; count++) await guest.page();
    library.clock.advance(1_000);
    expect((await library.ask(`${guest.path}/download`, { headers: { cookie: guest.cookie } })).status).toBe(
      303,
    );
    library.clock.advance(1_000);
    expect((await guest.send("verdict", verdict(asset, { name: "Ana Lima" }))).status).toBe(303);
    const { body } = await library.say<ShareLog>(`/shares/${id}/log`);
    const about = { asset_id: asset.id, sha256: asset.sha256 };
    const network = "2001:db8:1::/48";
    const byAction = body.entries.toSorted((a, b) => (a.action < b.action ? -1 : 1));
    expect(byAction).toMatchObject([
      { action: "approved", name: "Ana Lima", count: 1, network, ...about },
      { action: "downloaded", name: null, network: "192.0.2.0/24", ...about },
      { action: "opened", count: 1, network },
      { action: "viewed", count: 4, network, ...about },
    ]);
    expect((await list(`?asset=${asset.id}`))[0]?.views).toBe(1);
    const page = await library.say<ShareLog>(`/shares/${id}/log?limit=3`);
    const rest = await library.say<ShareLog>(
      `/shares/${id}/log?limit=3&cursor=${encodeURIComponent(page.body.next_cursor ?? "")}`,
    );
    expect([...page.body.entries, ...rest.body.entries]).toEqual(body.entries);
  });

  test("is opened, viewed and downloaded at most sixty times a minute by one client", async () => {
    const asset = await plantText(library);
    const { id, link } = await createShare(library, asset.id, { allow_download: true });
    const guest = await openLink(library, link, { address: "192.0.2.60" });
    const statuses: number[] = [];
    for (let visit = 0; visit < 30; visit++) {
      statuses.push((await post(library, link, {}, {}, "192.0.2.60")).status);
      statuses.push((await guest.page()).status);
    }
    expect([new Set(statuses.slice(0, 59)), statuses[59]]).toEqual([new Set([303, 200]), 429]);
    const options = { headers: { cookie: guest.cookie }, address: "192.0.2.60" };
    expect((await library.ask(`${guest.path}/download`, options)).status).toBe(429);
    const other = await openLink(library, link, { address: "192.0.2.61" });
    expect((await other.page()).status).toBe(200);
    library.clock.advance(minuteMicros);
    expect((await guest.page()).status).toBe(200);
    const { body } = await library.say<ShareLog>(`/shares/${id}/log`);
    expect(body.entries.reduce((sum, { count }) => sum + count, 0)).toBe(63);
  });

  test("keeps its log for 90 days", async () => {
    const asset = await plantText(library);
    const { id, link: path } = await createShare(library, asset.id, {
      expires_at: fromMicros(library.clock.now() + 200 * dayMicros),
    });
    await openLink(library, path);
    library.clock.advance(90 * dayMicros);
    await trimRows(library.ctx, retentions["sweep of share logs"]);
    const entries = async () => (await library.say<ShareLog>(`/shares/${id}/log`)).body.entries;
    expect(await entries()).toHaveLength(1);
    library.clock.advance(1);
    await trimRows(library.ctx, retentions["sweep of share logs"]);
    expect(await entries()).toEqual([]);
  });

  test("of another project is not there for a limited token", async () => {
    const { id: asset } = await plantText(library);
    const { id } = await createShare(library, asset);
    const token = await library.mint(["assets:read", "assets:review"], { projects: ["borealis"] });
    const ask = async (path: string, json?: Record<string, unknown>) =>
      (await library.say(path, { token, ...(json && { json }) })).status;
    expect(await ask(`/shares/${id}`, { recipient: "me" })).toBe(404);
    expect(await ask(`/shares/${id}/log`)).toBe(404);
    expect((await revoke(id, token)).status).toBe(404);
    expect(await ask(`/assets/${asset}/shares`, { recipient: "me" })).toBe(404);
    expect((await library.say<ShareList>("/shares", { token })).body.shares).toEqual([]);
  });
});
