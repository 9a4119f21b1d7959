/** What uploads to a signed URL have in common, whether sent in one PUT or resumed. */
import { anonymous, type Caller } from "../../../core/auth/caller.ts";
import { conflict } from "../../../core/problem.ts";

/** The caller of a signed upload URL, in the audit log. */
export const byUploadUrl: Caller = { ...anonymous, source: { via: "address" } };

export const alreadyUploaded = () =>
  conflict("This file was already uploaded. Finalize it, or reserve another upload.");
