/** What Vercel, Netlify and Cloudflare Pages send of a preview that is ready. */
import type { Payload } from "./forge-deliveries.ts";

export const vercel = (type: string, deployment: object = {}, payload: object = {}): Payload => ({
  ...{ id: `evt_${type}`, type, createdAt: 1_772_366_400_000, region: "sfo1" },
  payload: {
    ...{ team: { id: "team_1" }, user: { id: "user_1" }, project: { id: "prj_1" }, target: null },
    deployment: {
      ...{ id: "dpl_1", name: "atlas-web", url: "atlas-web-git-map.vercel.app" },
      meta: { githubOrg: "acme", githubRepo: "atlas", githubPrId: "12", githubCommitRef: "map" },
      ...deployment,
    },
    links: {
      deployment: "https://vercel.com/acme/atlas-web/1",
      project: "https://vercel.com/acme/atlas-web",
    },
    ...payload,
  },
});

export const netlify = (fields: object = {}): Payload => ({
  ...{ id: "63a1", site_id: "f00", build_id: "b1", name: "atlas", state: "ready", error_message: null },
  ...{ branch: "map", context: "deploy-preview", review_id: 12, deploy_time: 31, title: "Darker map" },
  ...{ commit_ref: "4f5e", commit_url: "https://github.com/acme/atlas/commit/4f5e" },
  ...{
    deploy_ssl_url: "https://deploy-preview-12--atlas.netlify.app",
    admin_url: "https://app.netlify.com/sites/atlas",
  },
  ...fields,
});

export const cloudflare = (fields: object = {}, data: object = {}): Payload => ({
  ...{ name: "Deployments", text: "Deployment of atlas succeeded", ts: 1_772_366_400 },
  ...{ account_id: "a1", policy_id: "p1", alert_type: "pages_event_alert" },
  data: {
    ...{ project_name: "atlas", environment: "ENVIRONMENT_PREVIEW", event: "EVENT_DEPLOYMENT_SUCCESS" },
    ...{ url: "https://4f5e.atlas.pages.dev", ...data },
  },
  ...fields,
});
