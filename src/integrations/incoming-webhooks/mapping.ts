/** Maps webhook bodies to feed events, by a table with one entry for each event of a sender that is used. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { SourceRepository } from "../../core/forges/schema.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { checker } from "../../core/lib/validate.ts";
import { badRequest } from "../../core/problem.ts";
import { DateTime, Nullable } from "../../core/wire.ts";
import { webhookKeyPrefix } from "../../feed/reserved-keys.ts";
import type { Appendable } from "../../feed/rows.ts";
import type { EventKind } from "../../feed/schema.ts";
import { cleanEvent, type Text, type UncleanEvent } from "./event-text.ts";
import { eventsOfPipeline, type PipelineRun } from "./pipeline-run.ts";
import type { Delivery, ParsedDelivery } from "./sender.ts";
import { sha256 } from "./signatures.ts";

/** Larger bodies are not stored with the event. */
const payloadBytesMax = 64 * 2 ** 10;

/** Addresses of people whom no admin added are not stored. */
const email = /(?<!\\)[^\s"\\<>@:;,()]{1,64}@[^\s"\\<>@]{1,189}/g;
const withoutEmails = (json: string): string => json.replace(email, "…");

export const ObjectId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const OptionalText = Type.Optional(Nullable(Type.String()));
export const OptionalDateTime = Type.Optional(Nullable(DateTime()));
export const Absent = Type.Optional(Type.Never());

/** What a webhook body says about the event. */
export interface MappedEvent extends Pick<Appendable, "issue" | "pr" | "duration_ms"> {
  /** What happened to the object. An outcome that `kinds` does not list adds no event. */
  outcome: string;
  summary: string;
  url: Text;
  /**
   * Identifies the change from signed fields, for the dedupe key: the object, when it changed, and a detail
   * such as the label, because two labels can be added at the same time.
   */
  change: { id: number | string; at: Text; detail?: number | string | undefined };
  /** Events of a pipeline's run, whatever the outcome. */
  run?: PipelineRun | undefined;
  /** The branch of the repository that it ran for: its name can tell the issue. */
  branch?: Text;
}

interface EventMapping<T extends TProperties, E extends TProperties> {
  /** Fields that identify a body of this event: similar events lack them. */
  members: T;
  /** Event kind by outcome. */
  kinds: Record<string, EventKind>;
  toEvent(body: Static<TObject<T & E>>): MappedEvent;
}

interface Mapping {
  schema: TSchema;
  kinds: Record<string, EventKind>;
  // biome-ignore lint/suspicious/noExplicitAny: the table mixes body types; `schema` is checked first
  toEvent(body: any): MappedEvent;
}

/** Returns the function that defines the mappings of a sender. @param envelope fields that every body has */
export const mappingWith =
  <E extends TProperties>(envelope: E) =>
  <T extends TProperties>({ members, kinds, toEvent }: EventMapping<T, E>): Mapping => ({
    schema: Type.Object({ ...members, ...envelope }),
    kinds,
    toEvent,
  });

/** How to read what the bodies of one sender have in common. */
interface MappedSender<E> {
  mappings: Record<string, Mapping>;
  /** Where the event's name is, for error messages. */
  source: string;
  repositoryOf(body: E): SourceRepository;
  actorOf(body: E): string;
  /** How keys begin that identify a change, if not with the forge and its host. */
  keyPrefix?: string;
  /** Ignore a body that does not match its event, for senders that turn a webhook off after errors. */
  ignoresMismatch?: boolean;
}

/**
 * Parses a delivery with the mappings of its sender.
 * @throws 400 if the body does not match its event
 */
export function parseMapped<E>(delivery: Delivery, mapped: MappedSender<E>): ParsedDelivery {
  const { name, body } = delivery;
  const mapping = Object.hasOwn(mapped.mappings, name) ? mapped.mappings[name] : undefined;
  if (!mapping) return { ignored: `event ${cleanLine(name, 64)} is not used`, because: "event" };
  if (mapped.ignoresMismatch && !checker(mapping.schema).Check(body))
    return { ignored: mismatch(`${mapped.source}: ${name}`, mapping.schema, body), because: "event" };
  requireSchema(`${mapped.source}: ${name}`, mapping.schema, body);
  const { outcome, summary, url, change, run, branch = null, ...rest } = mapping.toEvent(body);
  const kind = Object.hasOwn(mapping.kinds, outcome) ? mapping.kinds[outcome] : undefined;
  if (!kind && !run) return { ignored: `${name} ${cleanLine(outcome, 64)} is not used`, because: "action" };
  const repository = mapped.repositoryOf(body as E);
  const { keyPrefix = `${webhookKeyPrefix}${repository.forge}:${repository.host}:` } = mapped;
  const runEvents = run ? eventsOfPipeline(run, repository, keyPrefix) : [];
  const { id, at, detail } = change;
  if (!kind) return { events: runEvents, repository, branch, at };
  const key = at ? [name, repository.id, id, outcome, at, detail ?? ""].join(":") : sha256(delivery.bytes);
  const dedupe_key = keyPrefix + key;
  const actor = mapped.actorOf(body as E);
  const ofRun = run && { run_id: run.id };
  const event = { kind, actor, summary, url, repo: repository.full_name, ...rest, ...ofRun, dedupe_key };
  return { events: [...runEvents, signedEvent(event, delivery, at)], repository, branch, at };
}

/** @param source how the message names what the body does not match */
export function requireSchema(source: string, schema: TSchema, body: object): void {
  if (!checker(schema).Check(body)) throw badRequest(mismatch(source, schema, body));
}

const mismatch = (source: string, schema: TSchema, body: object): string =>
  `The body does not match ${source}. Missing or invalid: ${checker(schema).Errors(body).First()?.path}.`;

/** Cleans an event, and adds the delivery's id and text. @param at the sender's time */
export const signedEvent = (
  event: UncleanEvent,
  { id, bytes }: Pick<Delivery, "id" | "bytes">,
  at: Text,
): Appendable => ({
  ...cleanEvent(event),
  ...(id !== null && { delivery_id: id }),
  // What the sender said, with its own time.
  payload: bytes.length <= payloadBytesMax ? withoutEmails(new TextDecoder().decode(bytes)) : { at },
});

/** An actor with the name of a user at the sender. */
export const actorNamed = (kind: "human" | "bot", name: string): string =>
  `${kind}:${cleanLine(name, 128).replaceAll(" ", "") || "unknown"}`;

/** The host of a URL, with its port; `fallback` for text that is no URL. */
export const hostOfUrl = (url: Text, fallback: string): string => URL.parse(url ?? "")?.host || fallback;
