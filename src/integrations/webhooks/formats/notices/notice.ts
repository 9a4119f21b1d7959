/** What a chat message says, before a service's format lays it out. All texts are plain and clean. */
import { actorLabel } from "../../../../core/auth/actor-name.ts";
import type { Config } from "../../../../core/config.ts";
import { cleanLine } from "../../../../core/lib/strings/clean-text.ts";

/** `quiet`: services that can deliver without a sound do so. */
export type Urgency = "urgent" | "normal" | "quiet";
type Tone = "waiting" | "good" | "bad" | "warning" | "neutral";

interface Link {
  label: string;
  url: string;
}

/** An image that a service on the internet can load. */
export interface Image {
  url: string;
  alt: string;
}

export interface Notice {
  tone: Tone;
  /** One line. */
  title: string;
  /** Short lines about it: who, how long, how much. */
  facts: string[];
  /** What a person or an agent wrote, such as the note of a review; may have several lines. */
  quote: string | null;
  link: Link | null;
  image: Image | null;
}

/** One message about a project: a notice, or several that came together. */
export interface Digest {
  /** The project; null for events without one. */
  project: string | null;
  notices: readonly [Notice, ...Notice[]];
  /** How many more there are, which the message only counts. */
  moreCount: number;
  /** The page with everything that the message leaves out. */
  feedUrl: string;
  /** The highest of its notices. */
  urgency: Urgency;
}

/** The first line of a message with several notices; null when its only notice speaks for itself. */
export function headlineOf({ project, notices, moreCount }: Digest): string | null {
  const count = notices.length + moreCount;
  return count === 1 ? null : `${count} updates${project === null ? "" : ` in ${project}`}`;
}

/** The link at the end of a message. */
export const moreText = (moreCount: number): string => (moreCount > 0 ? `${moreCount} more` : "Open svc");

/** The emoji of a tone, and its name as a tag of ntfy. */
export const toneStyles: Record<Tone, { emoji: string; tag: string; color: string }> = {
  waiting: { emoji: "👀", tag: "eyes", color: "#2563eb" },
  good: { emoji: "✅", tag: "white_check_mark", color: "#15803d" },
  bad: { emoji: "❌", tag: "x", color: "#b91c1c" },
  warning: { emoji: "⚠️", tag: "warning", color: "#b45309" },
  neutral: { emoji: "💬", tag: "speech_balloon", color: "#6b7280" },
};

/** Text of people and agents, cleaned for a message: no control, bidi or invisible characters. */
const lineBytesMax = 600;

const linesMax = 20;

/** Enough for every service; each cuts it to its own limit. */
const quoteBytesMax = 4096;

export const cleanTitle = (text: string): string => cleanLine(text, lineBytesMax);

/** The name of an actor, as people call it: `ana` for `human:ana`. */
export const cleanActor = ({ config }: { config: Pick<Config, "hidePersons"> }, actor: string): string =>
  cleanTitle(actorLabel(actor, config));

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
