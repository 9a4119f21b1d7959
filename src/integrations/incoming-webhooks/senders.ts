/** The one table of webhook senders: HTTP, OpenAPI, the settings page and the documentation read it. */

import type { SenderName } from "../../core/incoming-webhooks/schema.ts";
import { paths } from "../../core/info.ts";
import { bitbucket } from "../forges/bitbucket/webhook.ts";
import { gitea } from "../forges/gitea/webhook.ts";
import { github } from "../forges/github/webhook.ts";
import { gitlab } from "../forges/gitlab/webhook.ts";
import { cloudflare } from "../previews/cloudflare.ts";
import { netlify } from "../previews/netlify.ts";
import { vercel } from "../previews/vercel.ts";
import type { Sender } from "./sender.ts";

export const senders: Record<SenderName, Sender> = {
  github,
  gitlab,
  gitea,
  bitbucket,
  vercel,
  netlify,
  cloudflare,
};

/** The environment variable with a sender's secret. */
export const secretVariable = (name: SenderName): string => `SVC_${name.toUpperCase()}_WEBHOOK_SECRET`;

/** The path that receives the webhooks of a sender. */
export const webhookPath = (name: SenderName): string => `${paths.hooks}/${name}`;
