/** A delivery of the source host → the event it stands for, or null where it stands for none. */
import { checker } from "../check.ts";
import { badRequest } from "../problem.ts";
import type { Appendable } from "../rows.ts";
import { Repo } from "../wire.ts";
import { type Envelope, mappings, type Told } from "./github.ts";
import { cut } from "./text.ts";

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

/** Throws 400 where the body is none of its name. */
export function eventOfDelivery({ name, id, bytes, body }: Delivery): Appendable | null {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badRequest("A delivery is a JSON object.");
  if (!Object.hasOwn(mappings, name)) return null;
  const { schema, kinds, tell } = mappings[name as keyof typeof mappings];
  const check = checker(schema);
  if (!check.Check(body)) throw badRequest(`The body does not fit X-GitHub-Event: ${name}; see its ${check.Errors(body).First()?.path}.`);
  const { repository, sender } = body as Envelope;
  const { outcome, summary, url, change, ...rest } = tell(body);
  const kind = Object.hasOwn(kinds, outcome) ? kinds[outcome] : undefined;
  // A project cannot be linked to a repository of any other name.
  if (!kind || !checker(Repo).Check(repository.full_name)) return null;
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
function signedKey(name: string, repository: number, outcome: string, { id, at, label }: Told["change"]): string | null {
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
