/** Text of people and agents, cleaned for a message: no control, bidi or invisible characters. */
import { cleanLine } from "../../../../core/lib/strings/clean-text.ts";

const lineBytesMax = 600;
const linesMax = 20;
/** Enough for every service; each cuts it to its own limit. */
const quoteBytesMax = 4096;

export const cleanTitle = (text: string): string => cleanLine(text, lineBytesMax);

/** The name of an actor, as people call it: `ana` for `human:ana`. */
export const cleanActor = (actor: string): string => cleanTitle(actor.replace(/^[a-z]+:/, ""));

/** Keeps line breaks, without blank lines; null when nothing is left. */
export function cleanQuote(text: string | null): string | null {
  const lines = (text ?? "")
    .slice(0, quoteBytesMax)
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => cleanLine(line, quoteBytesMax))
    .filter((line) => line !== "");
  const shown = lines.slice(0, linesMax);
  if (shown.length < lines.length) shown.push("…");
  return shown.length === 0 ? null : shown.join("\n");
}
