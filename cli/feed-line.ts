/** One event as one line of a terminal: aligned, coloured by kind, nothing in it acts. */
import { colors } from "consola/utils";
import type { Event, EventKind } from "../src/feed/schema.ts";
import { escapeControls } from "../src/lib/display-text.ts";
import { ago, fit, lasting, pad, short } from "./table.ts";

export interface LineStyle {
  /** Columns of the terminal; Infinity where nobody looks at one. */
  width: number;
  time: "absolute" | "relative";
  nowMs(): number;
}

type Paint = (text: string | number) => string;

const paints: [RegExp, Paint][] = [
  [/failed$/, colors.red],
  [/^(run\.finished|preview\.ready|pr\.merged|asset\.published)$/, colors.green],
  [/^(step|workflow|memory|onboard)\./, colors.gray],
  [/^run\./, colors.cyan],
  [/^issue\./, colors.blue],
  [/^pr\./, colors.magenta],
  [/^(decision|preference)\./, colors.yellow],
  [/^asset\./, colors.cyanBright],
];
const paintOf = (kind: EventKind): Paint =>
  paints.find(([shape]) => shape.test(kind))?.[1] ?? ((text) => String(text));

const kindWidth = "memory.consolidated".length;
const actorWidth = 18;
const projectWidth = 14;

export function feedLine(event: Event, { width, time, nowMs }: LineStyle): string {
  const when = time === "absolute" ? absolute(event.ts) : ago(nowMs() - Date.parse(event.ts));
  const columns = [
    colors.dim(pad(when, time === "absolute" ? 14 : 8)),
    paintOf(event.kind)(pad(event.kind, kindWidth)),
  ];
  // A narrow terminal gives its columns to what happened.
  if (width >= 80) columns.push(pad(fit(escapeControls(event.project ?? "–"), projectWidth), projectWidth));
  if (width >= 110) columns.push(colors.dim(pad(fit(escapeControls(event.actor), actorWidth), actorWidth)));
  const head = columns.join("  ");
  const facts = factsOf(event);
  const room = width - Bun.stringWidth(head) - 2 - (facts ? Bun.stringWidth(facts) + 2 : 0);
  const summary = Number.isFinite(width)
    ? fit(escapeControls(event.summary), Math.max(room, 12))
    : escapeControls(event.summary);
  const line = `${head}  ${summary}`;
  if (!facts) return line;
  const gap = Number.isFinite(width)
    ? Math.max(2, width - Bun.stringWidth(line) - Bun.stringWidth(facts))
    : 2;
  return `${line}${" ".repeat(gap)}${colors.dim(facts)}`;
}

/** Tokens in and out, cost and time, where the event has them. */
function factsOf(event: Event): string {
  const tokens =
    event.tokens_in || event.tokens_out ? `${short(event.tokens_in)}→${short(event.tokens_out)}` : "";
  const cost = event.cost_equiv
    ? `$${event.cost_equiv < 0.1 ? event.cost_equiv.toFixed(3) : event.cost_equiv.toFixed(2)}`
    : "";
  const took = event.duration_ms === null ? "" : lasting(event.duration_ms);
  return [tokens, cost, took].filter(Boolean).join("  ");
}

/** `Nov 20 12:03:44`, in the zone of the terminal. */
function absolute(ts: string): string {
  const date = new Date(ts);
  const two = (value: number) => String(value).padStart(2, "0");
  const month = date.toLocaleString("en", { month: "short" });
  return `${month} ${two(date.getDate())} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`
    .slice(0, 15)
    .padEnd(14);
}
