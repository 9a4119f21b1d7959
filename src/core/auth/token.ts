/** Tokens: `svc_` and 40 base62 characters, of which the last six are a CRC-32 (IEEE) of the rest. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, PersonId, Slug, TeamName } from "../wire.ts";
import { ReviewRole } from "./review-role.ts";
import { allScopes } from "./scopes.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const shape = /^svc_[0-9A-Za-z]{40}$/;

function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let base62 = "";
  for (let i = 0; i < 6; i++) {
    base62 = digits[rest % 62] + base62;
    rest = Math.floor(rest / 62);
  }
  return base62;
}

/** A new random token. */
export function generateToken(): string {
  let text = "svc_";
  while (text.length < 38) {
    // Rejection sampling: 248 is a multiple of 62, so every digit is equally likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(40))) if (byte < 248) text += digits[byte % 62];
  }
  text = text.slice(0, 38);
  return text + checksum(text);
}

/** Whether the text is a well-formed token. Saves a database lookup for garbage. */
export const hasChecksum = (token: string): boolean =>
  shape.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);

/** SHA-256 in hex. Only the hash of a token is stored. */
export const hashToken = (token: string): string =>
  new Bun.CryptoHasher("sha256").update(token).digest("hex");

export const TokenInfo = Type.Object(
  {
    name: Type.String({ examples: ["ci"] }),
    scopes: Type.Array(Choice(allScopes), { examples: [["feed:read", "feed:write"]] }),
    projects: Type.Union([Type.Array(Slug), Type.Null()], {
      description: "The only projects it can access; null for all.",
    }),
    expires_at: Type.Union([DateTime(), Type.Null()], { description: "Null if it never expires." }),
  },
  { $id: "Token" },
);
export type TokenInfo = Static<typeof TokenInfo>;

const namePattern = "^[a-z0-9._-]{1,63}$";
export const isTokenName = (text: string): boolean => new RegExp(namePattern).test(text);

export const TokenRequest = Type.Object({
  name: Type.String({ pattern: namePattern }),
  scopes: Type.Array(Choice(allScopes), { minItems: 1, uniqueItems: true }),
  projects: Type.Union([Type.Array(Slug, { minItems: 1 }), Type.Null()]),
  expires_at: Type.Union([DateTime(), Type.Null()]),
  review_role: Type.Optional(ReviewRole),
  owner: Type.Optional(PersonId),
  team: Type.Optional(TeamName),
});
export type TokenRequest = Static<typeof TokenRequest>;

/** A change of what the reviews of a token count for: without a role, for the role of its scopes. */
export const ReviewRoleChange = Type.Object({ role: Type.Optional(ReviewRole) });

/** A change of whose work a token does: without an owner and a team, of no person. */
export const OwnerChange = Type.Object({ owner: Type.Optional(PersonId), team: Type.Optional(TeamName) });
