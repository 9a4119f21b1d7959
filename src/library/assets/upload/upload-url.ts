/**
 * Signed upload URLs: for one PUT, or of a resumable upload, whose URL expires later.
 */
import { anonymous, type Caller } from "../../../core/auth/caller.ts";
import type { Verifying } from "../../../core/auth/secret.ts";
import type { Config } from "../../../core/config.ts";
import { dayMicros, type Micros, secondMicros } from "../../../core/lib/time.ts";
import { conflict, gone } from "../../../core/problem.ts";
import type { UploadRow } from "../../rows.ts";
import { invalidLink, isValidSignature, signExpiry, signedFilePath } from "../files/signed-urls.ts";

/** The caller of a signed upload URL, in the audit log. */
export const byUploadUrl: Caller = { ...anonymous, source: { via: "address" } };

export const alreadyUploaded = () =>
  conflict("This file was already uploaded. Finalize it, or reserve another upload.");

/** Cleanup deletes an unfinished upload this long after its reservation has expired. */
export const resumableGraceMicros = dayMicros;

/** The time until which an upload can be resumed. */
export const resumableUntil = ({ expires_at }: Pick<UploadRow, "expires_at">): Micros =>
  expires_at + resumableGraceMicros;

export function resumableUrl(
  { config, secret }: { config: Config; secret: string },
  upload: Pick<UploadRow, "id" | "expires_at">,
): string {
  const expires = Math.ceil(resumableUntil(upload) / secondMicros);
  const seal = signExpiry(secret, "upload", upload.id, expires);
  return `${config.contentUrl}${signedFilePath}/upload/${upload.id}/${seal}`;
}

/** @throws {Problem} 403 for a URL that was not signed here, 410 for one that has expired */
export function requireResumableUrl(ctx: Verifying, id: string, signedExpiry: string): void {
  if (isValidSignature(ctx, "upload", id, signedExpiry)) return;
  throw isValidSignature(ctx, "upload", id, signedExpiry, 0)
    ? gone("This upload has expired. Reserve a new one.")
    : invalidLink();
}
