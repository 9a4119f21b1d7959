/** Deliveries of every sender of webhooks, rightly signed, of which any members are anything. */
import fc, { type Arbitrary } from "fast-check";
import { fixture, forgeDelivery } from "../support/forges/forge-deliveries.ts";
import { delivery, examples, type Payload } from "../support/forges/github-webhooks.ts";
import type { FuzzedRequest } from "./requests.ts";
import { anything } from "./schema.ts";

const mappedNames = /^(issues|pull_request|pull_request_review|workflow_run|check_run|deployment_status)$/;

interface Sent {
  body: Payload;
  path: string;
  send(body: Payload): RequestInit;
}

const ofGithub: Sent[] = examples
  .filter(({ name }) => mappedNames.test(name))
  .map(({ name, body }) => ({ body, path: "/api/hooks/github", send: (bent) => delivery(name, bent) }));

const kept = [
  ["gitlab", "", ["issue", "merge_request", "pipeline", "deployment"]],
  ["gitea", "issues", ["issues-event", "issue-label-event"]],
  ["gitea", "pull_request", ["pull-request-event"]],
  ["gitea", "pull_request_comment", ["pull-request-review-event"]],
  ["bitbucket", "issue:updated", ["issue-updated"]],
  ["bitbucket", "pullrequest:approved", ["pull-request-approved"]],
  ["bitbucket", "repo:commit_status_updated", ["repo-commit-status-updated"]],
] as const;
const ofForges: Sent[] = await Promise.all(
  kept.flatMap(([sender, event, names]) =>
    names.map(async (name) => ({
      body: await fixture(`${sender}/${name}`),
      path: `/api/hooks/${sender}?project=atlas`,
      send: (bent: Payload) => forgeDelivery(sender, bent, { event }),
    })),
  ),
);

const deployment = { id: "dpl_1", url: "atlas.vercel.app", name: "atlas", meta: { githubPrId: "1" } };
const ofPreviews: Sent[] = (
  [
    ["vercel", { type: "deployment.ready", payload: { target: null, deployment, links: {} } }],
    ["netlify", { id: "1", state: "ready", branch: "map", commit_url: "https://github.com/a/b/commit/1" }],
    ["cloudflare", { alert_type: "pages_event_alert", text: "success", data: { project_name: "atlas" } }],
  ] as const
).map(([sender, body]) => ({
  ...{ body, path: `/api/hooks/${sender}?project=atlas` },
  send: (bent) => forgeDelivery(sender, bent),
}));

/** Every place in a value, by the object and the key that hold it. */
function* placesOf(value: Payload): Generator<[Payload, string]> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield [value, key];
    yield* placesOf(value[key]);
  }
}

const change = fc.record({ at: fc.nat(), to: fc.option(anything, { freq: 5 }) });

export const anyDelivery: Arbitrary<FuzzedRequest> = fc
  .tuple(
    fc.oneof(...[ofGithub, ofForges, ofPreviews].map((sent) => fc.constantFrom(...sent))),
    fc.array(change, { maxLength: 3 }),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([{ body, path, send }, changes, chance]) => {
    const bent = structuredClone(body);
    if (chance && bent.repository?.full_name) bent.repository.full_name = "acme/atlas";
    for (const { at, to } of changes) {
      // Most of a payload is never looked at, so what stands high is bent more often.
      const places = [...placesOf(bent)];
      const [holder, key] = places[at % (at % 2 ? places.length : Math.min(places.length, 60))] ?? [{}, ""];
      if (to === null) delete holder[key];
      else holder[key] = structuredClone(to); // a later mutation may change it, and it is shared
    }
    const { headers, body: sent } = send(bent);
    return {
      ...{ path, method: "POST", body: sent as string },
      headers: Object.fromEntries(headers as [string, string][]),
    };
  });
