/** Renewing share links, and how long they can work at most. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes, type Scope } from "../../../src/core/auth/scopes.ts";
import { dayMicros, fromMicros } from "../../../src/core/lib/time.ts";
import type { Share } from "../../../src/library/shares/schema.ts";
import { dialects } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, openLink, plantText } from "../../support/review/shares.ts";

const reviewScopes: Scope[] = ["assets:read", "assets:review"];

describe.each(dialects)("a share link on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk", { SVC_SHARE_DAYS: "60" });
  });
  afterAll(() => library.close());

  const renew = (id: string, days?: number, token = library.token) =>
    library.say<Share>(`/shares/${id}/renew`, {
      json: days === undefined ? {} : { expires_at: inDays(days) },
      token,
    });
  const inDays = (days: number) => fromMicros(library.clock.now() + days * dayMicros);
  const share = async () => createShare(library, (await plantText(library)).id);

  test("is renewed before and after it expired, and the same URL opens it again", async () => {
    const { id, link } = await share();
    library.clock.advance(dayMicros);
    expect((await renew(id)).body).toMatchObject({ state: "active", expires_at: inDays(14) });
    library.clock.advance(15 * dayMicros);
    expect((await library.ask(link)).status).toBe(404);
    expect((await renew(id, 40)).body).toMatchObject({ state: "active", expires_at: inDays(40) });
    expect((await (await openLink(library, link)).page()).status).toBe(200);
    const [event] = await library.ctx.data.feed(null, { kind: "share.renewed", limit: 1 });
    expect(event?.wire).toContain("Renewed a link to Map of the harbor, version 1, until");
    const [entry] = await library.ctx.data.audit({ what: ["renewShare"], limit: 1 });
    expect(entry).toMatchObject({ who: "tester", what: "renewShare", target: id, status: 200 });
  });

  test("is renewed by its creator or an admin, and by no one else", async () => {
    const { id } = await share();
    const [other, admin] = [await library.mint(reviewScopes), await library.mint(allScopes)];
    library.clock.advance(1_000_000);
    const { status, body } = await renew(id, 20, other);
    expect([status, body.detail]).toEqual([
      403,
      "Only the creator of a share link and admins can renew it. Create another link instead.",
    ]);
    expect((await renew(id, 20, admin)).body.expires_at).toBe(inDays(20));
  });

  test("works no longer than the deployment allows, and a renewal never shortens it", async () => {
    const { id } = await share();
    const asset = await plantText(library);
    const json = { recipient: "Ana", expires_at: inDays(61) };
    const created = await library.say(`/assets/${asset.id}/shares`, { json });
    const refused = [created, await renew(id, 61), await renew(id, 13)];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(created.body.detail).toBe("expires_at is more than 60 days ahead.");
    expect((await renew(id, 60)).status).toBe(200);
  });

  test("that was revoked is never renewed, nor does a renewal revive one whose creator lost access", async () => {
    const name = `creator-${dialect}`;
    const token = await library.mint(reviewScopes, { name });
    const [revoked, orphan] = [
      await share(),
      await createShare(library, (await plantText(library)).id, {}, token),
    ];
    await library.say(`/shares/${revoked.id}/revoke`, { method: "POST" });
    expect((await renew(revoked.id)).status).toBe(409);
    await library.ctx.data.atomically((writes) => writes.revokeToken(name, library.clock.now()));
    const renewed = await renew(orphan.id, 20, await library.mint(allScopes));
    expect([renewed.status, renewed.body.state]).toEqual([200, "suspended"]);
    for (const { link } of [revoked, orphan]) expect((await library.ask(link)).status).toBe(404);
  });
});
