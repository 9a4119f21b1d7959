/** The app with a real mail server, for the tests of email digests. */
import { afterAll, beforeAll, beforeEach, expect } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { dayMicros, minuteMicros } from "../../../src/core/lib/time.ts";
import { sendDueDigests } from "../../../src/integrations/email/deliver.ts";
import type { EmailDigest } from "../../../src/integrations/email/schema.ts";
import { testClock } from "../clock.ts";
import { type Dialect, event, link, must, openApp, type TestApp } from "../harness.ts";
import { base } from "../http/input.ts";
import { openSmtpServer, type ReceivedMail, type SmtpServer } from "./smtp-server.ts";

/** The path of a link in a mail. */
export const linkIn = ({ parsed }: ReceivedMail, purpose: string): string =>
  must(new RegExp(`http://svc.test(/email/${purpose}\\S+)`).exec(parsed.text ?? ""))[1] as string;

/** Opens one app and one mail server for the tests of a describe; each starts without mails. */
export function useDigests(dialect: Dialect) {
  let smtp: SmtpServer;
  let app: TestApp;
  let token = "";
  let people = 0;
  beforeAll(async () => {
    smtp = await openSmtpServer();
    const env = { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: "svc <svc@svc.test>" };
    app = await openApp(dialect, env, testClock("2026-03-04T05:30:00Z")); // a Wednesday
    await link(app.ctx.data, "atlas");
    token = await app.mint(allScopes);
  });
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    await smtp[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    smtp.refuse = null;
    smtp.mails.length = 0;
  });

  const post = (path: string, json?: object, as = token) =>
    app.ask(`${base}${path}`, { method: "POST", token: as, ...(json && { json }) });
  const newest = (): ReceivedMail => must(smtp.mails.at(-1));
  const send = () => sendDueDigests(app.ctx);
  const fail = (summary: string) =>
    app.ctx.data.append([event({ project: "atlas", kind: "run.failed", summary, run_id: "run-7" })]);
  const digestOf = async (id: string) => must(await app.ctx.data.emailDigest(id));
  const statusOf = async (id: string) => (await digestOf(id)).status;

  async function add(fields: object = {}, as = token): Promise<EmailDigest> {
    const input = { address: `person-${++people}@example.com`, period: "daily", hour: 6, ...fields };
    const response = await post("/email-digests", input, as);
    expect(response.status).toBe(201);
    return (await response.json()) as EmailDigest;
  }
  async function subscribe(fields: object = {}, as = token): Promise<EmailDigest> {
    const digest = await add(fields, as);
    expect((await app.ask(linkIn(newest(), "confirm"), { method: "POST" })).status).toBe(200);
    smtp.mails.length = 0;
    return digest;
  }
  const remove = async ({ id }: EmailDigest) =>
    expect((await post(`/email-digests/${id}/remove`)).status).toBe(200);
  const nextMorning = () => {
    const start = app.clock.now();
    const morning = 6 * 60 * minuteMicros;
    app.clock.advance((Math.floor(start / dayMicros) + 1) * dayMicros + morning - start);
  };
  return {
    get app() {
      return app;
    },
    get smtp() {
      return smtp;
    },
    ...{ post, newest, send, fail, digestOf, statusOf, add, subscribe, remove, nextMorning },
  };
}
