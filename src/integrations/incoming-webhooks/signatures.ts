/** How senders prove that a delivery is theirs. Every comparison takes constant time. */
import { constantTimeEqual } from "../../core/lib/constant-time.ts";

type Algorithm = "sha1" | "sha256";
type SigningKey = string | Uint8Array;

const hmac = (algorithm: Algorithm, key: SigningKey, ...parts: (string | Uint8Array)[]) =>
  parts.reduce((hasher, part) => hasher.update(part), new Bun.CryptoHasher(algorithm, key));

/** `<prefix><hex HMAC of the bytes>`. An empty or missing header is never valid. */
export const isHexHmac = (
  header: string | null,
  bytes: Uint8Array,
  key: SigningKey,
  { algorithm = "sha256", prefix = "" }: { algorithm?: Algorithm; prefix?: string } = {},
): boolean => constantTimeEqual(prefix + hmac(algorithm, key, bytes).digest("hex"), header ?? "");

/** The secret itself in a header. */
export const isSecret = (header: string | null, secret: string): boolean =>
  constantTimeEqual(secret, header ?? "");

export const sha256 = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** How far the timestamp of a signature may be from the clock, as Standard Webhooks recommends. */
const toleranceSeconds = 300;

/**
 * Standard Webhooks (https://www.standardwebhooks.com): `webhook-signature` is a list of `v1,<base64>`, each
 * an HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. The key is the base64 text after `whsec_`.
 */
export function isStandardWebhook(
  headers: Headers,
  bytes: Uint8Array,
  signingToken: string,
  seconds: number,
): boolean {
  const [id, timestamp] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(seconds - Number(timestamp)) > toleranceSeconds) return false;
  const key = Buffer.from(signingToken.slice(signingTokenPrefix.length), "base64");
  if (key.length === 0) return false;
  const expected = `v1,${hmac("sha256", key, `${id}.${timestamp}.`, bytes).digest("base64")}`;
  const given = (headers.get("webhook-signature") ?? "").split(" ");
  return given.some((signature) => constantTimeEqual(expected, signature));
}

export const signingTokenPrefix = "whsec_";

/**
 * A JSON Web Signature over the hash of the body: HS256, with the claims `iss` and `sha256`, the hex digest
 * of the body.
 */
export function isBodyJwt(token: string | null, bytes: Uint8Array, secret: string, issuer: string): boolean {
  const [header = "", claims = "", signature = "", ...rest] = (token ?? "").split(".");
  if (rest.length > 0) return false;
  const expected = hmac("sha256", secret, `${header}.${claims}`).digest("base64url");
  if (!constantTimeEqual(expected, signature)) return false;
  const { alg } = decodedObject(header);
  const { iss, sha256: digest } = decodedObject(claims);
  return alg === "HS256" && iss === issuer && constantTimeEqual(sha256(bytes), String(digest));
}

function decodedObject(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, "base64url").toString()));
  } catch {
    return {};
  }
}
