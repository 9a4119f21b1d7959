/** What a fleet of agents finds: projects, tokens, assets that wait for reviews, and a webhook of each project. */
import type { Data } from "../../../src/api/port.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { generateToken, hashToken } from "../../../src/core/auth/token.ts";
import { pendingAsset } from "../growth/seed-projects.ts";
import { toldKinds } from "./receipts.ts";
import type { Plan } from "./sessions.ts";

export interface Size {
  projects: number;
  tokens: number;
  assets: number;
  /** Receives the webhooks. */
  receiver: string;
  secret: string;
}

export async function seedFleet(
  data: Data,
  { receiver, secret, ...size }: Size,
): Promise<Pick<Plan, "projects" | "tokens" | "assets">> {
  const projects = Array.from({ length: size.projects }, (_, index) => `project-${index}`);
  const tokens = Array.from({ length: size.tokens }, generateToken);
  const assets = Array.from({ length: size.assets }, (_, index) =>
    pendingAsset(projects[index % projects.length] as string, index),
  );
  await data.atomically(async (writes) => {
    for (const [index, slug] of projects.entries()) {
      await writes.linkProject({ slug, repo: `acme/${slug}` }, 1);
      await writes.addWebhook({
        ...{ id: `webhook-${index}`, name: null, owner: null, secret, created_at: 1, format: "json" },
        ...{ url: `${receiver}/${slug}`, filters: { project: [slug], kind: [...toldKinds] } },
      });
    }
    for (const [index, token] of tokens.entries()) {
      const row = { scopes: allScopes, projects: null, created_at: 1, expires_at: null };
      await writes.addToken({ name: `fleet-${index}`, hash: hashToken(token), ...row });
    }
    for (const asset of assets) await writes.addAsset(asset);
  });
  return { projects, tokens, assets: assets.map(({ id }) => id) };
}
