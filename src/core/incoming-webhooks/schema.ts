/** The senders of webhooks, and the responses to their deliveries. */

/** Every service whose webhooks svc receives, at `/api/hooks/<name>`. */
export const senderNames = [
  "github",
  "gitlab",
  "gitea",
  "bitbucket",
  "vercel",
  "netlify",
  "cloudflare",
] as const;
export type SenderName = (typeof senderNames)[number];
