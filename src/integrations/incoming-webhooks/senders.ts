/** The one table of webhook senders: HTTP, OpenAPI, the settings page and the documentation read it. */
import type { SenderName } from "../../core/forges/schema.ts";
import { paths } from "../../core/info.ts";
import { forgesByName } from "../forges/forges.ts";
import { cloudflare } from "../previews/cloudflare.ts";
import { netlify } from "../previews/netlify.ts";
import { vercel } from "../previews/vercel.ts";
import type { Sender } from "./sender.ts";

export const senders: Record<SenderName, Sender> = { ...forgesByName, vercel, netlify, cloudflare };

/** The path that receives the webhooks of a sender. */
export const webhookPath = (name: SenderName): string => `${paths.hooks}/${name}`;
