/** Replaces parts of the page by those of a newer state of it, which the server renders. */
import { showLocalTimes } from "./times.js";

export interface FetchedPage {
  page: Document;
  /** False if the page is an error, or a form with one. */
  ok: boolean;
}

/** Fetches another state of a page, with times in the viewer's time zone. */
export async function fetchPage(url: string, options: RequestInit = {}): Promise<FetchedPage> {
  const response = await fetch(url, { ...options, headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  showLocalTimes(page);
  return { page, ok: response.ok };
}

const keyOf = (details: HTMLDetailsElement) => details.dataset.key ?? details.textContent;

const checkboxes = (part: Element) => [...part.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
const boxOf = ({ name, value }: HTMLInputElement) => `${name} ${value}`;

/** Replaces a part if it changed. What was opened and selected in it stays so. */
export function replacePart(old: Element, fresh: Element): void {
  const selected = new Set(checkboxes(old).flatMap((box) => (box.checked ? [boxOf(box)] : [])));
  for (const box of checkboxes(fresh)) box.checked ||= selected.has(boxOf(box));
  const open = new Set([...old.querySelectorAll<HTMLDetailsElement>("details[open]")].map(keyOf));
  for (const details of fresh.querySelectorAll("details")) details.open ||= open.has(keyOf(details));
  if (!old.isEqualNode(fresh)) old.replaceWith(fresh);
}
