/** The text of webhook events: parts of summaries, and cleaning what strangers wrote. */
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import type { Appendable } from "../../feed/rows.ts";

const urlLengthMax = 2048;

/** Text that a sender can leave out. */
export type Text = string | null | undefined;

/** An event as the sender tells it. */
export type UncleanEvent = Omit<Appendable, "url"> & { url: Text };

export const cleanEvent = (event: UncleanEvent): Appendable => ({
  ...event,
  summary: cleanLine(event.summary, 1024),
  url: httpsUrl(event.url),
  // Ids are the sender's, and Postgres stores no NUL.
  ...(event.dedupe_key && { dedupe_key: event.dedupe_key.replaceAll("\0", "\ufffd") }),
});

/** Normalizes an https URL, which escapes line breaks and invisible characters; null for anything else. */
function httpsUrl(text: Text): string | null {
  const url = URL.parse(text ?? "");
  return url?.protocol === "https:" && url.href.length <= urlLengthMax ? url.href : null;
}

/** A deployment is a preview unless it went to production; without a word about that, its name decides. */
export function deploymentSummary(
  isSuccess: boolean,
  environment: Text,
  isProduction: boolean | null | undefined,
) {
  if (isProduction ?? /^prod(uction)?$/i.test(environment ?? ""))
    return `Deployment to ${environment || "production"} ${isSuccess ? "succeeded" : "failed"}`;
  return `Preview ${isSuccess ? "ready" : "failed"}${environment ? ` in ${environment}` : ""}`;
}

/** `CI #7 on main`. @param number null for a check, which has none */
export function runName(name: Text, number: number | null, branch: Text): string {
  const numbered = `${name || "Workflow"}${number === null ? "" : ` #${number}`}`;
  return `${numbered}${branch ? ` on ${branch}` : ""}`;
}

/** Of a check, which has no number: `CI on main: timed out` */
export const checkSummary = (name: Text, branch: Text, outcome: string): string =>
  `${runName(name, null, branch)}: ${spaced(outcome)}`;

export const spaced = (name: string): string => name.replaceAll("_", " ");

/** The first line of a text, trimmed; empty without one. */
export const firstLine = (text: Text): string => text?.trim().split("\n", 1)[0] ?? "";

/** Null if a time is missing, or the end is before the start. */
export function msBetween(start: Text, end: Text): number | null {
  const tookMs = Date.parse(end ?? "") - Date.parse(start ?? "");
  return tookMs >= 0 ? tookMs : null;
}
