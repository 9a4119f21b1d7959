/** Tokens: `svc_` and 40 characters of base62, the last six a CRC-32 (IEEE) of all before them. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, Slug } from "../wire.ts";
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

export function generateToken(): string {
  let text = "svc_";
  while (text.length < 38) {
    // A byte of 248 or more is left out, so that each digit is as likely as the next.
    const byte = crypto.getRandomValues(new Uint8Array(1))[0] as number;
    if (byte < 248) text += digits[byte % 62];
  }
  return text + checksum(text);
}

/** Tells a token of ours from garbage without asking the database. */
export const hasChecksum = (token: string): boolean =>
  shape.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);

/** Only this is stored: SHA-256, hex. */
export const hashToken = (token: string): string =>
  new Bun.CryptoHasher("sha256").update(token).digest("hex");

export const TokenRequest = Type.Object({
  name: Type.String({ pattern: "^[a-z0-9._-]{1,63}$" }),
  scopes: Type.Array(Choice(allScopes), { minItems: 1, uniqueItems: true }),
  projects: Type.Union([Type.Array(Slug, { minItems: 1 }), Type.Null()]),
  expires_at: Type.Union([DateTime(), Type.Null()]),
});
export type TokenRequest = Static<typeof TokenRequest>;
