/** Someone leaves: all of their access ends in one step, and others get what is needed. */
import { describe, expect, test } from "bun:test";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { signIn } from "../../../src/core/auth/session/session.ts";
import { createTokenSignInLink } from "../../../src/core/auth/session/sign-in-link.ts";
import type { Offboarding } from "../../../src/integrations/offboarding/schema.ts";
import type { ReviewRequestList } from "../../../src/library/review-requests/schema.ts";
import { dialects, must, program, rowsOf } from "../../support/harness.ts";
import { assetScopes, type Library, openLibrary } from "../../support/library.ts";
import { createShare } from "../../support/review/shares.ts";
import { addWebhook } from "../../support/webhooks/webhook-rows.ts";

/** Dana, with something of each kind, and Ana, who stays. */
async function openTeam(dialect: (typeof dialects)[number]) {
  const library = await openLibrary(dialect, "disk");
  const { ctx } = library;
  const admin = await library.mint(allScopes, { name: "boss" });
  const ana = await library.mint(assetScopes, { name: "ana" });
  const token = await library.mint([...assetScopes, "feed:read", "feed:write"], { name: "dana" });
  const agent = await library.mint(["feed:read"], { name: "dana-laptop" });
  await library.say("/people/dana", {
    method: "PUT",
    token: admin,
    json: { link: ["email:dana@example.com"] },
  });
  await ctx.data.atomically((writes) => writes.setTokenOwner("dana-laptop", "dana", null));
  const session = must(await signIn(ctx, token));
  await createTokenSignInLink(ctx, { name: "dana" }, adminCaller);
  const asset = await library.plant({ bytes: "words" });
  const share = await createShare(library, asset.id, {}, token);
  const webhook = await addWebhook(ctx.data, { owner: "dana" });
  await library.say(`/assets/${asset.id}/review-requests`, { json: { reviewers: ["dana"] } });
  const claims = { json: { subjects: ["#7"] }, token };
  expect((await library.say("/projects/atlas/claims", claims)).status).toBe(200);
  return { library, admin, ana, token, agent, session, share, webhook, asset };
}

const statusOf = async (library: Library, token: string) =>
  (await library.say("/assets?limit=1", { token })).status;

describe.each(dialects)("on %s", (dialect) => {
  test("the preview lists all, the offboarding ends it and hands the rest over, with one audit entry", async () => {
    const { library, admin, token, agent, session, share, webhook, asset } = await openTeam(dialect);
    await using _ = library;
    const preview = (await library.say<Offboarding>("/offboarding/dana", { token: admin })).body;
    expect(preview).toMatchObject({
      tokens: ["dana", "dana-laptop"],
      sessions: 1,
      sign_in_links: 1,
      shares: [{ id: share.id }],
      webhooks: [{ id: webhook }],
      review_requests: [{ id: asset.id }],
      is_person: true,
    });
    const post = (json: object) => library.say<Offboarding>("/offboarding/dana", { token: admin, json });
    expect((await post({ to: "dana-laptop" })).status).toBe(400);
    expect((await post({ to: "nobody" })).status).toBe(400);
    expect(await statusOf(library, token)).toBe(200);
    const cookie = must(session.cookie.split(";")[0]);
    const settings = () => library.ask("/assets", { headers: { cookie } });
    expect((await settings()).status).toBe(200);

    expect((await post({ to: "ana" })).status).toBe(200);
    expect([await statusOf(library, token), await statusOf(library, agent)]).toEqual([401, 401]);
    expect((await settings()).status).not.toBe(200);
    expect(await rowsOf(library.url, "select subject from claims")).toEqual([]);
    expect(await rowsOf(library.url, "select creator from shares where revoked_at is null")).toEqual([
      { creator: "ana" },
    ]);
    expect(await rowsOf(library.url, "select owner, status from webhooks")).toEqual([
      { owner: "ana", status: "active" },
    ]);
    const requests = (await library.say<ReviewRequestList>("/review-requests")).body.review_requests;
    expect(requests.map(({ reviewers }) => reviewers)).toEqual([["ana"]]);
    const left = (await library.say<Offboarding>("/offboarding/dana", { token: admin })).body;
    expect(left).toMatchObject({
      ...{ tokens: [], sessions: 0, sign_in_links: 0, shares: [], webhooks: [], review_requests: [] },
      is_person: false,
    });
    const audit = await library.ctx.data.audit({ what: ["offboard"], who: "boss", limit: 9 });
    expect(audit.filter(({ status }) => status === 200)).toMatchObject([{ target: "dana" }]);
  });

  test("without an heir, links are revoked, webhooks paused, and the review is asked of everyone", async () => {
    const { library, admin, asset } = await openTeam(dialect);
    await using _ = library;
    // As someone who signed in with an identity provider.
    const { id } = await createShare(library, asset.id, {});
    await rowsOf(
      library.url,
      `update shares set creator = null, created_by = 'human:dana' where id = '${id}'`,
    );
    await rowsOf(library.url, "update webhooks set owner = 'human:dana'");
    const env = { SVC_DATABASE_URL: library.url };
    expect((await program(["offboard", "dana"], env)).code).toBe(2);
    const { code, errors } = await program(["offboard", "dana", "--yes"], env);
    expect([code, errors]).toEqual([0, expect.stringContaining("2 tokens revoked: dana, dana-laptop")]);
    expect(await rowsOf(library.url, "select status, paused_reason from webhooks")).toEqual([
      { status: "paused", paused_reason: "dana was offboarded." },
    ]);
    expect(await rowsOf(library.url, "select id from shares where revoked_at is null")).toEqual([]);
    const requests = (await library.say<ReviewRequestList>("/review-requests")).body.review_requests;
    expect(requests.map(({ reviewers }) => reviewers)).toEqual([[]]);
    expect((await library.say("/offboarding/unknown", { token: admin })).status).toBe(404);
  });

  test("a failure at any write changes nothing", async () => {
    const { library, admin, token } = await openTeam(dialect);
    await using _ = library;
    const { data } = library.ctx;
    const { atomically } = data;
    for (const failing of [
      "revokeToken",
      "endSessions",
      "savePerson",
      "changeWebhook",
      "saveReviewRequest",
    ]) {
      data.atomically = (work) =>
        atomically((writes) =>
          work(
            Object.assign(Object.create(writes), {
              [failing]() {
                throw new Error("killed");
              },
            }),
          ),
        );
      const { status } = await library.say("/offboarding/dana", { method: "POST", token: admin });
      data.atomically = atomically;
      expect([failing, status, await statusOf(library, token)]).toEqual([failing, 500, 200]);
    }
    const { body } = await library.say<Offboarding>("/offboarding/dana", { token: admin });
    expect(body).toMatchObject({ tokens: ["dana", "dana-laptop"], sessions: 1, is_person: true });
    expect(body.webhooks.length).toBe(1);
  });
});
