/** Webhooks of Gitea and of Forgejo, which began as a copy of it and sends the same headers. */

import { forges } from "../../../core/forges/schema.ts";
import { repositoryKeyPrefix } from "../../incoming-webhooks/dedupe-prefix.ts";
import { actorNamed, hostOfUrl, parseMapped } from "../../incoming-webhooks/mapping.ts";
import { jsonOrForm, type Sender } from "../../incoming-webhooks/sender.ts";
import { isHexHmac } from "../../incoming-webhooks/signatures.ts";
import type { Envelope } from "./envelope.ts";
import { eventMappings } from "./mappings.ts";

/** The users that workflows act as. */
const botName = /^(gitea|forgejo)-actions$|\[bot\]$/;

export const gitea: Sender = {
  label: "Gitea",
  docs: "/docs/gitea",
  media: jsonOrForm,
  proof: "X-Gitea-Signature",
  headers: { event: "X-Gitea-Event", id: "X-Gitea-Delivery" },
  // Unlike GitHub, they sign the JSON also when they send it in a form. Without a secret the header is empty.
  isAuthentic: ({ headers, json }, secret) => isHexHmac(headers.get("x-gitea-signature"), json(), secret),
  misdirected: (headers) =>
    headers.has("x-gitea-event")
      ? null
      : "This webhook has no X-Gitea-Event header. Is it of Gitea or Forgejo?",
  parse: (delivery) =>
    parseMapped<Envelope>(delivery, {
      mappings: eventMappings,
      source: "X-Gitea-Event",
      repositoryOf: ({ repository: { id, full_name, html_url } }) => ({
        forge: "gitea",
        host: hostOfUrl(html_url, forges.gitea.host),
        id,
        full_name,
      }),
      actorOf: ({ sender: { login } }) => actorNamed(botName.test(login) ? "bot" : "human", login),
      keyPrefix: repositoryKeyPrefix,
    }),
};
