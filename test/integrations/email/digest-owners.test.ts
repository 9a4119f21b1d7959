/** Who may add digests by email: quotas of owners, mails to one address, and the audit log. */
import { describe, expect, test } from "bun:test";
import { retentions, trimRows } from "../../../src/api/retention.ts";
import type { Scope } from "../../../src/core/auth/scopes.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { dialects, rowsOf } from "../../support/harness.ts";
import { linkIn, useDigests } from "../../support/servers/email-digests.ts";

describe.each(dialects)("email digests on %s", (dialect) => {
  const mail = useDigests(dialect);
  const { post, newest, send, fail, add, remove, nextMorning } = mail;

  test("are unique and counted for each owner, and no refusal tells what others added", async () => {
    const scopes: Scope[] = ["feed:read", "webhooks:write"];
    const [one, other] = [await mail.app.mint(scopes), await mail.app.mint(scopes)];
    const address = "shared@example.com";
    const added = [await add({ address }, one), await add({ address }, other)];
    const again = await post("/email-digests", { address, period: "daily" }, one);
    expect([again.status, await again.text()]).toEqual([
      409,
      expect.stringContaining("has this digest already"),
    ]);
    for (let count = 1; count < 10; count++) added.push(await add({}, one));
    const full = await post("/email-digests", { address: "more@example.com", period: "daily" }, one);
    expect([full.status, await full.text()]).toEqual([
      409,
      expect.stringContaining("10 of your digests wait for a confirmation"),
    ]);
    added.push(await add({}, other));
    for (const digest of added) await remove(digest);
  });

  test("have in the audit log who confirmed and who unsubscribed, once each", async () => {
    const { id } = await add({ project: "atlas" });
    const confirmation = linkIn(newest(), "confirm");
    const ask = (path: string) => mail.app.ask(path, { method: "POST", address: "198.51.100.4" });
    for (let time = 0; time < 2; time++) await ask(confirmation);
    await fail("Spring tide");
    nextMorning();
    await send();
    const unsubscribe = linkIn(newest(), "unsubscribe");
    for (let time = 0; time < 2; time++) await ask(unsubscribe);
    const rows = (await mail.app.ctx.data.audit({ limit: 100 })).filter(
      (row) => row.target === id && row.who === null,
    );
    const row = { project: "atlas", status: 200, address: "198.51.100.4", count: 1 };
    expect(rows).toMatchObject([
      { ...row, what: "unsubscribeEmailDigest" },
      { ...row, what: "confirmEmailDigest" },
    ]);
  });

  test("ask one address five times a day for a token and ten times for all, however often they are removed", async () => {
    const scopes: Scope[] = ["feed:read", "webhooks:write"];
    const address = "Flooded@example.com";
    const owners = [await mail.app.mint(scopes), await mail.app.mint(scopes), await mail.app.mint(scopes)];
    const [first, , last] = owners as [string, string, string];
    for (const owner of owners)
      for (let time = 0; time < 5; time++) await remove(await add({ address: address.toLowerCase() }, owner));
    expect(mail.smtp.mails).toHaveLength(10);
    const refused = await post("/email-digests", { address, period: "daily" }, first);
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining(`You asked ${address} to confirm 5 digests today. Try again tomorrow.`),
    ]);
    mail.app.clock.advance(dayMicros + 1);
    await remove(await add({ address }, last));
    expect(mail.smtp.mails).toHaveLength(11);
    mail.smtp.refuse = { code: 451, text: "Try again later" };
    const failed = () => post("/email-digests", { address, period: "daily" }, first);
    for (let time = 0; time < 6; time++) expect((await failed()).status).toBe(503); // no mail, not counted
    mail.app.clock.advance(7 * dayMicros + 1);
    await trimRows(mail.app.ctx, retentions["sweep of digests"]);
    expect(
      await rowsOf(mail.app.url, "select * from email_digests where lower(address) like 'flood%'"),
    ).toEqual([]);
  });
});
