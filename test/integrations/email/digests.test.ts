/** Digests by email on a real mail server: opt-in, once for each period, retries, and the way out. */
import { describe, expect, test } from "bun:test";
import { checkEmail } from "../../../src/api/doctor/checks.ts";
import { allScopes, type Scope } from "../../../src/core/auth/scopes.ts";
import { dayMicros, minuteMicros } from "../../../src/core/lib/time.ts";
import type { EmailDigest } from "../../../src/integrations/email/schema.ts";
import { openOwners } from "../../../src/integrations/owners.ts";
import { dialects, event, link, must, openApp } from "../../support/harness.ts";
import { base } from "../../support/http/input.ts";
import { linkIn, useDigests } from "../../support/servers/email-digests.ts";

describe.each(dialects)("email digests on %s", (dialect) => {
  const mail = useDigests(dialect);
  const { post, newest, send, fail, digestOf, statusOf, add, subscribe, remove, nextMorning } = mail;

  test("subscribe an address only after a click, and opening the link is no click", async () => {
    const { id, address, status } = await add();
    expect(status).toBe("pending");
    const confirmation = newest();
    expect([confirmation.to, confirmation.from, confirmation.parsed.subject]).toEqual([
      [address],
      "svc@svc.test",
      "Confirm your daily digest from svc",
    ]);
    const path = linkIn(confirmation, "confirm");
    const page = await mail.app.ask(path);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Confirm</button>")]);
    expect(await statusOf(id)).toBe("pending");
    const forged = path.replace(/.$/, (last) => (last === "_" ? "-" : "_"));
    expect((await mail.app.ask(forged, { method: "POST" })).status).toBe(404);
    expect((await mail.app.ask(path.replace("confirm", "unsubscribe"), { method: "POST" })).status).toBe(404);
    expect((await mail.app.ask(path, { method: "POST" })).status).toBe(200);
    expect(await statusOf(id)).toBe("active");
    expect((await post("/email-digests", { address, period: "daily" })).status).toBe(409);
    await remove({ id } as EmailDigest);
  });

  test("are sent once for each period, by one process, with what happened in it", async () => {
    const digest = await subscribe();
    await fail("No berths");
    expect(await send()).toBe(0); // not due yet
    nextMorning();
    expect((await Promise.all([send(), send(), send()])).toSorted()).toEqual([0, 0, 1]);
    const { parsed, to } = newest();
    expect(to).toEqual([digest.address]);
    expect(parsed.subject).toBe("svc daily, all projects: 1 needs you");
    for (const body of [parsed.text, String(parsed.html)]) {
      expect(body).toContain("No berths");
      expect(body).toContain("http://svc.test/runs/run-7?project=atlas");
    }
    nextMorning();
    expect(await send()).toBe(0); // nothing happened
    await fail("No tides");
    nextMorning();
    expect(await send()).toBe(1);
    expect(newest().parsed.text).toContain("No tides: 2 times since"); // of the same run
    await remove(digest);
  });

  test("are sent again after a crash, with the same Message-ID", async () => {
    const digest = await subscribe();
    await fail("No wind");
    nextMorning();
    const row = await digestOf(digest.id);
    // The process dies after the mail server took the mail, and before it could record that.
    await send();
    const first = newest().parsed.messageId as string;
    const { covered_until, due_at, attempts } = row;
    const claimed = { covered_until, due_at, attempts: attempts + 1 };
    const until = mail.app.clock.now() + 10 * minuteMicros;
    await mail.app.ctx.data.atomically((writes) =>
      writes.changeDigest(row.id, { ...claimed, next_at: until }),
    );
    expect(await send()).toBe(0);
    mail.app.clock.advance(10 * minuteMicros);
    expect(await send()).toBe(1);
    expect(newest().parsed.messageId).toBe(first);
    await remove(digest);
  });

  test("end with the budgets that their owner may read, as far as they are spent", async () => {
    const { app } = mail;
    const token = await app.mint(allScopes);
    const put = (json: object) => app.ask(`${base}/budgets`, { method: "PUT", json, token });
    await put({ amount: 200, period: "month" });
    await put({ amount: 50, period: "month", project: "atlas" });
    await app.ctx.data.append([event({ project: "atlas", kind: "run.failed", cost_equiv: 40 })]);
    const digests = [await subscribe(), await subscribe({ project: "atlas" })];
    nextMorning();
    expect(await send()).toBe(2);
    const bodies = mail.smtp.mails.map(({ parsed }) => must(parsed.text));
    const [all, own] = ["all projects", "atlas"].map((scope) =>
      must(bodies.find((_, at) => mail.smtp.mails[at]?.parsed.subject?.includes(`, ${scope}:`))),
    ) as [string, string];
    const atlas = "- atlas, month: $40 of $50 (80%), until 2026-03-31";
    expect(all).toContain(`Budgets\n${atlas}`);
    expect(all).toContain("- everything, month: $40 of $200 (20%), until 2026-03-31");
    expect(own).toContain(`Budgets\n${atlas}`);
    expect(own).not.toContain("everything");
    for (const one of digests) await remove(one);
  });

  test("are tried again later when the mail server is busy, and paused when it refuses for good", async () => {
    const digest = await subscribe();
    await fail("Low water");
    nextMorning();
    mail.smtp.refuse = { code: 451, text: "Try again later" };
    expect(await send()).toBe(0);
    expect(await digestOf(digest.id)).toMatchObject({
      ...{ status: "active", attempts: 1, next_at: mail.app.clock.now() + minuteMicros },
      problem: expect.stringContaining("451 Try again later"),
    });
    mail.app.clock.advance(minuteMicros);
    mail.smtp.refuse = { code: 550, text: "No such person" };
    expect(await send()).toBe(0);
    expect(await statusOf(digest.id)).toBe("paused");
    const [finding] = await checkEmail(mail.app.ctx);
    expect(finding).toMatchObject({ what: "email", level: "warning" });
    expect(finding?.detail).toContain(`the digest to ${digest.address} is paused: 550 No such person`);
    mail.smtp.refuse = null;
    expect((await post(`/email-digests/${digest.id}/send`)).status).toBe(200);
    expect([await statusOf(digest.id), newest().parsed.text]).toEqual([
      "active",
      expect.stringContaining("Low water"),
    ]);
    await remove(digest);
  });

  test("end with one click in the mail client, and by the page of the link", async () => {
    for (const isOneClick of [true, false]) {
      const digest = await subscribe();
      await fail("Neap tide");
      nextMorning();
      await send();
      const { parsed } = newest();
      const list = parsed.headers.get("list") as { unsubscribe?: { url: string } };
      const url = new URL(must(list.unsubscribe).url);
      expect(parsed.headerLines.map(({ line }) => line)).toContain(
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
      );
      const path = isOneClick ? url.pathname + url.search : linkIn(newest(), "unsubscribe");
      const page = await mail.app.ask(path);
      expect([page.status, await statusOf(digest.id)]).toEqual([200, "active"]);
      const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
      expect((await mail.app.ask(path, { method: "POST", ...(isOneClick && { body }) })).status).toBe(200);
      expect(await mail.app.ctx.data.emailDigest(digest.id)).toBeNull();
      expect((await mail.app.ask(path, { method: "POST" })).status).toBe(200); // again does no harm
    }
  });

  test("show what their owner may read, and end with the owner's token", async () => {
    await link(mail.app.ctx.data, "beacon");
    const scopes: Scope[] = ["feed:read", "webhooks:write"];
    const owner = await mail.app.mint(scopes, { name: "limited", projects: ["beacon"] });
    const other = await mail.app.mint(scopes, { name: "other" });
    const digest = await subscribe({}, owner);
    const listed = async (as: string) =>
      (
        (await (await mail.app.ask(`${base}/email-digests`, { token: as })).json()) as {
          digests: EmailDigest[];
        }
      ).digests;
    expect((await listed(owner)).map(({ id }) => id)).toEqual([digest.id]);
    expect(await listed(other)).toEqual([]);
    expect((await post(`/email-digests/${digest.id}/remove`, undefined, other)).status).toBe(404);
    expect(
      (await post("/email-digests", { address: "a@b.c", period: "daily", project: "atlas" }, owner)).status,
    ).toBe(404);
    await fail("Secret of atlas");
    await mail.app.ctx.data.append([
      event({ project: "beacon", kind: "run.failed", summary: "Lamp is out" }),
    ]);
    nextMorning();
    await send();
    expect(newest().parsed.text).toContain("Lamp is out");
    expect(newest().parsed.text).not.toContain("Secret of atlas");
    await mail.app.ctx.data.atomically((writes) => writes.revokeToken("limited", mail.app.clock.now()));
    await mail.app.ctx.data.append([event({ project: "beacon", kind: "run.failed", summary: "Again" })]);
    nextMorning();
    expect(await send()).toBe(0);
    expect((await digestOf(digest.id)).problem).toBe("The token limited was revoked or has expired.");
    await remove(digest);
  });

  test("are paused once the token that owns them has expired", async () => {
    const expires_at = mail.app.clock.now() + dayMicros;
    const owner = await mail.app.mint(["feed:read", "webhooks:write"], { name: "short", expires_at });
    const digest = await subscribe({ project: "atlas" }, owner);
    await fail("Neap tide");
    mail.app.clock.advance(dayMicros);
    nextMorning();
    expect(await send()).toBe(0);
    expect((await digestOf(digest.id)).problem).toBe("The token short was revoked or has expired.");
    await remove(digest);
  });

  test("say once a week, on Monday, that nothing happened", async () => {
    mail.app.clock.advance(31 * dayMicros); // beyond the failures of the tests before
    const digest = await subscribe({ period: "weekly" });
    const sent: [string, number][] = [];
    for (let day = 0; day < 21; day++) {
      nextMorning();
      const count = await send();
      if (count > 0) sent.push([new Date(mail.app.clock.now() / 1_000).toUTCString().slice(0, 3), count]);
    }
    expect(sent).toEqual([["Mon", 1]]);
    expect(newest().parsed.text).toContain("Nothing happened");
    expect(newest().parsed.subject).toContain("nothing needs you");
    await remove(digest);
  });
});

test("without a mail server, nothing is added, and addresses are addresses", async () => {
  await using app = await openApp("sqlite");
  const token = await app.mint(allScopes);
  const ask = (address: string) =>
    app.ask(`${base}/email-digests`, { token, json: { address, period: "daily" } });
  const refused = await ask("ana@example.com");
  expect([refused.status, await refused.text()]).toEqual([501, expect.stringContaining("SVC_SMTP_URL")]);
  for (const address of ["ana", "a@b.c\r\nBcc: x@y.z", "a@b.c, d@e.f", "A <a@b.c>", "a@b..c", "@b.c"])
    expect((await ask(address)).status).toBe(400);
});

describe("a digest", () => {
  const mail = useDigests("sqlite");
  const { newest, send, subscribe, nextMorning } = mail;

  test("say in a sentence a task what happened, as Today does", async () => {
    await subscribe();
    const run = { project: "atlas", issue: 9, actor: "agent:codex" };
    await mail.app.ctx.data.append([
      event({ project: "atlas", kind: "issue.opened", issue: 9, summary: "Issue #9 opened: Show the tides" }),
      event({ ...run, kind: "run.finished", run_id: "run-9", summary: "3 files changed", cost_equiv: 0.41 }),
      event({ ...run, kind: "pr.merged", pr: 31, summary: "PR #31 merged: Draw tides" }),
    ]);
    nextMorning();
    expect(await send()).toBe(1);
    const { subject, text, html } = newest().parsed;
    expect(subject).toBe("svc daily, all projects: 1 finished");
    expect(text).toContain("What happened (1)\n- Show the tides: 1 run, $0.41, merged as #31\n  atlas · ");
    expect(String(html)).toContain("http://svc.test/projects/atlas/issues/9");
    expect(text).not.toContain("files changed");
  });
});

test("the owner of a digest may read until the moment in which its token expires", async () => {
  await using app = await openApp("sqlite");
  const expires_at = app.clock.now() + dayMicros;
  await app.mint(["feed:read"], { name: "short", expires_at });
  const ownerNow = async () => (await openOwners(app.ctx))("short");
  app.clock.advance(dayMicros - 1);
  expect(await ownerNow()).toHaveProperty("caller");
  app.clock.advance(1);
  expect(await ownerNow()).toEqual({ ended: "expired" });
});
