/** What stands in place of a redacted text. */
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { fromMicros } from "../../core/lib/time.ts";
import type { RemovalRow } from "./rows.ts";

const noticeBytesMax = 900;

export function redactionNotice({
  removed_by,
  removed_at,
  reason,
}: Pick<RemovalRow, "removed_by" | "removed_at" | "reason">): string {
  const day = fromMicros(removed_at).slice(0, 10);
  return `[${cleanLine(`Redacted by ${removed_by} on ${day}: ${reason}`, noticeBytesMax)}]`;
}

export const isRedactionNotice = (text: string): boolean =>
  /^\[Redacted by .+ on \d{4}-\d\d-\d\d: .*\]$/.test(text);
