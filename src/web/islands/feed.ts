/** The live feed: follows the event stream, counts and shows new events, and loads older events on scroll. */

import { showLocalTimes } from "./times.js";

const days = document.getElementById("days") as HTMLElement;
const newEventsButton = document.getElementById("news") as HTMLButtonElement | null;
const live = document.getElementById("live");
const liveText = document.getElementById("live-text");

const retryMs = 3_000;
/** Debounce: events that arrive within this time are fetched together. */
const debounceMs = 60;

/** Timestamp of the newest event shown; on an empty page every event is new. */
let newest = days.dataset.newest || "1970-01-01T00:00:00Z";
let newCount = 0;
let fetching = false;

function query(change: Record<string, string>): string {
  // A form also sends its empty fields.
  const params = new URLSearchParams(
    [...new URLSearchParams(location.search)].filter(([, value]) => value !== ""),
  );
  for (const name of ["before", "after"]) params.delete(name);
  for (const [name, value] of Object.entries(change)) params.set(name, value);
  return params.toString();
}

function showState(state: "live" | "lost" | "offline" | "over", text: string): void {
  if (!live || !liveText) return;
  live.hidden = false;
  live.dataset.state = state;
  liveText.textContent = text;
}

/** Fetches rows, rendered and escaped by the server. */
async function fetchRows(params: Record<string, string>): Promise<HTMLElement> {
  const response = await fetch(`/web/feed-rows?${query(params)}`);
  if (!response.ok) throw new Error(String(response.status));
  const { body } = new DOMParser().parseFromString(await response.text(), "text/html");
  showLocalTimes(body);
  return body;
}

/** Adds day sections to the page; the rows of a day that is already shown are added to its list. */
function merge(found: HTMLElement, at: "top" | "end"): void {
  const sections = [...found.querySelectorAll<HTMLElement>(".day")];
  for (const section of at === "top" ? sections.reverse() : sections) {
    const list = [...section.querySelectorAll<HTMLElement>(".event")];
    for (const row of list)
      if (days.querySelector(`.event[data-id="${row.dataset.id}"]`)) row.remove();
      else if (at === "top") row.classList.add("fresh");
    const left = list.filter((row) => row.parentElement);
    const dayList = days.querySelector<HTMLElement>(`.day[data-day="${section.dataset.day}"] .events`);
    if (left.length === 0) continue;
    if (!dayList) at === "top" ? days.prepend(section) : days.append(section);
    else at === "top" ? dayList.prepend(...left) : dayList.append(...left);
  }
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
      // More new events than fit one page: reload instead of leaving a gap.
      if (found.querySelector("#older")) return location.assign(`/?${query({})}`);
      days.querySelector(".empty")?.remove();
      merge(found, "top");
      newest = found.querySelector<HTMLElement>(".event")?.dataset.ts ?? newest;
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

let stream: EventSource | undefined;
let lastReceived = newest;

function openStream(): void {
  stream?.close();
  stream = new EventSource(`/web/feed/stream?${query({ after: lastReceived })}`);
  stream.onopen = () => {
    showState("live", "Live");
    if (newCount > 0) handleNewEvent();
  };
  stream.onmessage = ({ data }) => {
    lastReceived = (JSON.parse(data) as { ts: string }).ts;
    newCount++;
    handleNewEvent();
  };
  stream.onerror = () => void handleStreamError();
}

/** EventSource reconnects by itself after a network error, but not after an HTTP error such as 401. */
async function handleStreamError(): Promise<void> {
  showState(navigator.onLine ? "lost" : "offline", navigator.onLine ? "Reconnecting…" : "Offline");
  if (stream?.readyState !== EventSource.CLOSED) return;
  const response = await fetch(`/web/feed-rows?${query({ limit: "1" })}`).catch(() => null);
  if (response?.status === 401 || response?.status === 403) {
    showState("over", "Your session has ended. ");
    const link = document.createElement("a");
    link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = "Sign in";
    liveText?.append(link);
    return;
  }
  setTimeout(openStream, retryMs);
}

async function loadOlder(link: HTMLAnchorElement): Promise<void> {
  const before = new URL(link.href).searchParams.get("before") ?? "";
  link.textContent = "Loading…";
  link.setAttribute("aria-busy", "true");
  try {
    const found = await fetchRows({ before });
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
/**
 * Browsers allow six HTTP/1.1 connections per host, so a hidden tab closes its stream; it catches up when it
 * becomes visible.
 */
document.addEventListener("visibilitychange", () => {
  if (!live) return;
  if (document.visibilityState === "hidden") return stream?.close();
  openStream();
  if (newCount > 0 && scrollY < 80) void showNewEvents();
});
addEventListener("offline", () => showState("offline", "Offline"));
addEventListener("online", () => {
  showState("lost", "Reconnecting…");
  openStream(); // the old connection may be dead
});
if (live) {
  showState("lost", "Connecting…");
  openStream();
}
watchOlder();
