/** The commands of the checklist, with the URL of this deployment and the project filled in. */
import type { Config } from "../../core/config.ts";
import { secretVariable } from "../../core/forges/schema.ts";
import { webhookPath } from "../../integrations/incoming-webhooks/senders.ts";
import type { Setup } from "../../overview/projects/setup.ts";

export function commandsFor(
  { siteUrl }: Pick<Config, "siteUrl">,
  { project, pendingAsset }: Pick<Setup, "project" | "pendingAsset">,
) {
  const { slug, forge, host, repo } = project;
  const place = forge === "github" ? "" : ` --forge ${forge} --host ${host}`;
  return {
    link: `svc project link ${slug} --repo ${repo}${place}`,
    connect: `svc connect --project ${slug}`,
    createToken: `svc token create laptop --role agent --project ${slug}`,
    connectRemote: `svc login ${siteUrl}
svc connect --project ${slug}`,
    report: `svc event add --project ${slug} --actor agent:codex --run-id run-7 \\
  --kind run.finished --summary "Run 7: 12 files changed"`,
    upload: `echo '<h1>Nine berths</h1>' > berths.html
svc asset push berths.html --project ${slug} --title "Map of the berths"`,
    review: `svc asset review ${pendingAsset} rejected --note "Berth 4 is missing."`,
    brief: `svc brief ${slug} "draw the map of the berths again"`,
    secret: `export ${secretVariable(forge)}=$(openssl rand -hex 32)`,
    webhook: siteUrl + webhookPath(forge),
  };
}
