/**
 * Shows times in the viewer's time zone, with UTC on hover, and groups events by the viewer's days. The page
 * loads it with `blocking="render"`, so that nothing moves after the first paint.
 */

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const formatter = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", options);
/** The formats of src/web/time.tsx. */
const formats: Record<string, Intl.DateTimeFormat> = {
  time: formatter({ ...clock, second: "2-digit" }),
  date: formatter(date),
  short: formatter({ ...clock, day: "numeric", month: "short" }),
  "date-time": formatter({ ...date, ...clock }),
};
const dayFormat = formatter({ ...date, month: "long", weekday: "long" });
/** 2026-11-20 */
const dayKeyFormat = new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" });
const timeZone = dayFormat.resolvedOptions().timeZone;

/** Shows the times inside `root` in the viewer's time zone. */
export function showLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-format]")) {
    const shown = formats[time.dataset.format ?? ""];
    if (!shown) continue;
    // ICU separates a date without a year from its time by a comma.
    const text = shown.format(new Date(time.dateTime));
    time.textContent = time.dataset.format === "short" ? text.replace(",", "") : text;
    time.title = `${time.dateTime.slice(0, 19).replace("T", " ")} UTC`;
  }
  groupByLocalDay(root);
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
