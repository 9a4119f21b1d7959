/**
 * One-time sign-in links: anyone with access to the database can open an admin session in a browser without a
 * token. The database holds only the hash of a link's secret.
 */
import type { Context } from "../context.ts";
import { type Micros, secondMicros } from "../lib/time.ts";
import type { SignInLinkRow } from "../rows.ts";
import { linkSessionCaller } from "./authentication.ts";
import { makeId } from "./cookie.ts";
import { addSession, type SignedIn, type SignInOptions } from "./session.ts";
import { hashToken } from "./token.ts";

/** How long a link is valid. */
export const linkMinutes = 15;

/** The query parameter of the sign-in page that holds the secret: problem documents show paths. */
export const linkParameter = "link";

/** 128 bits in base64url: not guessable in 15 minutes, and the URL fits in a terminal of 60 columns. */
const secretLength = 22;
const secretShape = /^[\w-]{22}$/;

/** Creates a link that signs in as `actor`. @param ctx with an audit row. @returns the URL of the link */
export async function createSignInLink(
  { config, data, now }: Pick<Context, "config" | "data" | "now">,
  actor: string,
): Promise<string> {
  const secret = makeId().slice(0, secretLength);
  const at = now();
  const expires_at = at + linkMinutes * 60 * secondMicros;
  const row = { hash: hashToken(secret), actor, expires_at };
  await data.atomically((writes) => writes.addSignInLink(row, at));
  return `${config.siteUrl}/sign-in?${linkParameter}=${secret}`;
}

/** The link with this secret, without using it; null if it was used, has expired, or never existed. */
export async function findSignInLink(
  { data, now }: { data: Pick<Context["data"], "signInLink">; now(): Micros },
  secret: string,
): Promise<SignInLinkRow | null> {
  const link = secretShape.test(secret) ? await data.signInLink(hashToken(secret)) : null;
  return link && link.expires_at > now() ? link : null;
}

/**
 * Uses a link: of several concurrent requests, on any node, one opens a session.
 *
 * @returns the caller and the `Set-Cookie` value; null if the link is not valid
 */
export async function signInWithLink(
  ctx: Pick<Context, "config" | "data" | "now">,
  secret: string,
  { before, admit }: SignInOptions = {},
): Promise<SignedIn | null> {
  const found = await findSignInLink(ctx, secret);
  await admit?.(found !== null);
  if (!found) return null;
  const at = ctx.now();
  return ctx.data.atomically(async (writes) => {
    const link = await writes.takeSignInLink(found.hash, at);
    if (!link) return null;
    const opening = { actor: link.actor, token: null, before };
    const { session, cookie } = await addSession(ctx, writes, opening);
    await writes.addAudit({
      ...{ who: link.actor, via: "session", what: "signIn", project: null, target: "link" },
      ...{ address: null, request: null, at, status: 200 },
    });
    return { caller: linkSessionCaller(session), cookie };
  });
}
