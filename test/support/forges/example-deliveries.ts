/** A delivery of each webhook sender that becomes an event, and one that lacks its proof. */
import { fixture, forgeDelivery } from "./forge-deliveries.ts";
import { cloudflare, netlify, vercel } from "./preview-bodies.ts";

export type OtherSender = Parameters<typeof forgeDelivery>[0];

const examples: Record<OtherSender, { event?: string; body(): Promise<unknown> | unknown }> = {
  gitlab: { event: "Issue Hook", body: () => fixture("gitlab/issue") },
  gitea: { event: "issues", body: () => fixture("gitea/issues-event") },
  bitbucket: { event: "issue:created", body: () => fixture("bitbucket/issue-created") },
  vercel: { body: () => vercel("deployment.succeeded") },
  netlify: { body: () => netlify() },
  cloudflare: { body: () => cloudflare() },
};

export const exampleDeliveryOf = async (sender: OtherSender): Promise<RequestInit> => {
  const { body, ...options } = examples[sender];
  return forgeDelivery(sender, await body(), options);
};

const proofs = [
  ...["x-gitlab-token", "x-gitea-signature", "x-hub-signature-256", "x-hub-signature"],
  ...["x-vercel-signature", "x-webhook-signature", "cf-webhook-auth"],
];

export function withoutProof({ headers, ...rest }: RequestInit): RequestInit {
  const kept = new Headers(headers);
  for (const name of proofs) kept.delete(name);
  return { ...rest, headers: kept };
}
