/**
 * Shows times in the viewer's time zone, with UTC on hover, and groups events by the viewer's days. The page
 * loads it with `blocking="render"`, so that nothing moves after the first paint.
 */

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const formatter = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", options);
const clockFormat = formatter({ ...clock, second: "2-digit" });
const dateFormat = formatter(date);
const exactFormat = formatter({ ...date, ...clock });
const ageFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dayFormat = formatter({ ...date, month: "long", weekday: "long" });
/** 2026-11-20 */
const dayKeyFormat = new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" });
const timeZone = dayFormat.resolvedOptions().timeZone;

/** Longest age that is shown as one; a date is clearer after that. */
const ageDaysMax = 7;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Days between two times as people count them: midnights of the viewer. */
const midnights = (from: Date, to: Date): number =>
  Math.round((new Date(to).setHours(0, 0, 0, 0) - new Date(from).setHours(0, 0, 0, 0)) / (24 * hourMs));

/** Full units of the past; the time that is left is rounded, as on the desk. */
const whole = (units: number): number => (units > 0 ? Math.round(units) : Math.trunc(units));

/** 5 minutes ago, in 3 hours, yesterday, 4 days ago, 20 Nov 2026 */
function ageOf(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime();
  if (Math.abs(ms) < minuteMs) return "just now";
  if (Math.abs(ms) < hourMs) return ageFormat.format(whole(ms / minuteMs), "minute");
  if (Math.abs(ms) < 24 * hourMs) return ageFormat.format(whole(ms / hourMs), "hour");
  const days = midnights(now, time);
  return Math.abs(days) < ageDaysMax ? ageFormat.format(days, "day") : dateFormat.format(time);
}

/** Shows the times inside `root` in the viewer's time zone. */
export function showLocalTimes(root: ParentNode): void {
  showTimes(root);
  groupByLocalDay(root);
}

function showTimes(root: ParentNode): void {
  const now = new Date();
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-format]")) {
    const at = new Date(time.dateTime);
    const utc = `${time.dateTime.slice(0, 19).replace("T", " ")} UTC`;
    const isAge = time.dataset.format === "age";
    const format = time.dataset.format === "clock" ? clockFormat : exactFormat;
    const text = isAge ? ageOf(at, now) : format.format(at);
    if (time.textContent !== text) time.textContent = text;
    time.title = isAge ? `${exactFormat.format(at)} (${utc})` : utc;
  }
}

function groupByLocalDay(root: ParentNode): void {
  let current: HTMLElement | undefined;
  for (const section of root.querySelectorAll<HTMLElement>(".day")) {
    for (const row of section.querySelectorAll<HTMLElement>(".event")) {
      const time = new Date(row.dataset.ts ?? "");
      const day = dayKeyFormat.format(time);
      if (current?.dataset.day !== day) {
        current = emptyDay(section, day, dayFormat.format(time));
        section.before(current);
      }
      current.lastElementChild?.append(row);
    }
    section.remove();
  }
}

/** Copies a day section without its events. */
function emptyDay(section: HTMLElement, day: string, title: string): HTMLElement {
  const copy = section.cloneNode(false) as HTMLElement;
  copy.dataset.day = day;
  for (const child of section.children) copy.append(child.cloneNode(false));
  (copy.firstElementChild as HTMLElement).textContent = title;
  return copy;
}

for (const note of document.querySelectorAll("[data-time-zone]"))
  note.textContent = `Times are in ${timeZone}`;
showLocalTimes(document);
setInterval(() => showTimes(document), minuteMs);
