/** Webhooks of Bitbucket Cloud. */

import { forges } from "../../../core/forges/schema.ts";
import { repositoryKeyPrefix } from "../../incoming-webhooks/dedupe-prefix.ts";
import { actorNamed, parseMapped } from "../../incoming-webhooks/mapping.ts";
import { json, type Sender } from "../../incoming-webhooks/sender.ts";
import { isHexHmac, piecesOf } from "../../incoming-webhooks/signatures.ts";
import { type Envelope, eventMappings } from "./mappings.ts";

export const bitbucket: Sender = {
  label: "Bitbucket",
  docs: "/docs/bitbucket",
  media: json,
  proof: "X-Hub-Signature",
  headers: { event: "X-Event-Key", id: "X-Request-UUID" },
  isAuthentic: ({ headers, bytes }, secret) =>
    isHexHmac(headers.get("x-hub-signature"), piecesOf(bytes), secret, { prefix: "sha256=" }),
  parse: (delivery) =>
    parseMapped<Envelope>(delivery, {
      mappings: eventMappings,
      source: "X-Event-Key",
      repositoryOf: ({ repository: { uuid, full_name } }) => ({
        forge: "bitbucket",
        host: forges.bitbucket.host,
        id: numberOfUuid(uuid),
        full_name,
      }),
      actorOf: ({ actor }) =>
        actor
          ? actorNamed(actor.type === "AppUser" ? "bot" : "human", actor.nickname || actor.display_name || "")
          : "bot:bitbucket",
      keyPrefix: repositoryKeyPrefix,
    }),
};

/** The first 48 bits of a random UUID, which tell repositories apart as well as a number can. */
function numberOfUuid(uuid: string): number | null {
  const digits = uuid.replace(/[{}-]/g, "");
  return /^[0-9a-f]{32}$/i.test(digits) ? Number.parseInt(digits.slice(0, 12), 16) || null : null;
}
