/** Deliveries as GitHub sends them, of its own examples. */
import { createHmac } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: payloads of others, edited member by member
export type Payload = any;

/** What deliveries are signed with, unless a test says otherwise. */
export const secret = "it is no secret to anybody here";

export interface Example {
  /** Folder of the examples: github.com, or a version of its server. */
  source: string;
  name: string;
  body: Payload;
}

const examplesFolder = dirname(Bun.resolveSync("@octokit/webhooks-examples/package.json", import.meta.dir));
const sources = readdirSync(examplesFolder).filter(
  (name) => name === "api.github.com" || name.startsWith("ghes-"),
);
export const examples: Example[] = (
  await Promise.all(
    sources.sort().map(async (source) => {
      const list: { name: string; examples: Payload[] }[] = await Bun.file(
        join(examplesFolder, source, "index.json"),
      ).json();
      return list.flatMap(({ name, examples }) => examples.map((body) => ({ source, name, body })));
    }),
  )
).flat();
/** Every name that the examples know. */
export const names = [...new Set(examples.map(({ name }) => name))];

/** A copy of the first example of this name and action, changed. */
export function example(name: string, action: string, change: (body: Payload) => void = () => {}): Payload {
  const found = examples.find(
    (one) => one.name === name && (one.body.deployment_status?.state ?? one.body.action) === action,
  );
  if (!found) throw new Error(`no example of ${name} ${action}`);
  const body = structuredClone(found.body);
  change(body);
  return body;
}

export const sign = (bytes: string | Uint8Array, key = secret, hash = "sha256") =>
  `${hash}=${createHmac(hash, key).update(bytes).digest("hex")}`;

/** What the source host sends. `headers` of null are left out. */
export function delivery(
  name: string,
  body: unknown,
  headers: Record<string, string | null> = {},
): RequestInit {
  const bytes = body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
  const all: Record<string, string | null> = {
    "content-type": "application/json",
    "x-github-event": name,
    "x-github-delivery": crypto.randomUUID(),
    "x-hub-signature-256": sign(bytes),
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return { method: "POST", headers: given, body: bytes as BodyInit };
}
