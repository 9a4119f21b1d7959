/** Operations on email digests. */

import { Type } from "@sinclair/typebox";
import { operationOf } from "../../core/operation.ts";
import type { IntegrationsContext } from "../context.ts";
import { addDigest, listDigests, removeDigest, sendDigestNow } from "../email/digests.ts";
import {
  EmailDigest,
  EmailDigestInput,
  EmailDigestPath,
  EmailDigestRemoved,
  EmailDigestSent,
  EmailDigests,
  TestMailInput,
  TestMailSent,
} from "../email/schema.ts";
import { sendTestMail as sendTest } from "../email/test-mail.ts";

const operation = operationOf<IntegrationsContext>("webhooks");

/** Digests tell others what the token may read; in a browser, people decide that for themselves. */
const shared = { scope: "webhooks:write", isPersonal: true } as const;

export const listEmailDigests = operation({
  ...shared,
  id: "listEmailDigests",
  summary: "List email digests",
  description: "Those that your token added; an admin sees all.",
  http: { method: "GET", path: "/email-digests" },
  input: Type.Object({}),
  output: EmailDigests,
  run: (ctx, _, caller) => listDigests(ctx, caller),
});

export const addEmailDigest = operation({
  ...shared,
  id: "addEmailDigest",
  summary: "Add an email digest",
  description:
    "Sends a mail to the address with a link to confirm. Once confirmed, it gets a daily or weekly digest " +
    "of waiting reviews, runs, failures, decisions and spend, as far as your token may read them.",
  http: {
    method: "POST",
    path: "/email-digests",
    body: "EmailDigestInput",
    status: 201,
    errors: [404, 409, 501],
  },
  input: EmailDigestInput,
  output: EmailDigest,
  run: addDigest,
});

export const sendEmailDigest = operation({
  ...shared,
  id: "sendEmailDigest",
  summary: "Send an email digest now",
  description: "What happened since the last one; the next one is sent as well. Makes a paused one active.",
  http: { method: "POST", path: "/email-digests/{id}/send", media: null, errors: [404, 409, 501] },
  input: EmailDigestPath,
  output: EmailDigestSent,
  run: sendDigestNow,
});

export const sendTestMail = operation({
  id: "sendTestMail",
  summary: "Send a test mail",
  description: "One mail to an address, to see whether the mail server takes it. For admins.",
  scope: "public",
  token: "admin",
  http: { method: "POST", path: "/test-mails", body: "TestMailRequest", errors: [401, 403, 501] },
  input: TestMailInput,
  output: TestMailSent,
  run: sendTest,
});

export const removeEmailDigest = operation({
  ...shared,
  id: "removeEmailDigest",
  summary: "Remove an email digest",
  description: "Nothing more is sent.",
  http: { method: "POST", path: "/email-digests/{id}/remove", media: null, errors: [404] },
  input: EmailDigestPath,
  output: EmailDigestRemoved,
  run: removeDigest,
});
