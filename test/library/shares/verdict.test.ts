/** Verdicts and names of people with a share link. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readRecipients } from "../../../src/library/shares/recipients.ts";
import type { CreatedShares, ShareLog } from "../../../src/library/shares/schema.ts";
import { dialects, must, rowsOf } from "../../support/harness.ts";
import { type Library, openLibrary, pathOf } from "../../support/library.ts";
import { createShare, openLink, plantText, verdict } from "../../support/review/shares.ts";
import { openSmtpServer, type SmtpServer } from "../../support/servers/smtp-server.ts";

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

describe.each(dialects)("links for named people on %s", (dialect) => {
  let library: Library;
  let smtp: SmtpServer;
  beforeAll(async () => {
    smtp = await openSmtpServer();
    library = await openLibrary(dialect, "disk", {
      SVC_SMTP_URL: smtp.url,
      SVC_MAIL_FROM: "svc <svc@svc.test>",
    });
  });
  afterAll(async () => {
    await library.close();
    await smtp[Symbol.asyncDispose]();
  });

  async function create(recipients: unknown, fields: Record<string, unknown> = {}) {
    const asset = await plantText(library);
    const json = { recipients, rights: "verdict", ...fields };
    const { status, body } = await library.say<CreatedShares>(`/assets/${asset.id}/shares`, { json });
    return { asset, status, body, shares: body.shares };
  }
  const reviewedBy = async (id: string) => must(await library.ctx.data.asset(null, id)).reviewed_by;

  test("are one each, and review under their name only, whatever is typed", async () => {
    const { asset, status, shares } = await create([{ name: " Ana  Lima" }, { name: "Bo" }]);
    expect([status, shares.length]).toEqual([201, 2]);
    const [ana, bo] = [must(shares[0]), must(shares[1])];
    expect(ana).toMatchObject({ recipient: "Ana Lima", name_source: "recipient", mail_problem: null });
    await library.say(`/shares/${ana.id}`, { json: { recipient: "Someone at Harbor" } });
    const guest = await openLink(library, pathOf(must(ana.url)));
    const page = await (await guest.page()).text();
    expect(page).toContain("You are <bdi>Ana Lima</bdi>: this link was made for you.");
    expect(page).not.toContain('name="name"');
    await guest.send("comment", { do: "add", body: "Dark", sha256: asset.sha256, name: "Bo" });
    await guest.send("verdict", verdict(asset, { name: "Bo" }));
    expect(await reviewedBy(asset.id)).toBe("human:Ana-Lima(not-verified)");
    const { body } = await library.say<ShareLog>(`/shares/${ana.id}/log`);
    const names = body.entries.filter(({ action }) => action === "commented" || action === "approved");
    expect(names.map(({ name }) => name)).toEqual(["Ana Lima", "Ana Lima"]);
    expect((await openLink(library, pathOf(must(bo.url)))).path).not.toBe(guest.path);
    expect(smtp.mails).toEqual([]);
  });

  test("are mailed to whom has an address, and shown to no one else: reviews say so", async () => {
    const { asset, shares } = await create([
      { name: "Ana\u2066 <b>Bcc", email: "ana@example.com" },
      { name: "Bo", email: "bo@example.com" },
    ]);
    expect(shares).toMatchObject([
      { url: null, mail_problem: null, name_source: "mailed" },
      { url: null, mail_problem: null, name_source: "mailed" },
    ]);
    const mails = smtp.mails.splice(0);
    expect(mails.map(({ to }) => to)).toEqual([["ana@example.com"], ["bo@example.com"]]);
    for (const { raw } of mails) expect(raw).not.toContain("Bcc");
    const links = mails.map(
      ({ parsed }) => must(/http:\/\/svc\.test\/s\/[\w-]{43}/.exec(parsed.text ?? ""))[0],
    );
    expect(new Set(links).size).toBe(2);
    const guest = await openLink(library, pathOf(must(links[1])));
    await guest.send("verdict", verdict(asset, { name: "Ana" }));
    expect(await reviewedBy(asset.id)).toBe("human:Bo(mailed-link)");
    // Neither a link nor an address is stored, in the feed or in the audit log.
    for (const table of ["shares", "share_views", "events", "audit"]) {
      const text = JSON.stringify(await rowsOf(library.url, `select * from ${table}`));
      expect(text).not.toContain("@example.com");
      for (const link of links) expect(text).not.toContain(must(link.split("/").at(-1)));
    }
  });

  test("are made when the mail is refused, with the reason and the URL, as not verified", async () => {
    smtp.refuse = { code: 550, text: "No such user" };
    const { asset, status, shares } = await create([{ name: "Ana", email: "ana@example.com" }]);
    smtp.refuse = null;
    const problem = "The mail server did not take the mail.";
    expect([status, shares]).toMatchObject([201, [{ mail_problem: problem, name_source: "recipient" }]]);
    const guest = await openLink(library, pathOf(must(shares[0]?.url)));
    await guest.send("verdict", verdict(asset));
    expect(await reviewedBy(asset.id)).toBe("human:Ana(not-verified)");
  });

  test("are refused with headers in a name or an address, twice the same, or beside a label", async () => {
    const people = [
      [{ name: "Ana\r\nBcc: eve@example.com" }],
      [{ name: "Ana", email: "ana@example.com\r\nBcc: eve@example.com" }],
      [{ name: "Ana", email: "ana@example.com, eve@example.com" }],
      [{ name: "Ana", email: "Ana <ana@example.com>" }],
      [{ name: "\u2066\u200b" }],
      [{ name: "Ana" }, { name: "ana" }],
      [
        { name: "Ana", email: "a@example.com" },
        { name: "Bo", email: "A@example.com" },
      ],
      Array.from({ length: 21 }, (_, at) => ({ name: `Person ${at}` })),
      [],
    ];
    for (const one of people) expect([one, (await create(one)).status]).toEqual([one, 400]);
    expect((await create([{ name: "Ana" }], { recipient: "Ana" })).status).toBe(400);
    expect((await create(undefined)).status).toBe(400);
    expect(smtp.mails).toEqual([]);
  });

  test("are at most 60 in an hour for each creator, so that no one floods an address", async () => {
    library.clock.advance(3_600 * 1e6);
    const twenty = Array.from({ length: 20 }, (_, at) => ({ name: `Person ${at}` }));
    const statuses: number[] = [];
    for (let round = 0; round < 4; round++) statuses.push((await create(twenty)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    library.clock.advance(3_600 * 1e6);
    expect((await create([{ name: "Ana" }])).status).toBe(201);
  });
});

test("typed text names people if there are several or one has an address, else it is a label", () => {
  expect(readRecipients(" Ana at Harbor Ltd ")).toEqual({ recipient: "Ana at Harbor Ltd" });
  const ana = { name: "Ana Lima", email: "ana@example.com" };
  expect(readRecipients("Ana Lima <ana@example.com>")).toEqual({ recipients: [ana] });
  expect(readRecipients("Ana Lima <ana@example.com>,\r\nBo\n")).toEqual({
    recipients: [ana, { name: "Bo" }],
  });
});
