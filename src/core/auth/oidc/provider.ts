/** The OpenID Connect provider of the deployment, by its discovery document. */
import type { ClientAuth, Configuration, ServerMetadata } from "openid-client";
import { boundedByCount, Cache } from "../../lib/cache.ts";
import type { OidcConfig } from "./config.ts";

/** An answer of the provider that takes longer counts as none. */
const timeoutSeconds = 5;

/** The library is large, and only deployments with a provider need it. */
export const loadClient = () => import("openid-client");

/** Endpoints may move. */
const documents = new Cache<OidcConfig, ServerMetadata>({
  max: 2,
  maxAgeMs: 60 * 60_000,
  bytesOf: boundedByCount,
});

/**
 * The provider for one sign-in or check: its keys are read for each, as the library would not read them again
 * within a minute of a rotation.
 * @throws if the provider does not answer, or not as a provider does
 */
export async function openProvider(config: OidcConfig): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = config;
  const client = await loadClient();
  const isPlain = issuer.startsWith("http:");
  const document = await documents.getOrLoad(config, async () => {
    const options = { timeout: timeoutSeconds, execute: isPlain ? [client.allowInsecureRequests] : [] };
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, options);
    return found.serverMetadata();
  });
  const authentication = clientSecret ? basicSecret(clientId, clientSecret) : client.None();
  const provider = new client.Configuration({ ...document }, clientId, undefined, authentication);
  provider.timeout = timeoutSeconds;
  if (isPlain) client.allowInsecureRequests(provider);
  // An ID token is checked by its signature, too, not only by the TLS connection that it came on.
  client.enableNonRepudiationChecks(provider);
  return provider;
}

/**
 * The id and secret of svc in the header (RFC 6749, 2.3.1). Only what has to be is encoded: Gitea does not
 * decode them, and the library encodes hyphens, too.
 */
const basicSecret =
  (id: string, secret: string): ClientAuth =>
  (_server, _client, _body, headers) =>
    headers.set("authorization", `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`);

/** Whether the provider refused, so that asking again has no use; other failures may pass. */
export function isRefusal(error: unknown): boolean {
  const { name, status = 0 } = error as { name?: string; status?: number };
  if (name === "AuthorizationResponseError") return true;
  const answered = name === "ResponseBodyError" || name === "WWWAuthenticateChallengeError";
  return answered && status < 500 && status !== 429;
}

/** For the log: its kind and the provider's code, never a token. */
export function describeFailure(failure: unknown): string {
  const { name, code, error, status, message } = failure as Record<string, unknown>;
  return [name, code, error, status, error === undefined && message].filter(Boolean).join(" ");
}
