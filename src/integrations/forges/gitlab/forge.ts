/**
 * GitLab's webhooks and its REST API. After four failed deliveries in a row GitLab turns a webhook off, so a
 * genuine delivery is never refused for what it says.
 */
import { forges } from "../../../core/forges/schema.ts";
import { actorNamed, hostOfUrl, parseMapped } from "../../incoming-webhooks/mapping.ts";
import { json, type SignedRequest } from "../../incoming-webhooks/sender.ts";
import { isSecret, isStandardWebhook, signingTokenPrefix } from "../../incoming-webhooks/signatures.ts";
import { type Forge, type ForgeIssues, htmlMark, type TaskPlace } from "../forge.ts";
import type { Envelope } from "./envelope.ts";
import { eventMappings } from "./events.ts";
import page from "./page.md" with { type: "text" };
import { withProject } from "./pipelines.ts";

/** The users that access tokens of projects and groups, and service accounts, act as. */
const botName = /^((project|group)_\d+_bot|service_account_)/;

const pageLength = 100;

const pathOf = ({ repo, number, is_pull }: TaskPlace): string =>
  `/projects/${encodeURIComponent(repo)}/${is_pull ? "merge_requests" : "issues"}/${number}`;

/** Issues and merge requests, whose comments are notes. */
const issues: ForgeIssues = {
  headers: (token) => ({ "private-token": token }),
  mark: htmlMark,
  async listComments(call, task, page) {
    const query = `per_page=${pageLength}&page=${page}`;
    const notes = (await call("GET", `${pathOf(task)}/notes?${query}`)) as { body?: string }[];
    return { bodies: notes.map(({ body }) => body), isLast: notes.length < pageLength };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/notes`, { body }),
  /** A merged merge request has the state `merged`. */
  async reopen(call, task) {
    const { state } = (await call("GET", pathOf(task))) as { state?: string };
    if (state === "closed") await call("PUT", pathOf(task), { state_event: "reopen" });
  },
};

export const gitlab: Forge = {
  page,
  label: "GitLab",
  docs: "/docs/forges#gitlab",
  media: json,
  proof: "X-Gitlab-Token or webhook-signature",
  headers: { id: "Idempotency-Key" },
  isAuthentic,
  parse(delivery) {
    const { object_kind } = delivery.body as { object_kind?: unknown };
    const name = typeof object_kind === "string" ? object_kind : "";
    return parseMapped<Envelope>(
      { ...delivery, name, body: withProject(delivery.body) },
      {
        mappings: eventMappings,
        source: "object_kind",
        ignoresMismatch: true,
        repositoryOf: ({ project: { id, path_with_namespace, web_url } }) => ({
          forge: "gitlab",
          host: hostOfUrl(web_url, forges.gitlab.host),
          id,
          full_name: path_with_namespace,
        }),
        actorOf: ({ user }) =>
          user ? actorNamed(botName.test(user.username) ? "bot" : "human", user.username) : "bot:gitlab",
      },
    );
  },
  issues,
};

/**
 * A request that carries a signature has to pass by its signature; the secret token counts only without one.
 * A signing token is never accepted as a secret token: it would be sent in clear.
 */
function isAuthentic({ headers, bytes, seconds }: SignedRequest, secret: string): boolean | Promise<boolean> {
  const isSigningToken = secret.startsWith(signingTokenPrefix);
  if (headers.has("webhook-signature"))
    return isSigningToken && isStandardWebhook(headers, bytes, secret, seconds);
  return !isSigningToken && isSecret(headers.get("x-gitlab-token"), secret);
}

/** Issues and merge requests in GitLab's REST API (https://docs.gitlab.com/api/notes/). */
/** The path of a project is one segment, with its slashes escaped. */
