/** The mails themselves: headers that nothing can be injected into, their size, and when periods end. */
import { describe, expect, test } from "bun:test";
import { simpleParser } from "mailparser";
import type { Context } from "../../../src/api/context.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { readConfig } from "../../../src/core/config.ts";
import { dayMicros, fromMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { Budget } from "../../../src/feed/budgets/schema.ts";
import { type Content, type Line, linesMax, loadContent } from "../../../src/integrations/email/content.ts";
import { digestMail, lastEnd, nextEnd } from "../../../src/integrations/email/deliver.ts";
import { digestOfToken, emailLink } from "../../../src/integrations/email/links.ts";
import { sendMail } from "../../../src/integrations/email/mailer.ts";
import type { DigestRow } from "../../../src/integrations/rows.ts";
import { groupNames, type Inbox } from "../../../src/overview/inbox/schema.ts";
import { must } from "../../support/harness.ts";
import { openSmtpServer } from "../../support/servers/smtp-server.ts";
import { eventsAbout, openChatLibrary } from "../../support/webhooks/chat-events.ts";

const to = toMicros("2026-03-05T06:00:00Z");
const gmailClips = 102 * 1024;

const digest = {
  ...{ id: "01KC3V0W6ZJ8M5T9Q2R4X7Y1AB", address: "ana@example.com", period: "daily", project: null },
} as DigestRow;
const contextWith = (smtpUrl: string) =>
  ({
    config: readConfig({ SVC_SITE_URL: "https://svc.example.com", SVC_SMTP_URL: smtpUrl }),
    secret: "secret",
    now: () => to,
  }) as unknown as Context;

/** A digest whose every list is full of such lines. */
function contentOf(text: string): Content {
  const line: Line = {
    text,
    path: `/assets/${"x".repeat(26)}?project=p`,
    project: "p".repeat(63),
    at: to - 1,
    outcome: ": 1 run, $0.41, merged as #470",
  };
  const section = { count: 100, lines: Array.from({ length: linesMax }, () => line) };
  const item: Inbox["items"][number] = {
    id: "review-1",
    reason: "review_requested",
    group: "requested",
    title: text,
    detail: text,
    action: "Review",
    url: `https://svc.example.com${line.path}`,
    project: line.project,
    at: fromMicros(line.at),
    due_at: fromMicros(to),
    times: 1,
    issue: null,
    task: null,
    pr: null,
    asset: null,
    thumb_url: null,
    until: null,
  };
  const spending = { project: "p".repeat(63), now: 1, before: 2 };
  const budget: Budget = {
    ...{
      id: 1,
      name: text.slice(0, 200),
      project: "p",
      ...{ team: null, person: null, lane: null },
      model: text.slice(0, 100),
      period: "month",
    },
    ...{ amount: 200, start: "2026-03-01", end: "2026-03-31", spent: 160.2, left: 39.8, percent: 80 },
    ...{ forecast: 206.5, changed_by: "human:ana", changed_at: "2026-03-01T00:00:00Z" },
  };
  return {
    budgets: Array.from({ length: 5 }, () => budget),
    ...{ from: to - dayMicros, to, project: null },
    needs: {
      count: 100,
      counts: { agents: 0, requested: 100, waiting: 100, broken: 100, answered: 0 },
      items: groupNames.flatMap((group) => Array.from({ length: linesMax }, () => ({ ...item, group }))),
      snoozed: 0,
      done: 0,
      repaired: 0,
    },
    ...{ happened: section, decisions: section },
    spend: {
      ...{ now: 5, before: 10, days: 1, teams: [], own: null },
      projects: Array.from({ length: 5 }, () => spending),
    },
  };
}

async function received(content: Content): Promise<string> {
  await using smtp = await openSmtpServer();
  const ctx = contextWith(smtp.url);
  await sendMail(ctx.config, digestMail(ctx, digest, content));
  return must(smtp.mails[0]).raw;
}

describe("a digest", () => {
  test("takes nothing of what others wrote into its headers, and cannot be broken out of", async () => {
    const attack = "Map\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\u202e";
    const raw = await received(contentOf(attack));
    const { headers, html, text, to: recipients } = await simpleParser(raw);
    expect([...headers.keys()].toSorted()).toEqual([
      ...["auto-submitted", "content-type", "date", "from", "list", "message-id", "mime-version"],
      ...["subject", "to"],
    ]);
    expect(must(recipients)).toMatchObject({ text: "ana@example.com" });
    expect(raw.slice(0, raw.indexOf("\r\n\r\n"))).not.toContain("eve@");
    expect(String(html)).toContain("Map Bcc: eve@example.com &lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}");
    expect(text).toContain("- Map Bcc: eve@example.com <script>");
    expect(/<script|<img|src=|url\(/i.test(String(html))).toBe(false); // nothing is loaded
  });

  test.each(["&", "ä", "潮", "🌊"])(
    "of %p alone is not clipped by Gmail, however much happened",
    async (one) => {
      const raw = await received(contentOf(one.repeat(500)));
      expect(raw.length).toBeLessThan(gmailClips);
    },
  );

  test("has lines that every mail server takes, and is ASCII on the way", async () => {
    const raw = await received(contentOf("Gezeiten für Ärzte 潮 ".repeat(20)));
    expect(Math.max(...raw.split("\r\n").map(({ length }) => length))).toBeLessThanOrEqual(998);
    expect([...raw].every((char) => char < "\u0080")).toBe(true);
    expect((await simpleParser(raw)).text).toContain("Gezeiten für Ärzte 潮");
  });
});

test("a digest of hostile titles, notes and annotations has the lines, links and tags of any other", async () => {
  const bodiesAbout = async (text: string) => {
    await using library = await openChatLibrary();
    await eventsAbout(library, text);
    const now = library.clock.now() + 1;
    const period = { project: null, period: "daily", from: now - dayMicros, to: now } as const;
    const raw = await received(await loadContent(library.ctx, adminCaller, period));
    const { html, text: plain } = await simpleParser(raw);
    const tags = String(html)
      .match(/<[^>]*>/g)
      ?.map((tag) => tag.replace(/=(".*?")/g, ""));
    const hosts = [...String(html).matchAll(/href="([^"]*)"/g)].map(([, url]) => new URL(must(url)).host);
    return { plain: must(plain), lines: must(plain).split("\n").length, tags, hosts: new Set(hosts) };
  };
  const { plain: _, ...harmless } = await bodiesAbout("Harbor");
  for (const text of [
    "Harbor <!channel> @everyone <@U123> [x](https://evil.example) https://evil.example",
    'Harbor\n\nUnsubscribe: https://evil.example\r\n\u001b[31m\u202eb" onmouseover="x</a><a href="//evil.example"',
    "Harbor </p></td></tr></table><h1>x</h1><script>x()</script><img src=x onerror=x()>",
  ]) {
    const { plain, ...shape } = await bodiesAbout(text);
    expect([plain.match(/Harbor/g)?.length, shape]).toEqual([expect.any(Number), harmless]);
    expect(plain).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}|^(Unsubscribe: )?https:\/\/evil/mu);
  }
});

test.each([
  ["daily", 6, "2026-03-04T05:59:59Z", "2026-03-04T06:00", "2026-03-03T06:00"],
  ["daily", 6, "2026-03-04T06:00:00Z", "2026-03-05T06:00", "2026-03-04T06:00"],
  ["weekly", 0, "2026-03-04T12:00:00Z", "2026-03-09T00:00", "2026-03-02T00:00"],
  ["weekly", 23, "2026-03-09T22:00:00Z", "2026-03-09T23:00", "2026-03-02T23:00"],
] as const)("%s at %d, from %s: next %s, last %s", (period, hour, now, next, last) => {
  const minute = (at: number) => fromMicros(at).slice(0, 16);
  expect(minute(nextEnd(period, hour, toMicros(now)))).toBe(next);
  expect(minute(lastEnd(period, hour, toMicros(now)))).toBe(last);
});

const signedWith = (secret: string) => ({ secret, now: () => 0 });

test("a link is good for its purpose, its digest and its deployment alone", () => {
  const ctx = contextWith("");
  const tokenOf = (url: string) => must(new URL(url).searchParams.get("token"));
  const token = tokenOf(emailLink(ctx, "unsubscribe", digest.id));
  expect(digestOfToken(signedWith("secret"), "unsubscribe", token)).toBe(digest.id);
  expect(digestOfToken(signedWith("secret"), "confirm", token)).toBeNull();
  expect(digestOfToken(signedWith("other"), "unsubscribe", token)).toBeNull();
  expect(digestOfToken(signedWith("secret"), "unsubscribe", token.replace("01KC", "01KD"))).toBeNull();
  expect(digestOfToken(signedWith("secret"), "unsubscribe", "")).toBeNull();
});
