/** What a webhook delivery of GitHub means: an event, a rename of its repository, or nothing that is used. */
import type { TSchema } from "@sinclair/typebox";
import type { EventKind } from "../feed/schema.ts";
import { checker } from "../lib/validate.ts";
import { badRequest } from "../problem.ts";
import type { Appendable } from "../rows.ts";
import { cut } from "./clean-text.ts";
import {
  type Envelope,
  formerName,
  mappings,
  type Repository,
  RepositoryEvent,
  type Told,
} from "./github-mappings.ts";

/** Larger deliveries are kept without their text. */
const payloadBytesMax = 64 * 2 ** 10;
const urlLengthMax = 2048;

export interface Delivery {
  /** `X-GitHub-Event`. Nobody signs a header, so the body must fit it. */
  name: string;
  /** `X-GitHub-Delivery`. Unsigned as well, so it is only a second key. */
  id: string;
  /** What is signed. */
  bytes: Uint8Array;
  /** What the bytes say. */
  body: unknown;
}

export type Meaning =
  | { event: Appendable; repository: Repository }
  | { repository: Repository; formerName: string }
  /** What is used of neither the event nor the action. */
  | { ignored: string; because: "event" | "action" };

/** Throws 400 where the body does not fit the name. */
export function readDelivery(delivery: Delivery): Meaning {
  const { name, body } = delivery;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw badRequest("A delivery is a JSON object.");
  if (name === "repository") return readRename(name, body);
  if (!Object.hasOwn(mappings, name))
    return { ignored: `event ${cut(name, 64)} is not used`, because: "event" };
  const { schema, kinds, tell } = mappings[name as keyof typeof mappings];
  requireFit(name, schema, body);
  const told = tell(body);
  const kind = Object.hasOwn(kinds, told.outcome) ? kinds[told.outcome] : undefined;
  if (!kind) return { ignored: `${name} ${cut(told.outcome, 64)} is not used`, because: "action" };
  return { event: eventOf(delivery, kind, told), repository: (body as Envelope).repository };
}

function readRename(name: string, body: object): Meaning {
  requireFit(name, RepositoryEvent, body);
  const event = body as RepositoryEvent;
  const former = formerName(event);
  return former === null
    ? { ignored: `repository ${cut(event.action, 64)} is not used`, because: "action" }
    : { repository: event.repository, formerName: former };
}

export function requireFit(name: string, schema: TSchema, body: object): void {
  const check = checker(schema);
  if (!check.Check(body))
    throw badRequest(
      `The body does not fit X-GitHub-Event: ${name}; see its ${check.Errors(body).First()?.path}.`,
    );
}

function eventOf(
  { name, id, bytes, body }: Delivery,
  kind: EventKind,
  { outcome, summary, url, change, ...rest }: Told,
): Appendable {
  const { repository, sender } = body as Envelope;
  return {
    kind,
    actor: actorOf(sender),
    summary: cut(summary, 1024),
    repo: repository.full_name,
    url: httpsOf(url),
    ...rest,
    dedupe_key: `github:${signedKey(name, repository.id, outcome, change) ?? sha256(bytes)}`,
    delivery_id: id,
    // The text that was signed, so that it can be checked again; it holds the time that the delivery claims.
    payload: bytes.length <= payloadBytesMax ? new TextDecoder().decode(bytes) : { at: change.at },
  };
}

/** Names the change by what is signed of it; null where the body does not say when it was. */
function signedKey(
  name: string,
  repository: number,
  outcome: string,
  { id, at, label }: Told["change"],
): string | null {
  return at ? [name, repository, id, outcome, at, label ?? ""].join(":") : null;
}

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

function actorOf({ login, type }: Envelope["sender"]): string {
  const name = cut(login, 128).replaceAll(" ", "") || "unknown";
  return `${type === "Bot" ? "bot" : "human"}:${name}`;
}

/** The address as it is sent: a line break or an invisible character in one does not come through. */
function httpsOf(text: string | null | undefined): string | null {
  const url = URL.parse(text ?? "");
  return url?.protocol === "https:" && url.href.length <= urlLengthMax ? url.href : null;
}
