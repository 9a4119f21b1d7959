/** svc inbox and svc email: what they print, and what they change. */
import { expect, test } from "bun:test";
import { command } from "../support/commands/command.ts";
import { event, link, openApp } from "../support/harness.ts";
import { openSmtpServer } from "../support/servers/smtp-server.ts";

test("svc inbox lists what needs you, marks it as done, and snoozes it", async () => {
  await using app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  const env = { SVC_DATABASE_URL: app.url };
  const ts = Date.now() * 1_000;
  const fail = (summary: string, issue: number) =>
    app.ctx.data.append([event({ project: "atlas", kind: "run.failed", issue, summary, ts: ts + issue })]);
  await fail("No berths", 1);
  await fail("No tides", 2);
  const { output } = await command(["inbox"], env);
  expect(output).toMatch(/^ID .*\nrun-2 .* atlas .* See what failed .* No tides\nrun-1 .* No berths\n$/);
  const done = await command(["inbox", "done", "run-2"], env);
  expect(done.errors).toContain("Done. 1 left.");
  const snoozed = await command(["inbox", "snooze", "run-1", "--for", "next_week", "--json"], env);
  expect(JSON.parse(snoozed.output)).toMatchObject({ count: 0 });
  const gone = await command(["inbox", "done", "run-99"], env);
  expect([gone.code, gone.errors]).toEqual([2, expect.stringContaining("Not in your inbox: run-99.")]);
  expect((await command(["inbox", "--view", "done"], env)).output).toContain("No tides");
  const unknown = await command(["inbox", "snooze", "run-1", "--for", "ever"], env);
  expect([unknown.code, unknown.errors]).toEqual([2, expect.stringContaining("--for must be one of hour,")]);
  expect((await command(["inbox"], env)).errors).toContain("Nothing needs you.");
});

test("svc email asks an address to confirm, lists its digest, and removes it", async () => {
  await using smtp = await openSmtpServer();
  await using app = await openApp("sqlite");
  const env = { SVC_DATABASE_URL: app.url, SVC_SMTP_URL: smtp.url };
  const added = await command(["email", "add", "ana@example.com", "--daily", "--hour", "6", "--json"], env);
  const { id } = JSON.parse(added.output) as { id: string };
  expect(smtp.mails).toMatchObject([{ to: ["ana@example.com"] }]);
  const listed = await command(["email", "list"], env);
  expect(listed.output).toMatch(new RegExp(`\\n${id} +ana@example.com +daily +06:00 +all +pending +–\\n$`));
  const sent = await command(["email", "send", id], env);
  expect([sent.code, sent.errors]).toEqual([1, expect.stringContaining("has not confirmed")]);
  expect((await command(["email", "add", "ana@example.com"], env)).errors).toContain("--daily or --weekly");
  expect((await command(["email", "remove", id], env)).errors).toContain(`Removed the digest ${id}.`);
  expect(await app.ctx.data.emailDigests()).toEqual([]);
});
