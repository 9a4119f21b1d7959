/** Tokens: minted by people who hold the database, changed by admins. Here, as projects can limit them. */
import type { Action } from "../core/audit/port.ts";
import { callerOfToken } from "../core/auth/authentication.ts";
import { type Role, roleOf, type Scope } from "../core/auth/scopes.ts";
import { generateToken, hashToken, type TokenRequest } from "../core/auth/token.ts";
import type {
  AccessToken,
  TokenOwnerInput,
  TokenPath,
  TokenReviewRoleInput,
} from "../core/auth/token-requests.ts";
import { fromMicros, type Micros, toMicros } from "../core/lib/time.ts";
import { requirePerson } from "../core/people/people.ts";
import type { CoreReads, CoreWrites } from "../core/port.ts";
import { badRequest, notFound } from "../core/problem.ts";
import type { TokenRow } from "../core/rows.ts";
import type { FeedContext } from "./context.ts";

type Needs = Pick<FeedContext, "data" | "now">;

/**
 * Creates a token; only its hash is stored.
 * @param role that it was asked for by, if any
 * @throws 400 for a name that is taken, and for an unknown project or owner
 */
export async function createToken({ data, now }: Needs, request: TokenRequest, role: Role | null = null) {
  const { name, scopes, projects, expires_at, review_role = null, owner = null, team = null } = request;
  for (const slug of projects ?? [])
    if (!(await data.project(null, slug)))
      throw badRequest(`No project "${slug}". Link it first: svc project link ${slug} --repo owner/name`);
  if (owner !== null) await requirePerson(data, owner);
  const token = generateToken();
  const row = {
    name,
    hash: hashToken(token),
    role,
    scopes: scopes as Scope[],
    projects,
    review_role,
    owner,
    team,
    created_at: now(),
    expires_at: expires_at === null ? null : toMicros(expires_at),
  };
  await data.atomically(async (writes) => {
    if (!(await writes.addToken(row)))
      throw badRequest(
        `Token name "${name}" is already taken. Token names cannot be reused, even after a token is revoked.`,
      );
  });
  return { token, row };
}

const noToken = (name: string) => notFound(`No active token "${name}". See svc token list.`);

/** As admins see it. */
const toAccessToken = ({ hash: _, previous_hash: __, role, created_at, ...row }: TokenRow): AccessToken => {
  const when = (at: Micros | null) => (at === null ? null : fromMicros(at));
  return {
    ...row,
    role: role ?? roleOf(row.scopes),
    created_at: fromMicros(created_at),
    expires_at: when(row.expires_at),
    revoked_at: when(row.revoked_at),
    last_used_at: when(row.last_used_at),
    previous_until: when(row.previous_until),
    agent_at: when(row.agent_at),
  };
};

/** All tokens of the database, also revoked and expired ones. */
export const listTokens = async ({ data }: Needs): Promise<AccessToken[]> =>
  (await data.tokens()).map(toAccessToken);

/** @throws 404 */
async function requireUnrevoked(reads: CoreReads, name: string): Promise<TokenRow> {
  const token = await reads.tokenNamed(name);
  if (token?.revoked_at !== null) throw noToken(name);
  return token;
}

/**
 * Sets what the reviews of a token count for; without a role, for the role of its scopes.
 * @throws 404 without such a token, 400 for one that cannot review
 */
export async function setReviewRole(
  { data }: Needs,
  { name, role }: TokenReviewRoleInput,
): Promise<AccessToken> {
  return change(data, name, async (writes, { scopes }) => {
    if (role !== undefined && !scopes.includes("assets:review"))
      throw badRequest("A review role needs the scope assets:review, which this token lacks.");
    await writes.setReviewRole(name, role ?? null);
  });
}

/** Sets whose work a token does. @throws 404 without such a token, 400 without such an owner */
export const setTokenOwner = (
  { data }: Needs,
  { name, owner, team }: TokenOwnerInput,
): Promise<AccessToken> =>
  change(data, name, async (writes) => {
    if (owner !== undefined) await requirePerson(writes, owner);
    await writes.setTokenOwner(name, owner ?? null, team ?? null);
  });

/** Changes a token in one transaction with its audit row. @throws 404 without an unrevoked one */
async function change(
  data: Needs["data"],
  name: string,
  work: (writes: CoreWrites, token: TokenRow) => Promise<void>,
): Promise<AccessToken> {
  const { row } = await data.atomically(async (writes) => {
    await work(writes, await requireUnrevoked(writes, name));
    // safe because: tokens are never deleted
    return { token_name: name, row: (await writes.tokenNamed(name)) as TokenRow };
  });
  return toAccessToken(row);
}

/**
 * Replaces the secrets of tokens, all or none of them, with an audit row for each.
 * @param names null: of all active tokens
 * @param grace how long the old secrets stay valid
 * @throws 404 without such a token
 */
export async function rotateTokens(
  { data, now }: Needs,
  names: readonly string[] | null,
  grace: Micros | null,
  act: Action,
): Promise<{ rotated: { name: string; token: string }[]; until: Micros | null }> {
  const at = now();
  const until = grace === null ? null : at + grace;
  const rotated = await data.atomically(async (writes) => {
    const chosen =
      names ?? (await writes.tokens()).flatMap((row) => (callerOfToken(row, at) ? row.name : []));
    const done: { name: string; token: string }[] = [];
    for (const name of chosen) {
      const token = generateToken();
      if (!(await writes.rotateToken(name, hashToken(token), at, until))) throw noToken(name);
      await writes.addAudit({ ...act, target: name, at, status: 200 });
      done.push({ name, token });
    }
    return done;
  });
  return { rotated, until };
}

/** Effective at once. @throws 404 without such a token */
export const revokeToken = ({ data, now }: Needs, { name }: TokenPath): Promise<AccessToken> =>
  change(data, name, async (writes) => {
    await writes.revokeToken(name, now());
  });
