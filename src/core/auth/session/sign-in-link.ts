/**
 * One-time sign-in links: they open a session in a browser without a token. Anyone with access to the
 * database can create one that signs in as an admin; an admin can create one that signs in with a token that
 * may do nothing the admin may not. Only the hash of a link's secret is stored.
 */
import type { CoreContext } from "../../context.ts";
import { fromMicros, minuteMicros } from "../../lib/time.ts";
import type { CoreWrites } from "../../port.ts";
import { notFound } from "../../problem.ts";
import type { SignInLinkRow } from "../../rows.ts";
import { callerOfToken, creatorsOf, linkSessionCaller } from "../authentication.ts";
import { requireCoverage } from "../authorization.ts";
import { adminCaller, type Caller } from "../caller.ts";
import { hashToken } from "../token.ts";
import { makeId } from "./cookie.ts";
import { deviceOf } from "./device.ts";
import { addSession, hasSignedIn, type SignedIn, type SignInOptions } from "./session.ts";
import type { CreatedSignInLink, SignInLinkInput } from "./sign-in-link-schema.ts";

type Needs = Pick<CoreContext, "config" | "data" | "secret" | "now" | "log">;

/** How long a link is valid that you create for yourself. */
export const linkMinutes = 15;

/** How long a link for another person is valid: until they have read their messages. */
export const tokenLinkHours = 24;

/** The query parameter of the sign-in page that holds the secret: problem documents show paths. */
export const linkParameter = "link";

/** 128 bits in base64url: not guessable in 24 hours, and the URL fits in a terminal of 60 columns. */
const secretLength = 22;
const secretShape = /^[\w-]{22}$/;

/** Creates a link that signs in `actor` as an admin. @param ctx with an audit row. @returns the URL */
export const createSignInLink = (ctx: Needs, actor: string): Promise<string> =>
  addLink(ctx, {
    actor,
    token: null,
    created_with: null,
    email: null,
    expires_at: ctx.now() + linkMinutes * minuteMicros,
  });

/** Such a link until someone has signed in: the first person has no token. Null if the database is damaged. */
export async function firstSignInLink(ctx: Needs, actor: string): Promise<string | null> {
  if (await hasSignedIn(ctx)) return null;
  const link = await createSignInLink(ctx, actor);
  return ctx.data.isDamaged() ? null : link;
}

/**
 * Creates a link that signs in with a token, so with exactly its permissions. The link and its session end
 * with that token, and with the token of the admin that created it.
 * @throws {Problem} 404 unless a valid token has this name, 403 if it may do more than the caller
 */
export async function createTokenSignInLink(
  ctx: Needs,
  { name, email }: SignInLinkInput,
  caller: Caller,
): Promise<CreatedSignInLink> {
  const at = ctx.now();
  const row = await ctx.data.tokenNamed(name);
  const token = callerOfToken(row, at);
  if (!token)
    throw notFound(
      row
        ? `The token "${name}" was revoked or has expired. Create one with another name.`
        : `No token "${name}". See svc token list, or create it on the machine that holds the database: ` +
            `svc token create ${name} --role reviewer`,
    );
  requireCoverage(
    caller,
    token,
    `The token "${name}" has permissions that yours lacks, so you cannot create a link for it. ` +
      `Run on the machine that holds the database: svc open --for ${name}`,
    ctx.config,
  );
  const created_with = creatorHashes(ctx, caller);
  const expires_at = Math.min(
    at + tokenLinkHours * 60 * minuteMicros,
    token.expiresAt ?? Number.POSITIVE_INFINITY,
    (created_with !== null && caller.expiresAt) || Number.POSITIVE_INFINITY,
  );
  const link = { actor: `human:${name}`, token: name, created_with, expires_at, email: email ?? null };
  return { name, url: await addLink(ctx, link), expires_at: fromMicros(expires_at) };
}

/**
 * The tokens that a link of a caller ends with: its own, and those that created the link of its session, so
 * that a token does not outlive its revocation by a link to another session that creates one in turn. A link
 * of someone who signed in at an identity provider ends with their session.
 */
function creatorHashes({ config }: Needs, { name, hash, createdWith }: Caller): string | null {
  const configured = [...config.tokens].find(([, token]) => token.name === name && name !== adminCaller.name);
  const hashes = [hash ?? configured?.[0], ...(createdWith?.split(" ") ?? [])];
  return [...new Set(hashes)].filter((one) => one !== undefined).join(" ") || null;
}

/** @param check throws in the transaction if the link must not be added. @returns the URL */
export async function addLink(
  { config, data, now }: Needs,
  link: Omit<SignInLinkRow, "hash">,
  check?: (writes: CoreWrites) => Promise<void>,
): Promise<string> {
  const secret = makeId().slice(0, secretLength);
  await data.atomically(async (writes) => {
    await check?.(writes);
    await writes.addSignInLink({ ...link, hash: hashToken(secret) }, now());
    return { token_name: link.token };
  });
  return `${config.siteUrl}/sign-in?${linkParameter}=${secret}`;
}

/** Deletes a link that could not be sent. */
export const removeLink = ({ data, now }: Pick<Needs, "data" | "now">, url: string) =>
  data.atomically((writes) =>
    writes.takeSignInLink(hashToken(new URL(url).searchParams.get(linkParameter) ?? ""), now()),
  );

interface ValidLink {
  link: SignInLinkRow;
  /** Whom it signs in: the session has these permissions. */
  caller: Caller;
  /** The token that created it; null: someone with access to the database. */
  createdBy: string | null;
}

/** Deletes all unused links, and ends the sessions opened with one. @returns how many sessions */
export const revokeLinks = ({ data }: Pick<Needs, "data">): Promise<number> =>
  data.atomically((writes) => writes.removeLinkSessions());

/** The link with this secret, without using it; null if it was used, has ended, or never existed. */
export async function findSignInLink(ctx: Needs, secret: string): Promise<ValidLink | null> {
  const link = secretShape.test(secret) ? await ctx.data.signInLink(hashToken(secret)) : null;
  if (!link || link.expires_at <= ctx.now()) return null;
  if (link.token === null) return { link, caller: { ...adminCaller, name: link.actor }, createdBy: null };
  const creators = link.created_with === null ? [] : await creatorsOf(link.created_with, ctx);
  const caller = creators && callerOfToken(await ctx.data.tokenNamed(link.token), ctx.now());
  return caller && { link, caller, createdBy: creators[0]?.name ?? null };
}

/**
 * Uses a link: of several concurrent requests, on any node, one opens a session.
 *
 * @returns the caller and the `Set-Cookie` value; null if the link is not valid
 */
export async function signInWithLink(
  ctx: Needs,
  secret: string,
  { before, userAgent, admit }: SignInOptions = {},
): Promise<SignedIn | null> {
  const found = await findSignInLink(ctx, secret);
  await admit?.(found !== null);
  if (!found) return null;
  const at = ctx.now();
  const { actor, token, created_with, email } = found.link;
  const target = found.createdBy === null ? "link" : `link from ${found.createdBy}`;
  return ctx.data.atomically(async (writes) => {
    if (!(await writes.takeSignInLink(found.link.hash, at))) return null;
    const opening = {
      actor,
      token: found.caller.hash ?? null,
      from_link: true,
      created_with,
      email,
      identity: null,
      checked_at: null,
      device: deviceOf(userAgent),
      before,
    };
    const { session, cookie } = await addSession(ctx, writes, opening, found.caller);
    await writes.addAudit({
      who: found.caller.name,
      via: "session",
      what: "signIn",
      project: null,
      target,
      address: null,
      request: null,
      at,
      status: 200,
    });
    const caller =
      token === null ? linkSessionCaller(session) : { ...found.caller, actor, session: session.hash };
    return { caller, cookie };
  });
}
