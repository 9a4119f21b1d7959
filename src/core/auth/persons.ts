/**
 * Who sees whose work it is. With SVC_HIDE_PERSONS only admins do, and each person their own. What leaves svc
 * passes here: the answers of all operations, streams, webhooks, and mails, so a new one leaks no one.
 */
import type { Config } from "../config.ts";
import type { CoreContext } from "../context.ts";
import { isPseudonym, loadPersonNames, type PersonNames } from "../people/pseudonyms.ts";
import { Json } from "../rendered-json.ts";
import { Frames } from "../wire.ts";
import { actorName } from "./actor-name.ts";
import { anonymous, type Caller } from "./caller.ts";
import { isAdmin } from "./permissions.ts";
import { isRole } from "./scopes.ts";

type Reader = Pick<Caller, "name" | "actor" | "person" | "role" | "scopes" | "projects">;

/** Readers without a token see no one either, except of demo data. */
export const seesPersons = (reader: Reader, { hidePersons, mock }: Pick<Config, "hidePersons" | "mock">) =>
  isAdmin(reader) || (!hidePersons && (reader.name !== null || mock));

const actor = /^(human|bot|token|agent|runner):(\S+)$/u;
/** Actors in a text, also in a URL. */
const actorsInText = /\b(human|bot|token|agent|runner)(:|%3A)([^\s"'<>&]+)/giu;
const mayHaveActor = /(human|bot|token|agent|runner)(:|%3a)/i;
/** A pseudonym of no one: a name that is hidden, and one that does not exist, find the same. */
const noPerson = "person-000000";
/** Signs after a name, which belong to the sentence. */
const endOfName = /[.,;:!?)\]*_]+$/u;

/** Whom svc wrote into the summary of a request for a review. */
const reviewersInSummary = /(^Asked |asked of )(.*?)(?= to review |, due )/;
const nameInList = /[a-z0-9._-]+/g;

/** Fields of names without the kind of an actor. */
const nameFields = new Set(["actor", "actors", "reviewers", "owner"]);

/** What a reader sees of the others, who are pseudonyms to them. */
export class PersonDoor {
  /** @param names null if only the fields `person` are hidden */
  constructor(
    readonly reader: Reader,
    readonly names: PersonNames | null,
  ) {}

  #isOwn(name: string): boolean {
    const { reader, names } = this;
    if (name === reader.name || (reader.actor !== undefined && name === actorName(reader.actor))) return true;
    return reader.person !== undefined && names?.persons.get(name) === reader.person;
  }

  #hideName(name: string, kind?: string): string {
    const isOfPerson = kind === "human" || this.names?.persons.has(name);
    const isHidden = this.names && isOfPerson && !isPseudonym(name) && !this.#isOwn(name);
    return isHidden ? this.names.pseudonymOf(name) : name;
  }

  hideText(text: string): string {
    if (!this.names || !mayHaveActor.test(text)) return text;
    const [, ofActor, whole] = actor.exec(text) ?? [];
    if (whole !== undefined) return `${ofActor}:${this.#hideName(whole, ofActor)}`;
    return text.replace(actorsInText, (_, kind: string, colon: string, word: string) => {
      const name = this.names?.persons.has(decoded(word)) ? word : word.replace(endOfName, "");
      const shown = this.#hideName(decoded(name), kind.toLowerCase());
      return kind + colon + (shown === decoded(name) ? name : shown) + word.slice(name.length);
    });
  }

  /** The answer of an operation as the reader may see it. Texts that people typed stay as they are. */
  hide<T>(answer: T): T {
    if (answer instanceof Frames) return answer;
    if (!(answer instanceof Json)) return this.#hidden(answer) as T;
    const { text } = answer;
    const canPass = this.names === null && !text.includes('"person":"');
    return canPass ? answer : (new Json(JSON.stringify(this.#hidden(JSON.parse(text)))) as T);
  }

  #hidden(value: unknown, field = ""): unknown {
    if (typeof value === "string") return this.#hiddenText(value, field);
    if (Array.isArray(value)) return value.map((one) => this.#hidden(one, field));
    if (value instanceof Map)
      return new Map([...value].map(([key, one]) => [this.#hidden(key), this.#hidden(one, field)]));
    if (!isPlain(value)) return value instanceof Json ? this.hide(value) : value;
    if (value.type === "section") return value; // of the documentation, whose examples name people
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#hidden(one, name)]));
  }

  #hiddenText(text: string, field: string): string | null {
    if (field === "person") return text === this.reader.person ? text : null;
    if (nameFields.has(field) && !text.includes(":")) return this.#hideReviewer(text);
    if (field !== "summary") return this.hideText(text);
    const shown = text.replace(
      reviewersInSummary,
      (_, before, list) => before + list.replace(nameInList, (name: string) => this.#hideReviewer(name)),
    );
    return this.hideText(shown);
  }

  #hideReviewer(name: string): string {
    return isRole(name) ? name : this.#hideName(name);
  }

  /** A request with the names of the pseudonyms in it. A name that is hidden finds nothing. */
  reveal<T extends object>(input: T): T {
    const fields = Object.entries(input).map(([name, value]) => [name, this.#revealed(value, name)]);
    return Object.fromEntries(fields);
  }

  #revealed(value: unknown, field: string): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#revealed(one, field));
    if (typeof value !== "string") return value;
    // Whom someone asks for a review, they know.
    if (field === "reviewers") return this.names?.nameOf(value) ?? value;
    if (field === "person") return value === this.reader.person ? value : noPerson;
    return field === "actor" ? this.revealActor(value) : value;
  }

  /** @param text an actor, or its name */
  revealActor(text: string): string {
    const name = actorName(text);
    const kind = text.slice(0, text.length - name.length);
    return kind + (this.names?.nameOf(name) ?? this.#hideName(name, kind.slice(0, -1)));
  }
}

type Needs = Pick<CoreContext, "config" | "data" | "secret">;

/** Null for a reader who sees persons. */
export async function personDoor(ctx: Needs, reader: Reader): Promise<PersonDoor | null> {
  if (seesPersons(reader, ctx.config)) return null;
  return new PersonDoor(reader, ctx.config.hidePersons ? await loadPersonNames(ctx) : null);
}

/** For what is sent to others, who are no admins to svc. Null if names are not hidden. */
export async function outgoingDoor(
  ctx: Needs,
  { name, person }: Reader = anonymous,
): Promise<PersonDoor | null> {
  const reader = { ...anonymous, name, ...(person !== undefined && { person }) };
  return ctx.config.hidePersons ? personDoor(ctx, reader) : null;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
