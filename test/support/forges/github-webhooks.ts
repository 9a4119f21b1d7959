/** GitHub webhook deliveries, built from GitHub's own examples. */
import { createHmac } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: GitHub's payloads, edited field by field
export type Payload = any;

/** The default webhook secret. */
export const secret = "a secret for tests";

export interface Example {
  /** Folder of the examples: github.com, or a version of GitHub Enterprise Server. */
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
/** Every event name in the examples. */
export const names = [...new Set(examples.map(({ name }) => name))];

/** Returns a copy of the first example with this name and action, modified by `change`. */
export function example(name: string, action: string, change: (body: Payload) => void = () => {}): Payload {
  const found = examples.find(
    (example) =>
      example.name === name && (example.body.deployment_status?.state ?? example.body.action) === action,
  );
  if (!found) throw new Error(`no example of ${name} ${action}`);
  const body = structuredClone(found.body);
  change(body);
  return body;
}

export const sign = (bytes: string | Uint8Array, key = secret, hash = "sha256") =>
  `${hash}=${createHmac(hash, key).update(bytes).digest("hex")}`;

/** Builds the signed request that GitHub sends. Headers that are null are omitted. */
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
