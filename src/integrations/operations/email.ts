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
} from "../email/schema.ts";

const operation = operationOf<IntegrationsContext>();

/** Digests tell others what the token may read. */
const scope = "webhooks:write";

export const listEmailDigests = operation({
  id: "listEmailDigests",
  tag: "webhooks",
  summary: "List email digests",
  description: "Those that your token added; an admin sees all.",
  scope,
  http: { method: "GET", path: "/email-digests" },
  input: Type.Object({}),
  output: EmailDigests,
  run: (ctx, _, caller) => listDigests(ctx, caller),
});

export const addEmailDigest = operation({
  id: "addEmailDigest",
  tag: "webhooks",
  summary: "Add an email digest",
  description:
    "Sends a mail to the address with a link to confirm. Once confirmed, it gets a daily or weekly digest " +
    "of waiting reviews, runs, failures, decisions and spend, as far as your token may read them.",
  scope,
  writes: true,
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
  id: "sendEmailDigest",
  tag: "webhooks",
  summary: "Send an email digest now",
  description: "What happened since the last one; the next one is sent as well. Makes a paused one active.",
  scope,
  writes: true,
  http: { method: "POST", path: "/email-digests/{id}/send", media: null, errors: [404, 409, 501] },
  input: EmailDigestPath,
  output: EmailDigestSent,
  run: sendDigestNow,
});

export const removeEmailDigest = operation({
  id: "removeEmailDigest",
  tag: "webhooks",
  summary: "Remove an email digest",
  description: "Nothing more is sent.",
  scope,
  writes: true,
  http: { method: "POST", path: "/email-digests/{id}/remove", media: null, errors: [404] },
  input: EmailDigestPath,
  output: EmailDigestRemoved,
  run: removeDigest,
});
