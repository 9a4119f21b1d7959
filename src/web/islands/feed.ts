/** The live feed: follows the stream, says how many are new and shows them when asked, loads older ones when they are wanted. */

const days = document.getElementById("days");
const news = document.getElementById("news") as HTMLButtonElement;
const live = document.getElementById("live") as HTMLElement;
const liveText = document.getElementById("live-text") as HTMLElement;

let newest = days?.dataset.newest ?? "";
let waiting = 0;

const query = (change: Record<string, string>): string => {
  const params = new URLSearchParams(location.search);
  for (const name of ["before", "after"]) params.delete(name);
  for (const [name, value] of Object.entries(change)) params.set(name, value);
  return params.toString();
};

function show(state: "live" | "lost" | "offline", text: string): void {
  live.hidden = false;
  live.dataset.state = state;
  liveText.textContent = text;
}

const parse = (html: string): HTMLElement => {
  const holder = document.createElement("div");
  holder.innerHTML = html; // rendered and escaped by the server
  return holder;
};

async function rows(params: Record<string, string>): Promise<HTMLElement> {
  const response = await fetch(`/web/feed-rows?${query(params)}`);
  if (!response.ok) throw new Error(String(response.status));
  return parse(await response.text());
}

/** Puts sections of days where they belong; a day that is there already takes the rows. */
function merge(found: HTMLElement, at: "top" | "end"): void {
  const sections = [...found.querySelectorAll<HTMLElement>(".day")];
  for (const section of at === "top" ? sections.reverse() : sections) {
    const known = days?.querySelector<HTMLElement>(`.day[data-day="${section.dataset.day}"] .events`);
    const list = [...section.querySelectorAll<HTMLElement>(".event")].filter(
      (row) => !days?.querySelector(`.event[data-id="${row.dataset.id}"]`),
    );
    if (!known) at === "top" ? days?.prepend(section) : days?.append(section);
    else at === "top" ? known.prepend(...list) : known.append(...list);
  }
}

async function showNews(): Promise<void> {
  if (!days) return location.reload();
  const found = await rows({ after: newest });
  const first = found.querySelector<HTMLElement>(".event");
  // More came than one page holds: begin anew rather than leave a gap.
  if (found.querySelector("#older")) return location.assign(`${location.pathname}?${query({})}`);
  merge(found, "top");
  newest = first?.dataset.ts ?? newest;
  waiting = 0;
  news.hidden = true;
}

function arrived(): void {
  waiting++;
  // Who reads at the top sees it at once; who has scrolled is not moved.
  if (scrollY < 80 && document.visibilityState === "visible") void showNews();
  else {
    news.textContent = `${waiting} new`;
    news.hidden = false;
  }
}

function follow(): void {
  const stream = new EventSource(`/web/feed/stream?${query(newest ? { after: newest } : {})}`);
  stream.onopen = () => show("live", "Live");
  stream.onmessage = arrived;
  stream.onerror = () => show(navigator.onLine ? "lost" : "offline", navigator.onLine ? "Reconnecting" : "Offline");
}

async function loadOlder(link: HTMLAnchorElement): Promise<void> {
  const before = new URL(link.href).searchParams.get("before") ?? "";
  link.textContent = "Loading";
  try {
    const found = await rows({ before });
    merge(found, "end");
    document.querySelector(".older")?.replaceWith(found.querySelector(".older") as HTMLElement);
    watchOlder();
  } catch {
    link.textContent = "Older";
  }
}

function watchOlder(): void {
  const link = document.getElementById("older") as HTMLAnchorElement | null;
  if (!link) return;
  new IntersectionObserver(
    (seen, observer) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      void loadOlder(link);
    },
    { rootMargin: "600px" },
  ).observe(link);
}

news.addEventListener("click", () => {
  scrollTo({ top: 0 });
  void showNews();
});
addEventListener("offline", () => show("offline", "Offline"));
if (!new URLSearchParams(location.search).has("before")) follow();
if (days) watchOlder();
