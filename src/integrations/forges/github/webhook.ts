/** GitHub's webhooks: the signature, and what their deliveries mean. */

import { forges, type SourceRepository } from "../../../core/forges/schema.ts";
import { cleanLine } from "../../../core/lib/strings/clean-text.ts";
import { actorNamed, hostOfUrl, parseMapped, requireSchema } from "../../incoming-webhooks/mapping.ts";
import {
  type Delivery,
  jsonOrForm,
  type ParsedDelivery,
  type Sender,
} from "../../incoming-webhooks/sender.ts";
import { isHexHmac, piecesOf } from "../../incoming-webhooks/signatures.ts";
import type { Envelope } from "./envelope.ts";
import { eventMappings } from "./mappings.ts";
import { Ping, previousName, RepositoryEvent } from "./repository-events.ts";

/** Gitea, Forgejo and Gogs also send GitHub's headers, but with other bodies. */
const foreignHeaders = ["x-gitea-event", "x-forgejo-event", "x-gogs-event"];

/** Names of the events that svc uses: those that add events, and renames of repositories. */
const supportedEvents = [...Object.keys(eventMappings), "repository"];

const source = "X-GitHub-Event";

export const github: Sender = {
  label: "GitHub",
  docs: "/docs/github",
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
    return parseMapped<Envelope>(delivery, {
      mappings: eventMappings,
      source,
      repositoryOf: ({ repository }) => sourceOf(repository),
      actorOf: ({ sender: { login, type } }) => actorNamed(type === "Bot" ? "bot" : "human", login),
      keyPrefix: () => "github:",
    });
  },
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
