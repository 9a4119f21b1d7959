/** Deliveries of webhooks by every sender but GitHub, signed as each sender signs. */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { ForgeName, SenderName } from "../../../src/core/forges/schema.ts";
import { type dialects, openApp, type TestApp } from "../harness.ts";
import type { Json } from "./github-deliveries.ts";

// biome-ignore lint/suspicious/noExplicitAny: payloads, edited field by field
export type Payload = any;
type OtherSender = Exclude<SenderName, "github">;
type Headers = Record<string, string | null>;

const secrets = Object.fromEntries(
  ["gitlab", "gitea", "bitbucket", "vercel", "netlify", "cloudflare"].map((name) => [name, `${name} secret`]),
) as Record<OtherSender, string>;

/** GitLab generates a signing token of 32 bytes. */
const signingKey = Buffer.alloc(32, 7);
const signingToken = `whsec_${signingKey.toString("base64")}`;

export const secretOf = (sender: OtherSender): string => secrets[sender];

export const forgeEnv = {
  ...Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [`SVC_${name.toUpperCase()}_WEBHOOK_SECRET`, secret]),
  ),
  SVC_GITLAB_WEBHOOK_SECRET: `an older secret, ${secrets.gitlab}, ${signingToken}`,
  SVC_PUBLIC_READ: "1",
};

/** Returns a kept example, modified by `change`. @param path below test/integrations/forges/fixtures */
export async function fixture(path: string, change: (body: Payload) => void = () => {}): Promise<Payload> {
  const body = await Bun.file(
    join(import.meta.dir, "../../integrations/forges/fixtures", `${path}.json`),
  ).json();
  change(body);
  return body;
}

export const hexHmac = (key: string, text: string, algorithm = "sha256"): string =>
  createHmac(algorithm, key).update(text).digest("hex");

/** The JWT of a Netlify notification. */
export function netlifyToken(
  text: string,
  claims: object = {},
  secret = secrets.netlify,
  alg = "HS256",
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const signed = `${part({ alg, typ: "JWT" })}.${part({ iss: "netlify", sha256, ...claims })}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** The headers of Standard Webhooks. @param seconds the time of the signature */
export function standardHeaders(text: string, seconds: number, key: Buffer = signingKey): Headers {
  const id = crypto.randomUUID();
  const digest = createHmac("sha256", key).update(`${id}.${seconds}.${text}`).digest("base64");
  return {
    ...{ "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${digest}` },
    ...{ "idempotency-key": id, "x-gitlab-token": null },
  };
}

/** What each sender adds to a request with this body. @param event the name of the event, if headers say it */
function headersOf(sender: OtherSender, text: string, event: string): Headers {
  const secret = secrets[sender];
  const id = crypto.randomUUID();
  switch (sender) {
    case "gitlab":
      return { "x-gitlab-token": secret, "idempotency-key": id, "x-gitlab-event": event };
    case "gitea":
      return {
        ...{ "x-gitea-event": event, "x-gitea-delivery": id, "x-gitea-signature": hexHmac(secret, text) },
        ...{ "x-github-event": event, "x-github-delivery": id, "x-gogs-event": event },
        "x-hub-signature-256": `sha256=${hexHmac(secret, text)}`,
      };
    case "bitbucket":
      return {
        ...{ "x-event-key": event, "x-request-uuid": id },
        "x-hub-signature": `sha256=${hexHmac(secret, text)}`,
      };
    case "vercel":
      return { "x-vercel-signature": hexHmac(secret, text, "sha1") };
    case "netlify":
      return { "x-webhook-signature": netlifyToken(text) };
    case "cloudflare":
      return { "cf-webhook-auth": secret };
  }
}

/** Builds the request that a sender sends. Headers that are null are omitted. */
export function forgeDelivery(
  sender: OtherSender,
  body: unknown,
  { event = "", headers = {} }: { event?: string; headers?: Headers } = {},
): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", ...headersOf(sender, text, event), ...headers };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return { method: "POST", headers: given, body: text };
}

/** Delivers to an app. @param options `query` of the webhook's URL, such as `?project=atlas` */
export async function deliverTo(
  app: TestApp,
  sender: OtherSender,
  body: unknown,
  options: Parameters<typeof forgeDelivery>[2] & { query?: string } = {},
): Promise<{ status: number; body: Json }> {
  const path = `/api/hooks/${sender}${options.query ?? ""}`;
  const response = await app.ask(path, forgeDelivery(sender, body, options));
  return { status: response.status, body: (await response.json()) as Json };
}

/** Links a project to a repository on a forge. */
export const linkOn = async (
  { ctx: { data } }: Pick<TestApp, "ctx">,
  forge: ForgeName,
  host: string,
  [slug, repo]: [string, string],
): Promise<unknown> =>
  data.atomically((writes) => writes.linkProject({ slug, forge, host, repo }, 1_000_000));

export const openForgeApp = (dialect: (typeof dialects)[number], env: Record<string, string> = {}) =>
  openApp(dialect, { ...forgeEnv, ...env });
