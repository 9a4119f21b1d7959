/** Applies the filters of a list on every change, without leaving the page where its scripts can follow. */
import { fetchPage } from "../page/parts.js";

/** The list with the filters of the form; several values of one are separated by commas. */
function filteredUrl(form: HTMLFormElement): string {
  const values = new Map<string, string>();
  for (const [name, value] of new FormData(form) as unknown as Iterable<[string, string]>) {
    const before = values.get(name);
    if (value.trim() !== "") values.set(name, before ? `${before},${value.trim()}` : value.trim());
  }
  const query = new URLSearchParams([...values]).toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const { pathname } = new URL(form.action);
  return query ? `${pathname}?${query}` : pathname;
}

const currentUrl = () => location.pathname + location.search;
let shownUrl = currentUrl();
let newestRequest = 0;
let onShown: (() => void) | undefined;

/** Calls this after the list was replaced. */
export function onFiltered(handler: () => void): void {
  onShown = handler;
}

/** Shows the filtered list in place of the current one. */
async function apply(form: HTMLFormElement): Promise<void> {
  const url = filteredUrl(form);
  if (url === currentUrl()) return;
  const found = document.getElementById("found");
  // A list whose scripts know its rows, or a feed of the past, which is not live, is loaded as a page.
  if (!found || form.dataset.load !== undefined) return location.assign(url);
  const request = ++newestRequest;
  const fetched = await fetchPage(url).catch(() => null);
  if (request !== newestRequest) return;
  const fresh = fetched?.page.getElementById("found");
  // An invalid value is marked in the form of the page.
  if (!fetched?.ok || !fresh) return location.assign(url);
  history.pushState(null, "", url);
  shownUrl = currentUrl();
  found.replaceWith(fresh);
  for (const shown of form.parentElement?.querySelectorAll<HTMLElement>("[data-chosen]") ?? [])
    shown.textContent =
      fetched.page.querySelector(`[data-chosen="${shown.dataset.chosen}"]`)?.textContent ?? shown.textContent;
  onShown?.();
}

/** A list with nothing to filter by has no form. */
function follow(form: HTMLFormElement): void {
  const menus = () => form.querySelectorAll<HTMLDetailsElement>("details[open]");
  form.addEventListener("change", () => void apply(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void apply(form);
  });
  // A link within the page, such as "Skip to content", is a popstate too.
  addEventListener("popstate", () => {
    if (currentUrl() !== shownUrl) location.reload();
  });

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
}

const form = document.getElementById("filters") as HTMLFormElement | null;
if (form) follow(form);
