/**
 * Sign-in with OpenID Connect: the authorization code flow (Core 1.0, 3.1) with PKCE (RFC 7636), state,
 * nonce, and the issuer in the response (RFC 9207). What a browser began is in a sealed cookie, so any node
 * ends it.
 */
import type { CoreContext } from "../../context.ts";
import { type Micros, secondMicros } from "../../lib/time.ts";
import { forbidden, Problem, unavailable } from "../../problem.ts";
import { setCookie } from "../session/cookie.ts";
import { deviceOf } from "../session/device.ts";
import { addSession, type SignedIn } from "../session/session.ts";
import type { Claims } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import { callerOfIdentity, type Identity, sealIdentity } from "./identity.ts";
import { actorOfSubject } from "./names.ts";
import { describeFailure, isRefusal, loadClient, openProvider } from "./provider.ts";
import { seal, unseal } from "./sealed.ts";
import { readTokens } from "./tokens.ts";

export const callbackPath = "/sign-in/oidc/callback";

type Needs = Pick<CoreContext, "config" | "data" | "secret" | "now" | "log">;

/** What a browser began. */
interface Begun {
  state: string;
  nonce: string;
  verifier: string;
  /** Where it goes after sign-in. */
  next: string;
  until: Micros;
}

/** How long people may take at the provider. */
const beginSeconds = 600;
/** A cookie has at most 4,096 bytes. */
const nextMax = 1_024;

/** Begins a sign-in. @returns where to send the browser, and its cookie. @throws {Problem} 503 */
export async function beginSignIn(
  { config, secret, now, log }: Needs,
  oidc: OidcConfig,
  next: string,
): Promise<{ location: string; cookie: string }> {
  const client = await loadClient();
  const provider = await openProvider(oidc).catch((error) => {
    log("warn", "the identity provider does not answer", { error: describeFailure(error) });
    throw noAnswer(oidc, error);
  });
  const begun: Begun = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    next: next.length > nextMax ? "/" : next,
    until: now() + beginSeconds * secondMicros,
  };
  const location = client.buildAuthorizationUrl(provider, {
    redirect_uri: config.siteUrl + callbackPath,
    scope: oidc.scope,
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: "S256",
  });
  const value = seal(secret, "sign-in", begun);
  return { location: location.href, cookie: setCookie(config.siteUrl, "oidc", value, beginSeconds) };
}

interface Answer {
  /** Of the request, with the query that the provider gave it. */
  url: URL;
  /** The cookie of what the browser began. */
  begun: string | null;
  /** Hash of the browser's previous session. */
  before: string | undefined;
  /** The `User-Agent` header of the browser. */
  userAgent: string | undefined;
}

/**
 * Ends a sign-in.
 * @returns also where to go, and the `Set-Cookie` value that forgets what was begun
 * @throws {Problem} 401 if the response does not belong to what the browser began, 403 if no group of the
 *   person has access, 503 if the provider does not answer
 */
export async function finishSignIn(
  ctx: Needs,
  oidc: OidcConfig,
  { url, begun: cookie, before, userAgent }: Answer,
): Promise<SignedIn & { next: string; forget: string }> {
  const { config, secret, now } = ctx;
  const begun = cookie === null ? null : unseal<Begun>(secret, "sign-in", cookie);
  if (!begun || begun.until <= now())
    throw new Problem(401, "This sign-in took too long, or began in another browser. Try again.");
  const { identity, claims } = await redeem(ctx, oidc, begun, url);
  const person = { issuer: oidc.issuer, subject: identity.subject };
  const actor = await actorOfSubject(ctx, person, claims);
  const opening = {
    actor,
    token: null,
    from_link: false,
    created_with: null,
    email: null,
    identity: sealIdentity(ctx, identity),
    checked_at: identity.answeredAt,
    device: deviceOf(userAgent),
    before,
  };
  return ctx.data.atomically(async (writes) => {
    const caller = callerOfIdentity(ctx, { actor, hash: "", expires_at: 0 }, identity);
    if (!caller) throw noAccess(oidc, actor, identity);
    const { session, cookie } = await addSession(ctx, writes, opening, caller);
    return {
      caller: { ...caller, session: session.hash, expiresAt: session.expires_at },
      cookie,
      next: begun.next,
      forget: setCookie(config.siteUrl, "oidc", "", 0),
    };
  });
}

/** Redeems the code of a response. The library checks what this sends, and the ID token that it gets. */
async function redeem(
  ctx: Needs,
  oidc: OidcConfig,
  { state, nonce, verifier }: Begun,
  url: URL,
): Promise<{ identity: Identity; claims: Claims }> {
  try {
    const client = await loadClient();
    const provider = await openProvider(oidc);
    // As the provider saw it: a proxy may have changed scheme and host.
    const response = new URL(callbackPath + url.search, ctx.config.siteUrl);
    const tokens = await client.authorizationCodeGrant(provider, response, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
    });
    return await readTokens(ctx, oidc, provider, tokens);
  } catch (error) {
    ctx.log("warn", "a sign-in failed", { error: describeFailure(error) });
    if (!isRefusal(error) && !isInvalid(error)) throw noAnswer(oidc, error);
    throw new Problem(401, `${oidc.label} did not sign you in. Try again, or ask your admin.`);
  }
}

/** The library found a response that is not what it has to be: it was changed, is of another, or was replayed. */
const isInvalid = (error: unknown): boolean =>
  error instanceof Error && error.name !== "TypeError" && error.name !== "TimeoutError";

const noAnswer = ({ label }: OidcConfig, cause: unknown) =>
  unavailable(`${label} does not answer, so it cannot sign you in. Try again in a moment.`, cause);

const noAccess = ({ label }: OidcConfig, actor: string, { groups }: Identity) =>
  forbidden(
    `${label} signed you in as ${actor.replace(/^human:/, "")}, but none of your groups has access` +
      `${groups.length > 0 ? ` (${groups.slice(0, 20).join(", ")})` : ": it told none"}. Ask your admin.`,
  );
