/** Formats an event as one line for the terminal: aligned, colored by kind, control characters escaped. */

import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import type { Event, EventKind } from "../../../src/feed/schema.ts";
import { styles } from "../../output/styles.ts";
import { formatAge, formatCount, formatDuration, pad, truncate } from "../../output/table.ts";

export interface LineStyle {
  /** Columns of the terminal; Infinity if the output is not a terminal. */
  width: number;
  time: "absolute" | "relative";
  nowMs(): number;
}

type Paint = (text: string) => string;

const paints: [RegExp, Paint][] = [
  [/failed$/, styles.red],
  [/^(run\.finished|preview\.ready|pr\.merged|asset\.published)$/, styles.green],
  [/^(step|workflow|memory|onboard)\./, styles.gray],
  [/^run\./, styles.cyan],
  [/^issue\./, styles.blue],
  [/^pr\./, styles.magenta],
  [/^(decision|preference)\./, styles.yellow],
  [/^asset\./, styles.cyanBright],
];
const paintOf = (kind: EventKind): Paint =>
  paints.find(([shape]) => shape.test(kind))?.[1] ?? ((text) => text);

const kindWidth = "memory.consolidated".length;
const actorWidth = 18;
const projectWidth = 14;
/** Usage gives way to the summary below this width. */
const summaryWidthMin = 16;

/** An event as a line of at most `width` columns. */
export function feedLine(event: Event, { width, time, nowMs }: LineStyle): string {
  const when = time === "absolute" ? absolute(event.ts) : formatAge(nowMs() - Date.parse(event.ts));
  const columns = [
    styles.dim(pad(when, time === "absolute" ? 14 : 8)),
    paintOf(event.kind)(pad(event.kind, kindWidth)),
  ];
  // A narrow terminal omits project and actor, to leave room for the summary.
  if (width >= 80)
    columns.push(pad(truncate(escapeControls(event.project ?? "–"), projectWidth), projectWidth));
  if (width >= 110)
    columns.push(styles.dim(pad(truncate(escapeControls(event.actor), actorWidth), actorWidth)));
  const head = columns.join("  ");
  const roomBeside = (usage: string) =>
    width - Bun.stringWidth(head) - 2 - (usage ? Bun.stringWidth(usage) + 2 : 0);
  const parts = usageOf(event);
  while (parts.length > 0 && roomBeside(parts.join("  ")) < summaryWidthMin) parts.shift();
  const usage = parts.join("  ");
  const room = roomBeside(usage);
  const summary = Number.isFinite(width)
    ? truncate(escapeControls(event.summary), Math.max(room, 0))
    : escapeControls(event.summary);
  const line = `${head}  ${summary}`;
  if (!usage) return line;
  const gap = Number.isFinite(width)
    ? Math.max(2, width - Bun.stringWidth(line) - Bun.stringWidth(usage))
    : 2;
  return `${line}${" ".repeat(gap)}${styles.dim(usage)}`;
}

/**
 * Tokens in and out, cost and duration, if the event has them; the least important first. `~` marks a cost
 * that the service computed.
 */
function usageOf(event: Event): string[] {
  const tokens =
    event.tokens_in || event.tokens_out
      ? `${formatCount(event.tokens_in)}→${formatCount(event.tokens_out)}`
      : "";
  const sign = event.cost_source === "computed" ? "~$" : "$";
  const cost = event.cost_equiv
    ? `${sign}${event.cost_equiv < 0.1 ? event.cost_equiv.toFixed(3) : event.cost_equiv.toFixed(2)}`
    : "";
  const duration = event.duration_ms === null ? "" : formatDuration(event.duration_ms);
  return [tokens, cost, duration].filter(Boolean);
}

/** Formats a time as `Nov 20 12:03:44`, in the local time zone. */
function absolute(ts: string): string {
  const date = new Date(ts);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const month = date.toLocaleString("en", { month: "short" });
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  return `${month} ${twoDigits(date.getDate())} ${time}`.slice(0, 15).padEnd(14);
}
