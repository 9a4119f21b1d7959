/** The live feed: follows the event stream, counts and shows new events, and loads older events on scroll. */

import { onFiltered } from "../lists/filters.js";
import { showLocalTimes } from "../page/times.js";
import { followEvents } from "./live-stream.js";

const newEventsButton = document.getElementById("news") as HTMLButtonElement | null;
const days = () => document.getElementById("days") as HTMLElement;

/** Debounce: events that arrive within this time are fetched together. */
const debounceMs = 60;

/** Timestamp of the newest event shown; on an empty page every event is new. */
const newestShown = () => days().dataset.newest || "1970-01-01T00:00:00Z";
let newest = newestShown();
let lastReceived = newest;
let newCount = 0;
let fetching = false;

function query(change: Record<string, string>): string {
  // A form also sends its empty fields.
  const params = new URLSearchParams(
    [...new URLSearchParams(location.search)].filter(([, value]) => value !== ""),
  );
  for (const name of ["before", "after"]) params.delete(name);
  // A form without scripts repeats a parameter for each of its values.
  for (const name of new Set(params.keys())) params.set(name, params.getAll(name).join());
  for (const [name, value] of Object.entries(change)) params.set(name, value);
  return params.toString();
}

/** The filter by actor in the forms that events have, which only the server knows. */
function actorForms(): Record<string, string> {
  const { actor } = days().dataset;
  return actor ? { actor } : {};
}

/** Fetches rows, rendered and escaped by the server. @returns null if the filters changed meanwhile */
async function fetchRows(params: Record<string, string>): Promise<HTMLElement | null> {
  const shown = days();
  const response = await fetch(`/web/feed-rows?${query(params)}`);
  if (!response.ok) throw new Error(String(response.status));
  const { body } = new DOMParser().parseFromString(await response.text(), "text/html");
  showLocalTimes(body);
  return shown === days() ? body : null;
}

/** Adds day sections to the page; the rows of a day that is already shown are added to its list. */
function merge(found: HTMLElement, at: "top" | "end"): void {
  const shown = days();
  const sections = [...found.querySelectorAll<HTMLElement>(".day")];
  for (const section of at === "top" ? sections.reverse() : sections) {
    const list = [...section.querySelectorAll<HTMLElement>(".event")];
    for (const row of list) {
      const before = shown.querySelector<HTMLElement>(
        `.event[data-id="${CSS.escape(row.dataset.id ?? "")}"]`,
      );
      if (before && at === "top" && row.matches(".run-row")) takePlace(row, before);
      else if (before) row.remove();
      if (at === "top") row.classList.add("fresh");
    }
    const left = list.filter((row) => row.parentElement);
    const dayList = shown.querySelector<HTMLElement>(`.day[data-day="${section.dataset.day}"] .events`);
    if (left.length === 0) continue;
    if (!dayList) at === "top" ? shown.prepend(section) : shown.append(section);
    else at === "top" ? dayList.prepend(...left) : dayList.append(...left);
  }
}

/** A run moves up with each of its events; it stays open, and keeps the keyboard focus. */
function takePlace(row: HTMLElement, before: HTMLElement): void {
  const details = row.querySelector("details") as HTMLDetailsElement;
  details.open = before.querySelector("details")?.open ?? false;
  const hadFocus = before.contains(document.activeElement);
  before.remove();
  if (hadFocus) setTimeout(() => details.querySelector("summary")?.focus({ preventScroll: true }));
}

async function showNewEvents(): Promise<void> {
  if (fetching) return;
  fetching = true;
  let fetchedCount = 0;
  try {
    while (newCount > 0) {
      fetchedCount = newCount;
      newCount = 0;
      await new Promise((resolve) => setTimeout(resolve, debounceMs));
      const found = await fetchRows({ after: newest });
      if (!found) continue;
      // More new events than fit one page: reload instead of leaving a gap.
      if (found.querySelector("#older")) return location.assign(`/feed?${query({})}`);
      days().querySelector(".empty")?.remove();
      merge(found, "top");
      for (const { dataset } of found.querySelectorAll<HTMLElement>(".event"))
        if (dataset.ts && dataset.ts > newest) newest = dataset.ts;
    }
    if (newEventsButton) newEventsButton.hidden = true;
  } catch {
    newCount += fetchedCount; // retried on click, with the next event, or after reconnecting
    showCounter();
  } finally {
    fetching = false;
  }
}

/** At the top of the page new events appear immediately; after scrolling only the counter changes. */
function handleNewEvent(): void {
  if (scrollY < 80 && document.visibilityState === "visible") void showNewEvents();
  else showCounter();
}

function showCounter(): void {
  if (!newEventsButton) return;
  newEventsButton.textContent = `${newCount} new event${newCount === 1 ? "" : "s"}`;
  newEventsButton.hidden = false;
}

async function loadOlder(link: HTMLAnchorElement): Promise<void> {
  const before = new URL(link.href).searchParams.get("before") ?? "";
  link.textContent = "Loading…";
  link.setAttribute("aria-busy", "true");
  try {
    const found = await fetchRows({ before });
    if (!found) return;
    const older = found.querySelector(".older") as HTMLElement;
    merge(found, "end");
    document.querySelector(".older")?.replaceWith(older);
    watchOlder();
  } catch {
    link.textContent = "Couldn't load older events. Try again";
    link.removeAttribute("aria-busy");
  }
}

function watchOlder(): void {
  const link = document.getElementById("older") as HTMLAnchorElement | null;
  if (!link) return;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    void loadOlder(link);
  });
  new IntersectionObserver(
    (entries, observer) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      void loadOlder(link);
    },
    { rootMargin: "600px" },
  ).observe(link);
}

newEventsButton?.addEventListener("click", () => {
  scrollTo({ top: 0 });
  void showNewEvents();
});
addEventListener("scroll", () => {
  if (newCount > 0 && scrollY < 80) void showNewEvents();
});

/** Follows the stream unless this is a page of the past. */
const reconnect = document.getElementById("live")
  ? followEvents({
      query: () => query({ after: lastReceived, ...actorForms() }),
      onEvent({ ts }) {
        lastReceived = ts;
        newCount++;
        handleNewEvent();
      },
      onOpen() {
        if (newCount > 0) handleNewEvent();
      },
    })
  : undefined;

onFiltered(() => {
  newest = newestShown();
  lastReceived = newest;
  newCount = 0;
  if (newEventsButton) newEventsButton.hidden = true;
  reconnect?.();
  watchOlder();
});
watchOlder();
