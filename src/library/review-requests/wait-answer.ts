/** The parts of the answer of a wait. */

import { fromMicros } from "../../core/lib/time.ts";
import { reviewUrlOf, type SiteConfig } from "../assets/page-url.ts";
import type { ReviewState } from "../rows.ts";
import type { Approvals } from "../verdicts/schema.ts";
import type { ReviewWait } from "./wait-schema.ts";

export interface AnswerOptions {
  /** The timeout, in seconds. */
  applied: number;
  /** The cursor of the previous answer. */
  after: string | undefined;
}

export function toItem(
  config: SiteConfig,
  { project: _, kind: __, reviewed_at, ...item }: ReviewState,
  approvals: Approvals | undefined,
): ReviewWait["items"][number] {
  const at = reviewed_at === null ? null : fromMicros(reviewed_at);
  return { ...item, reviewed_at: at, ...(approvals && { approvals }), ...reviewUrlOf(config, item) };
}

/** @param lines what was reviewed and when, in any order */
export const waitCursor = (lines: readonly string[]): string =>
  new Bun.CryptoHasher("sha256").update(lines.toSorted().join("")).digest("base64url").slice(0, 16);
