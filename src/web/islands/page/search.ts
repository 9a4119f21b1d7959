/**
 * The search box: shows results while you type, on the search page in the page itself. `/` and Ctrl-K focus
 * it, the arrow keys move through the results, Enter opens one, and Escape closes them.
 */

import { isForElsewhere } from "./keys.js";
import { showLocalTimes } from "./times.js";

const form = document.getElementById("search-form") as HTMLFormElement;
const box = document.getElementById("search-box") as HTMLInputElement;
const popup = document.getElementById("search-found") as HTMLElement;
/** The results of the search page; null on every other page. */
const page = document.getElementById("results");
const shown = page ?? popup;

/** Debounce: a search starts when no key was pressed for this long. */
const debounceMs = 120;

let timer: ReturnType<typeof setTimeout> | undefined;
let running: AbortController | undefined;

function close(): void {
  clearTimeout(timer);
  running?.abort();
  popup.hidden = true;
}

/** The address of a search, without the parameter that jumps. */
const pathOf = (path: string, query: string): string => `${path}?${new URLSearchParams({ query })}`;

/** Loads results, rendered and escaped by the server. A newer search aborts this one. */
async function load(): Promise<void> {
  running?.abort();
  const query = box.value.trim();
  if (query === "" && !page) return close();
  const { signal } = (running = new AbortController());
  try {
    const response = await fetch(pathOf("/web/search-results", query) + (page ? "&all=1" : ""), { signal });
    if (!response.ok) throw new Error(String(response.status));
    const found = new DOMParser().parseFromString(await response.text(), "text/html").body;
    if (!page) found.append(allResults(query));
    showLocalTimes(found);
    shown.replaceChildren(...found.childNodes);
    if (page) history.replaceState(null, "", pathOf("/search", query));
    else popup.hidden = false;
  } catch (error) {
    if ((error as Error).name !== "AbortError") showError(query);
  }
}

function allResults(query: string): HTMLElement {
  const link = document.createElement("a");
  link.className = "all-results";
  link.href = pathOf("/search", query);
  link.textContent = "All results";
  return link;
}

function showError(query: string): void {
  const text = document.createElement("p");
  text.setAttribute("role", "status");
  text.textContent = "Couldn't search. ";
  const link = allResults(query);
  link.textContent = "Try again";
  text.append(link);
  shown.replaceChildren(text);
  popup.hidden = page !== null;
}

/** Moves the focus from the box through the results and back. */
function move(by: 1 | -1, event: KeyboardEvent): void {
  const links = [...shown.querySelectorAll<HTMLElement>("a")];
  if (links.length === 0 || shown.hidden) return;
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (at < 0 && document.activeElement !== box) return;
  event.preventDefault();
  (links[at + by] ?? (by < 0 ? box : links.at(-1)))?.focus();
}

document.addEventListener("keydown", (event) => {
  const isChord = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
  const isSlash = event.key === "/" && !isForElsewhere(event);
  if (isSlash || (isChord && !document.querySelector("dialog[open]"))) {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "ArrowDown") move(1, event);
  else if (event.key === "ArrowUp") move(-1, event);
});

form.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  if (popup.hidden) return box.blur();
  event.preventDefault(); // the browser would clear the box
  box.focus();
  close();
});
box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => void load(), debounceMs);
});
box.addEventListener("focus", () => {
  if (popup.hidden && !page && box.value.trim() !== "" && popup.childElementCount > 0) popup.hidden = false;
});
form.addEventListener("focusout", ({ relatedTarget }) => {
  if (!form.contains(relatedTarget as Node | null)) close();
});
