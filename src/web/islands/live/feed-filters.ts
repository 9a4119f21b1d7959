/** Applies the filters of the feed on every change, without leaving the page. */
import { showLocalTimes } from "../page/times.js";

const form = document.getElementById("filters") as HTMLFormElement;
const menus = () => form.querySelectorAll<HTMLDetailsElement>("details[open]");

/** The feed with the filters of the form; several values of one are separated by commas. */
function filteredUrl(): string {
  const values = new Map<string, string>();
  for (const [name, value] of new FormData(form) as unknown as Iterable<[string, string]>) {
    const before = values.get(name);
    if (value.trim() !== "") values.set(name, before ? `${before},${value.trim()}` : value.trim());
  }
  const query = new URLSearchParams([...values]).toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return query ? `/feed?${query}` : "/feed";
}

const currentUrl = () => location.pathname + location.search;
let shownUrl = currentUrl();
let newestRequest = 0;

/** Shows the filtered feed in place of the current one, and calls `onShown`. */
async function apply(onShown: () => void): Promise<void> {
  const url = filteredUrl();
  if (url === currentUrl()) return;
  // A page of the past has no live feed: load the page of the present instead.
  if (!document.getElementById("live")) return location.assign(url);
  const request = ++newestRequest;
  const response = await fetch(url).catch(() => null);
  if (request !== newestRequest) return;
  // The service explains an invalid value on a page of its own.
  if (!response?.ok) return location.assign(url);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (request !== newestRequest) return;
  history.pushState(null, "", url);
  shownUrl = currentUrl();
  showLocalTimes(page);
  document.getElementById("results")?.replaceWith(page.getElementById("results") as HTMLElement);
  (document.getElementById("clear") as HTMLElement).hidden = url === "/feed";
  for (const chosen of form.querySelectorAll<HTMLElement>("[data-chosen]"))
    chosen.textContent =
      page.querySelector(`[data-chosen="${chosen.dataset.chosen}"]`)?.textContent ?? chosen.textContent;
  onShown();
}

/** Applies each change of the form. @param onShown called after the events were replaced */
export function applyFilters(onShown: () => void): void {
  form.addEventListener("change", () => void apply(onShown));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void apply(onShown);
  });
  // A link within the page, such as "Skip to content", is a popstate too.
  addEventListener("popstate", () => {
    if (currentUrl() !== shownUrl) location.reload();
  });
}

/** A menu closes on Escape, on a click outside, and when another one opens. */
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus()) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});
document.addEventListener("click", ({ target }) => {
  for (const menu of menus()) if (!menu.contains(target as Node)) menu.open = false;
});
