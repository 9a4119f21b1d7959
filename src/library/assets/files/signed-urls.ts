/** Signed URLs of files: an HMAC-SHA256 over purpose, asset id, expiry and, if it has one, share link. */

import { type Verifying, validSecrets } from "../../../core/auth/secret.ts";
import type { Config } from "../../../core/config.ts";
import { constantTimeEqual } from "../../../core/lib/constant-time.ts";
import { type Micros, secondMicros } from "../../../core/lib/time.ts";
import { forbidden } from "../../../core/problem.ts";
import { encodeKey } from "../../../files/stores/keys.ts";

/**
 * `view`: the file; `thumb`: its thumbnail; `bundle`: every file of a page under one prefix; `download`: the
 * file as an attachment; `annotated`: images of it with its annotations; `upload`: one PUT.
 */
export type Purpose = "view" | "thumb" | "bundle" | "download" | "annotated" | "upload";

export const signedFilePath = "/api/assets";

/** 32 characters of base64url: 192 bits. */
function signature(
  secret: string,
  purpose: Purpose,
  subject: string,
  expires: number,
  share: string | undefined,
): string {
  const text = JSON.stringify([purpose, subject, expires, ...(share === undefined ? [] : [share])]);
  return new Bun.CryptoHasher("sha256", `svc signed address ${secret}`)
    .update(text)
    .digest("base64url")
    .slice(0, 32);
}

/**
 * Returns `<expires>-<signature>`, one path segment; for a share link, its id follows. `expires` is in
 * seconds since the epoch.
 */
export const signExpiry = (
  secret: string,
  purpose: Purpose,
  subject: string,
  expires: number,
  share?: string,
): string =>
  [
    expires,
    signature(secret, purpose, subject, expires, share),
    ...(share === undefined ? [] : [share]),
  ].join("-");

const signedExpiryShape = /^([1-9]\d{0,11})-([\w-]{32})(?:-([0-9A-Z]{26}))?$/;

/** The share link that a signed URL belongs to, whose state decides too; undefined for other URLs. */
export const shareOfSigned = (signedExpiry: string): string | undefined =>
  signedExpiryShape.exec(signedExpiry)?.[3];

export const invalidLink = () => forbidden("This link is invalid or has expired.");

/** Whether the signature is valid for this purpose and subject and has not expired. */
export function isValidSignature(
  ctx: Verifying,
  purpose: Purpose,
  subject: string,
  signedExpiry: string,
  at: Micros = ctx.now(),
): boolean {
  const [, expires, received, share] = signedExpiryShape.exec(signedExpiry) ?? [];
  if (!expires || !received) return false;
  const isSigned = validSecrets(ctx).some((secret) =>
    constantTimeEqual(signature(secret, purpose, subject, Number(expires), share), received),
  );
  return isSigned && Number(expires) * secondMicros > at;
}

/** URLs of an asset change only this often per lifetime, so that browsers can cache the file. */
const stepsPerLifetime = 12;

/** When a URL signed now expires, in Unix seconds: rounded up, so that URLs stay the same for a while. */
export function viewExpiry(config: Pick<Config, "viewSeconds">, now: Micros): number {
  const step = Math.max(1, Math.floor(config.viewSeconds / stepsPerLifetime));
  return Math.ceil((now / secondMicros + config.viewSeconds) / step) * step;
}

/**
 * Returns the signed URL of a file, a thumbnail or a page of an asset. `expires` is in seconds since the
 * epoch.
 */
export function signedUrl(
  { config, secret }: { config: Config; secret: string },
  purpose: Exclude<Purpose, "upload">,
  id: string,
  name: string,
  expires: number,
  share?: string,
): string {
  const seal = signExpiry(secret, purpose, id, expires, share);
  return `${config.contentUrl}${signedFilePath}/${purpose}/${id}/${seal}/${encodeKey(name)}`;
}
