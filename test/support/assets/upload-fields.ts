/** The fields of an upload, as a form has them and as the asset then has them. */
import { expect } from "bun:test";
import { createHash } from "node:crypto";

export const sha256 = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");
export const isUlid = expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
/** The fields of an asset before its review. */
export const fresh = {
  ...{
    version: 1,
    status: "pending",
    parent_id: null,
    reviewed_by: null,
    reviewed_at: null,
    review_note: null,
  },
  ...{ public_url: null, expires_at: null, run_id: null, set: null },
};
