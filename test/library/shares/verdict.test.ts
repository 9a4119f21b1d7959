/** Verdicts and names of people with a share link. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, openLink, plantText, verdict } from "../../support/review/shares.ts";

let library: Library;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
});
afterAll(() => library.close());

async function judged(fields: Record<string, unknown> = {}) {
  const asset = await plantText(library);
  const share = await createShare(library, asset.id, { rights: "verdict", ...fields });
  const guest = await openLink(library, share.link);
  const row = async () => must(await library.ctx.data.asset(null, asset.id));
  return { asset, share, guest, row };
}

describe("a verdict by a share link", () => {
  test("is recorded in the name that was typed, marked as not verified, and audited under the share", async () => {
    const { asset, share, guest, row } = await judged();
    const sent = await guest.send("verdict", verdict(asset, { name: "  Ana  Lima " }));
    expect(sent.headers.get("location")).toBe(`${guest.path}?done=verdict`);
    expect(await row()).toMatchObject({
      ...{ status: "approved", reviewed_by: "human:Ana-Lima(not-verified)" },
    });
    const [audit] = await library.ctx.data.audit({ who: `share:${share.id}`, limit: 5 });
    expect(audit).toMatchObject({ via: "share", what: "reviewAsset", target: asset.id, address: null });
    const events = await library.events();
    expect(events.at(-1)).toMatchObject({ kind: "asset.reviewed", actor: "human:Ana-Lima(not-verified)" });
    expect(await (await guest.page("?done=verdict")).text()).toContain("Your review was recorded.");
  });

  test("that rejects needs a note, which becomes a decision", async () => {
    const { asset, guest, row } = await judged();
    const refused = await guest.send("verdict", verdict(asset, { decision: "rejected" }));
    expect([refused.status, (await row()).status]).toEqual([400, "pending"]);
    expect(await refused.text()).toContain("note is required to reject");
    const note = "Too dark <script>alert(1)</script>";
    expect((await guest.send("verdict", verdict(asset, { decision: "rejected", note }))).status).toBe(303);
    expect(await row()).toMatchObject({ status: "rejected", review_note: note });
    expect((await library.events()).at(-1)).toMatchObject({ kind: "decision.captured" });
  });

  test("is about the file that was shown, and only while its review is pending", async () => {
    const { asset, guest, row } = await judged();
    const other = await guest.send("verdict", { ...verdict(asset), sha256: "f".repeat(64) });
    const none = await guest.send("verdict", { ...verdict(asset), sha256: "" });
    expect([other.status, none.status, (await row()).status]).toEqual([409, 400, "pending"]);
    expect(await other.text()).toContain("reviewed or replaced since you opened it");
    const csrf = await guest.csrf();
    const review = { decision: "rejected", note: "By the team: secret plans.", by: "human:maria" };
    await library.review(asset.id, review);
    const late = await guest.post("verdict", { csrf, ...verdict(asset) });
    const text = await late.text();
    expect(late.status).toBe(409);
    expect(text).not.toContain("maria");
    expect(text).not.toContain("secret plans");
    expect((await row()).reviewed_by).toBe("human:maria");
  });

  test("has one name for each link, so that a link approves once", async () => {
    const { asset, share, guest } = await judged({ follows: "latest" });
    const rejected = { decision: "rejected", note: "Too dark." };
    expect((await guest.send("verdict", verdict(asset, rejected))).status).toBe(303);
    const next = await plantText(library, "brighter", asset.id);
    const second = await openLink(library, share.link);
    const refused = await second.send("verdict", verdict(next, { name: "Bo" }));
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain("This link reviews as Ana.");
    expect((await second.send("verdict", verdict(next))).status).toBe(303);
  });

  test("is not there for a link that may only view or comment", async () => {
    for (const rights of ["view", "comment"]) {
      const { asset, share, row } = await judged({ rights });
      const other = await createShare(library, asset.id, { rights: "verdict" });
      const [viewer, judge] = [await openLink(library, share.link), await openLink(library, other.link)];
      expect(await (await viewer.page()).text()).not.toContain("/verdict");
      const sent = await viewer.post("verdict", { csrf: await judge.csrf(), ...verdict(asset) });
      expect([403, 404]).toContain(sent.status);
      expect((await row()).status).toBe("pending");
    }
  });

  test("commits with its entry in the log or not at all, and not after a revocation", async () => {
    const { asset, share, guest, row } = await judged();
    const { atomically } = library.ctx.data;
    const csrf = await guest.csrf();
    // The share is revoked after its page was checked, before the transaction.
    library.ctx.data.atomically = async (work) => {
      library.ctx.data.atomically = atomically;
      await atomically((writes) => writes.revokeShare(share.id, library.clock.now(), "human:maria"));
      return atomically(work);
    };
    expect((await guest.post("verdict", { csrf, ...verdict(asset) })).status).toBe(404);
    expect((await row()).status).toBe("pending");
    const log = await library.ctx.data.shareViews(share.id, { limit: 9 });
    expect(log.map(({ action }) => action)).not.toContain("approved");
  });
});

test.each([
  ["maria", "human:maria(not-verified)"],
  ["Zoë  O’Neill", "human:Zoë-O’Neill(not-verified)"],
  ["\u202Emoc.live\u2066 x\u200B\u00ADy\uFEFF", "human:moc.live-xy(not-verified)"],
  ["<script>alert(1)</script>", "human:<script>alert(1)</script>(not-verified)"],
  ["human:maria\n\rbot:svc", "human:human:maria-bot:svc(not-verified)"],
  ["\u3000\u00A0A\u2028B", "human:A-B(not-verified)"],
])("the typed name %j acts as %j, and changes nothing outside its place", async (typed, actor) => {
  const { asset, guest, row, share } = await judged();
  expect((await guest.send("verdict", verdict(asset, { name: typed }))).status).toBe(303);
  expect((await row()).reviewed_by).toBe(actor);
  expect(await (await guest.page()).text()).not.toContain("<script>alert");
  expect((await library.say(`/shares/${share.id}/log`)).status).toBe(200);
});

test.each([
  ["", "Type your name"],
  [" \u200B\u202E ", "Type your name"],
  ["ü".repeat(33), "longer than 64 bytes"],
])("the typed name %j is refused, and the form keeps the note", async (name, why) => {
  const { asset, guest, row } = await judged();
  const refused = await guest.send("verdict", verdict(asset, { name, note: "My note & more" }));
  const text = await refused.text();
  expect([refused.status, (await row()).status]).toEqual([400, "pending"]);
  expect(text).toContain(why);
  expect(text).toContain("My note &amp; more");
});
