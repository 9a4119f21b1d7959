/** Parses a GitHub webhook delivery into an event, a repository rename, or a reason to ignore it. */
import type { TSchema } from "@sinclair/typebox";
import type { EventKind } from "../feed/schema.ts";
import { cleanLine } from "../lib/clean-text.ts";
import { checker } from "../lib/validate.ts";
import { badRequest } from "../problem.ts";
import type { Appendable } from "../rows.ts";
import {
  type Envelope,
  eventMappings,
  type MappedEvent,
  previousName,
  type Repository,
  RepositoryEvent,
} from "./github-mappings.ts";

/** Larger bodies are not stored with the event. */
const payloadBytesMax = 64 * 2 ** 10;
const urlLengthMax = 2048;

export interface Delivery {
  /** `X-GitHub-Event`. Headers are not signed, so the body is checked against it. */
  name: string;
  /** `X-GitHub-Delivery`. Not signed either, so it is only the secondary dedupe key. */
  id: string;
  /** The signed bytes. */
  bytes: Uint8Array;
  /** `bytes`, parsed as JSON. */
  body: unknown;
}

export type ParsedDelivery =
  | { event: Appendable; repository: Repository }
  | { repository: Repository; previousName: string }
  /** svc does not use this event, or not with this action. */
  | { ignored: string; because: "event" | "action" };

/**
 * Parses a delivery.
 * @throws 400 if the body does not match `X-GitHub-Event`
 */
export function parseDelivery(delivery: Delivery): ParsedDelivery {
  const { name, body } = delivery;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw badRequest("The webhook body must be a JSON object.");
  if (name === "repository") return parseRename(name, body);
  if (!Object.hasOwn(eventMappings, name))
    return { ignored: `event ${cleanLine(name, 64)} is not used`, because: "event" };
  const { schema, kinds, toEvent } = eventMappings[name as keyof typeof eventMappings];
  requireSchema(name, schema, body);
  const event = toEvent(body);
  const kind = Object.hasOwn(kinds, event.outcome) ? kinds[event.outcome] : undefined;
  if (!kind) return { ignored: `${name} ${cleanLine(event.outcome, 64)} is not used`, because: "action" };
  return { event: eventOf(delivery, kind, event), repository: (body as Envelope).repository };
}

function parseRename(name: string, body: object): ParsedDelivery {
  requireSchema(name, RepositoryEvent, body);
  const event = body as RepositoryEvent;
  const former = previousName(event);
  return former === null
    ? { ignored: `repository ${cleanLine(event.action, 64)} is not used`, because: "action" }
    : { repository: event.repository, previousName: former };
}

export function requireSchema(name: string, schema: TSchema, body: object): void {
  const check = checker(schema);
  if (!check.Check(body))
    throw badRequest(
      `The body does not match X-GitHub-Event: ${name}. Missing or invalid: ` +
        `${check.Errors(body).First()?.path}.`,
    );
}

function eventOf(
  { name, id, bytes, body }: Delivery,
  kind: EventKind,
  { outcome, summary, url, change, ...rest }: MappedEvent,
): Appendable {
  const { repository, sender } = body as Envelope;
  return {
    kind,
    actor: actorOf(sender),
    summary: cleanLine(summary, 1024),
    repo: repository.full_name,
    url: httpsUrl(url),
    ...rest,
    dedupe_key: `github:${changeKey(name, repository.id, outcome, change) ?? sha256(bytes)}`,
    delivery_id: id,
    // The signed text, so that the signature can be verified again. It contains GitHub's own time.
    payload: bytes.length <= payloadBytesMax ? new TextDecoder().decode(bytes) : { at: change.at },
  };
}

/** Returns a dedupe key made of signed fields, or null if the body has no time of the change. */
function changeKey(
  name: string,
  repository: number,
  outcome: string,
  { id, at, label }: MappedEvent["change"],
): string | null {
  return at ? [name, repository, id, outcome, at, label ?? ""].join(":") : null;
}

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

function actorOf({ login, type }: Envelope["sender"]): string {
  const name = cleanLine(login, 128).replaceAll(" ", "") || "unknown";
  return `${type === "Bot" ? "bot" : "human"}:${name}`;
}

/** Normalizes an https URL, which escapes line breaks and invisible characters; null for anything else. */
function httpsUrl(text: string | null | undefined): string | null {
  const url = URL.parse(text ?? "");
  return url?.protocol === "https:" && url.href.length <= urlLengthMax ? url.href : null;
}
