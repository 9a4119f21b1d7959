/** GitHub's webhooks and its REST API. */
import { type Static, Type } from "@sinclair/typebox";
import { forges, type SourceRepository } from "../../../core/forges/schema.ts";
import { cleanLine } from "../../../core/lib/strings/clean-text.ts";
import { Nullable } from "../../../core/wire.ts";
import {
  actorNamed,
  hostOfUrl,
  OptionalText,
  parseMapped,
  requireSchema,
} from "../../incoming-webhooks/mapping.ts";
import { type Delivery, jsonOrForm, type ParsedDelivery } from "../../incoming-webhooks/sender.ts";
import { isHexHmac, piecesOf } from "../../incoming-webhooks/signatures.ts";
import { type Forge, type ForgeIssues, htmlMark, type TaskPlace } from "../forge.ts";
import { type Envelope, envelope } from "./envelope.ts";
import { eventMappings } from "./events.ts";
import page from "./page.md" with { type: "text" };

/** Gitea, Forgejo and Gogs also send GitHub's headers, but with other bodies. */
const foreignHeaders = ["x-gitea-event", "x-forgejo-event", "x-gogs-event"];

/** Names of the events that svc uses: those that add events, and renames of repositories. */
const supportedEvents = [...Object.keys(eventMappings), "repository"];

const source = "X-GitHub-Event";

const pageLength = 100;

const pathOf = ({ repo, number }: TaskPlace): string => `/repos/${repo}/issues/${number}`;

/** Issues and pull requests in GitHub's REST API, which treats a pull request as an issue. */
const issues: ForgeIssues = {
  headers: (token) => ({
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    "x-github-api-version": "2022-11-28",
  }),
  mark: htmlMark,
  async listComments(call, task, page) {
    const query = `per_page=${pageLength}&page=${page}`;
    const comments = (await call("GET", `${pathOf(task)}/comments?${query}`)) as { body?: string }[];
    return { bodies: comments.map(({ body }) => body), isLast: comments.length < pageLength };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/comments`, { body }),
  /** GitHub answers 422 for a merged pull request. */
  async reopen(call, task) {
    const { state } = (await call("GET", pathOf(task))) as { state?: string };
    if (state === "closed") await call("PATCH", pathOf(task), { state: "open" });
  },
};

export const github: Forge = {
  page,
  label: "GitHub",
  docs: "/docs/forges#github",
  media: jsonOrForm,
  proof: "X-Hub-Signature-256",
  headers: { event: source, id: "X-GitHub-Delivery" },
  isAuthentic: ({ headers, bytes }, secret) =>
    isHexHmac(headers.get("x-hub-signature-256"), piecesOf(bytes), secret, { prefix: "sha256=" }),
  misdirected: (headers) =>
    foreignHeaders.some((name) => headers.has(name))
      ? "This webhook comes from Gitea, Forgejo or Gogs. Those of Gitea and Forgejo go to /api/hooks/gitea."
      : null,
  parse(delivery) {
    if (delivery.name === "ping") return parsePing(delivery.body);
    if (delivery.name === "repository") return parseRename(delivery);
    if (delivery.name === "organization") return parseOrganization(delivery);
    return parseMapped<Envelope>(delivery, {
      mappings: eventMappings,
      source,
      repositoryOf: ({ repository }) => sourceOf(repository),
      actorOf: ({ sender: { login, type } }) => actorNamed(type === "Bot" ? "bot" : "human", login),
      // From before there were other forges.
      keyPrefix: "github:",
    });
  },
  issues,
};

const sourceOf = ({ id, full_name, html_url }: Envelope["repository"]): SourceRepository => ({
  forge: "github",
  host: hostOfUrl(html_url, forges.github.host),
  id,
  full_name,
});

function parsePing(body: object): ParsedDelivery {
  requireSchema(`${source}: ping`, Ping, body);
  const { hook, repository } = body as Ping;
  const sends = (name: string) => !hook || hook.events.includes("*") || hook.events.includes(name);
  return {
    setup: { repository: repository ? sourceOf(repository) : null, supported: supportedEvents, sends },
  };
}

function parseRename({ name, body }: Delivery): ParsedDelivery {
  requireSchema(`${source}: ${name}`, RepositoryEvent, body);
  const event = body as RepositoryEvent;
  const former = previousName(event);
  return former === null
    ? { ignored: `repository ${cleanLine(event.action, 64)} is not used`, because: "action" }
    : { repository: sourceOf(event.repository), previousName: former };
}

/** Of a webhook of an organization. */
const OrganizationEvent = Type.Object({
  action: Type.String(),
  organization: Type.Object({ login: Type.String() }),
  changes: Type.Optional(Type.Object({ login: Type.Optional(Type.Object({ from: Type.String() })) })),
  sender: Type.Object({ html_url: OptionalText }),
});

function parseOrganization({ name, body }: Delivery): ParsedDelivery {
  requireSchema(`${source}: ${name}`, OrganizationEvent, body);
  const { action, organization, changes, sender } = body as Static<typeof OrganizationEvent>;
  const from = changes?.login?.from;
  if (action !== "renamed" || from === undefined)
    return { ignored: `organization ${cleanLine(action, 64)} is not used`, because: "action" };
  const host = hostOfUrl(sender.html_url, forges.github.host);
  return { owner: { forge: "github", host, from, to: organization.login } };
}

const Login = Type.Optional(Nullable(Type.Object({ login: Type.String() })));

/** A repository was renamed or transferred; `full_name` is the new name. */
const RepositoryEvent = Type.Object({
  action: Type.String(),
  changes: Type.Optional(
    Type.Object({
      repository: Type.Optional(Type.Object({ name: Type.Object({ from: Type.String() }) })),
      owner: Type.Optional(Type.Object({ from: Type.Object({ user: Login, organization: Login }) })),
    }),
  ),
  ...envelope,
});

type RepositoryEvent = Static<typeof RepositoryEvent>;

/** Returns `owner/name` from before a rename or transfer, or null for any other action. */
function previousName({ action, changes, repository }: RepositoryEvent): string | null {
  const [owner, name] = repository.full_name.split("/");
  const from = changes?.owner?.from;
  const formerOwner = (from?.user ?? from?.organization)?.login;
  if (action === "renamed" && changes?.repository) return `${owner}/${changes.repository.name.from}`;
  return action === "transferred" && formerOwner ? `${formerOwner}/${name}` : null;
}

/** The first delivery of a new webhook. It lists the events the webhook is set up to send. */
const Ping = Type.Object({
  hook: Type.Optional(Type.Object({ events: Type.Array(Type.String()) })),
  // An organization's webhook has no repository.
  repository: Type.Optional(envelope.repository),
  zen: OptionalText,
});

type Ping = Static<typeof Ping>;
