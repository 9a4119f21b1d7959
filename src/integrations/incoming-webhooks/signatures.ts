/**
 * How senders prove that a delivery is theirs. Every comparison takes constant time. Bodies come from anyone
 * and have up to 25 MiB, so they are hashed in slices.
 */
import { constantTimeEqual } from "../../core/lib/constant-time.ts";
import { TimeSlices } from "../../core/lib/time-slices.ts";

type Algorithm = "sha1" | "sha256";
type SigningKey = string | Uint8Array;

const hmac = (algorithm: Algorithm, key: SigningKey) => new Bun.CryptoHasher(algorithm, key);

async function hashInSlices(
  hasher: Bun.CryptoHasher,
  pieces: Iterable<Uint8Array>,
): Promise<Bun.CryptoHasher> {
  const slices = new TimeSlices();
  for (const piece of pieces) {
    if (slices.isOver) await slices.next();
    hasher.update(piece);
  }
  return hasher;
}

const pieceBytes = 512 * 1024;

/** The bytes, in pieces that are hashed within some milliseconds. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/**
 * `<prefix><hex HMAC of the body>`. An empty or missing header is never valid, and nothing is hashed for one
 * of another length.
 */
export async function isHexHmac(
  header: string | null,
  body: Iterable<Uint8Array>,
  key: SigningKey,
  { algorithm = "sha256", prefix = "" }: { algorithm?: Algorithm; prefix?: string } = {},
): Promise<boolean> {
  const hasher = hmac(algorithm, key);
  if (header?.length !== prefix.length + 2 * hasher.byteLength) return false;
  return constantTimeEqual(prefix + (await hashInSlices(hasher, body)).digest("hex"), header);
}

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
export async function isStandardWebhook(
  headers: Headers,
  bytes: Uint8Array,
  signingToken: string,
  seconds: number,
): Promise<boolean> {
  const [id, timestamp] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(seconds - Number(timestamp)) > toleranceSeconds) return false;
  const key = Buffer.from(signingToken.slice(signingTokenPrefix.length), "base64");
  if (key.length === 0) return false;
  const hasher = hmac("sha256", key).update(`${id}.${timestamp}.`);
  const expected = `v1,${(await hashInSlices(hasher, piecesOf(bytes))).digest("base64")}`;
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
  const expected = hmac("sha256", secret).update(`${header}.${claims}`).digest("base64url");
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
