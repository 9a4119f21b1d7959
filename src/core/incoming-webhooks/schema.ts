/** The senders of webhooks: forges, and services that host previews. */
import { secrets, type Variable } from "../config-parsers.ts";
import { forgeNames, secretVariable } from "../forges/schema.ts";

/** The services that host previews, and the variable of each that has its secrets. */
export const previewServices = {
  vercel: secrets("Secrets of Vercel webhooks"),
  netlify: secrets("JWS secrets of Netlify notifications"),
  cloudflare: secrets("Secrets of Cloudflare notification webhooks"),
};
export type PreviewService = keyof typeof previewServices;

export const previewVariables = Object.fromEntries(
  Object.entries(previewServices).map(([name, variable]) => [secretVariable(name), variable]),
) as Record<ReturnType<typeof secretVariable<PreviewService>>, Variable<string[]>>;

/** Every service whose webhooks svc receives, at `/api/hooks/<name>`. */
export const senderNames = [...forgeNames, ...(Object.keys(previewServices) as PreviewService[])];
export type SenderName = (typeof senderNames)[number];
