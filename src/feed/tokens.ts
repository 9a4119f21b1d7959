/** Changes of tokens by people who hold the database. They stand here: a token may be limited to projects. */
import type { Static } from "@sinclair/typebox";
import type { Action } from "../core/audit/port.ts";
import { callerOfToken } from "../core/auth/authentication.ts";
import type { Role, Scope } from "../core/auth/scopes.ts";
import { generateToken, hashToken, type OwnerChange, type TokenRequest } from "../core/auth/token.ts";
import { type Micros, toMicros } from "../core/lib/time.ts";
import { requirePerson } from "../core/people/people.ts";
import { badRequest } from "../core/problem.ts";
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

const noToken = (name: string) => badRequest(`No active token "${name}". See svc token list.`);

/** Sets what the reviews of a token count for; null: for the role of its scopes. @throws 400 without one */
export const setReviewRole = ({ data }: Needs, name: string, role: string | null): Promise<void> =>
  data.atomically(async (writes) => {
    const token = await writes.tokenNamed(name);
    if (token?.revoked_at !== null) throw noToken(name);
    await writes.setReviewRole(name, role);
  });

/** Sets whose work a token does. @throws 400 without such a token or owner */
export const setTokenOwner = (
  { data }: Needs,
  name: string,
  { owner, team }: Static<typeof OwnerChange>,
): Promise<void> =>
  data.atomically(async (writes) => {
    const token = await writes.tokenNamed(name);
    if (token?.revoked_at !== null) throw noToken(name);
    if (owner !== undefined) await requirePerson(writes, owner);
    await writes.setTokenOwner(name, owner ?? null, team ?? null);
  });

/**
 * Replaces the secrets of tokens, all or none of them, with an audit row for each.
 * @param names null: of all active tokens
 * @param grace how long the old secrets stay valid
 * @throws 400 without such a token
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

/** @throws 400 without such a token */
export const revokeToken = ({ data, now }: Needs, name: string): Promise<void> =>
  data.atomically(async (writes) => {
    if (!(await writes.revokeToken(name, now()))) throw noToken(name);
  });
