/** Cleans what strangers wrote in the events of webhooks. */
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
});

/** Normalizes an https URL, which escapes line breaks and invisible characters; null for anything else. */
function httpsUrl(text: Text): string | null {
  const url = URL.parse(text ?? "");
  return url?.protocol === "https:" && url.href.length <= urlLengthMax ? url.href : null;
}
