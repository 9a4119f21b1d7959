/** What svc has to know of a sender of webhooks; `senders.ts` lists them all. */
import type { SourceRepository } from "../../core/forges/schema.ts";
import type { Appendable } from "../../feed/rows.ts";
import type { Text } from "./event-text.ts";

/** A received request, before its signature was verified. */
export interface SignedRequest {
  headers: Headers;
  /** The body as it was sent. */
  bytes: Uint8Array;
  /** The JSON in the body, in pieces: of a form, its field `payload`. @throws 400 without that field */
  json(): Iterable<Uint8Array>;
  /** The time of receipt, in seconds since 1970. */
  seconds: number;
}

/** A delivery whose signature was verified. */
export interface Delivery {
  /** The event's name from a header, or "". Headers are not signed, so the body is checked against it. */
  name: string;
  /** The delivery's id from a header. Not signed either, so it is only the secondary dedupe key. */
  id: string | null;
  /** The signed bytes. */
  bytes: Uint8Array;
  /** The JSON of the body, parsed. */
  body: object;
}

/** What a delivery says, before the project is known. */
export type ParsedDelivery =
  /**
   * `repository` is null if the sender names none: then the webhook's URL names the project. `branch`: whose
   * name can tell the issue of events that name none. `at`: the sender's time of the change.
   */
  | { events: Appendable[]; repository: SourceRepository | null; branch?: Text; at?: Text }
  | { repository: SourceRepository; previousName: string }
  | { owner: RenamedOwner }
  | { setup: SetupReport }
  /** svc does not use this event, or not with this action. */
  | { ignored: string; because: "event" | "action" };

/** A user or an organization has another name, and so have its repositories. */
export interface RenamedOwner extends Pick<SourceRepository, "forge" | "host"> {
  from: string;
  to: string;
}

/** The first delivery of a new webhook: what it is set up to send. */
export interface SetupReport {
  repository: SourceRepository | null;
  /** Names of the events that svc uses. */
  supported: string[];
  sends(name: string): boolean;
}

export interface Sender {
  label: string;
  /** Path of the page that describes the setup. */
  docs: string;
  /** Media types of its bodies. */
  media: readonly string[];
  /** The header that proves the sender, for error messages. */
  proof: string;
  /** Headers with the event's name and the delivery's id; without the first the body names the event. */
  headers: { event?: string; id?: string };
  /** Reads one of these, where others mean the same. */
  headerOf?(headers: Headers, name: string): string | null;
  /** A name of an event, for the documentation. */
  eventExample?: string;
  /** Whether the request was sent by who knows the secret. Compares in constant time. */
  isAuthentic(request: SignedRequest, secret: string): boolean | Promise<boolean>;
  /** Why the request belongs to another URL; null if it does not. */
  misdirected?(headers: Headers): string | null;
  /** @throws 400 if the body does not match its event */
  parse(delivery: Delivery): ParsedDelivery;
}

export const json = ["application/json"] as const;
export const jsonOrForm = ["application/json", "application/x-www-form-urlencoded"] as const;
