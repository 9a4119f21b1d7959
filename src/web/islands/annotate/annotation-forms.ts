/**
 * Sends the forms of annotations without leaving the page: it takes over what changed from the page that the
 * server answers with. Without scripts the same forms load that page.
 */
import { fetchPage, replacePart } from "../page/parts.js";

/** Parts of the page that annotations appear in. */
const partIds = ["annotations", "earlier-annotations", "sent-annotations", "guest"];

export const changed = "annotations-changed";

const details = () => document.querySelector<HTMLDetailsElement>("[data-annotate]");
const field = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement | null;
const placeNames =
  "x y w h points from to frame fps page file viewport_w viewport_h quote prefix suffix line_from line_to";

export interface Composed {
  /** Fields of the form. */
  place: Record<string, string>;
  /** What is marked, in the window: the form opens beside it. */
  beside: DOMRect | undefined;
  /** Chosen before; undefined for the one that the form has. */
  weight: string | undefined;
}

/** Opens the form for a new annotation beside its place, and calls back when it is saved or given up. */
export function compose({ place, beside, weight }: Composed, onClosed: () => void): void {
  const opened = details();
  const form = opened?.querySelector("form");
  if (!opened || !form) return;
  for (const name of placeNames.split(" ")) {
    const input = field(form, name);
    if (input) input.value = place[name] ?? "";
  }
  if (weight) chooseWeight(form, weight);
  opened.open = true;
  opened.classList.add("composing");
  if (beside) moveBeside(opened, beside);
  const cancel = form.querySelector<HTMLButtonElement>("[data-cancel]") as HTMLButtonElement;
  cancel.hidden = false;
  cancel.onclick = () => {
    opened.open = false;
    opened.classList.remove("composing");
    opened.removeAttribute("style");
    form.reset();
    onClosed();
  };
  field(form, "body")?.focus({ preventScroll: true });
  document.addEventListener(changed, () => onClosed(), { once: true });
}

const gap = 12;

/** To the right of what is marked, else to its left, else over its end; the style has it on a phone. */
function moveBeside({ style, offsetWidth, offsetHeight }: HTMLElement, beside: DOMRect): void {
  const [right, bottom] = [innerWidth - offsetWidth - gap, innerHeight - offsetHeight - gap];
  const left = beside.right + gap <= right ? beside.right + gap : beside.left - offsetWidth - gap;
  style.setProperty("--left", `${Math.max(gap, Math.min(right, left))}px`);
  style.setProperty("--top", `${Math.max(gap, Math.min(bottom, beside.top))}px`);
}

function chooseWeight(form: HTMLFormElement, weight: string): void {
  const radio = form.querySelector<HTMLInputElement>(`[name=weight][value="${weight}"]`);
  if (radio) radio.checked = true;
}

/** Takes over the parts of another state of the desk. @returns whether it has them */
function takeOver(page: Document): boolean {
  const [shown, fresh] = [document, page].map((one) => one.getElementById("annotations"));
  // A link to the newest version may lead to another file than the one on this page.
  if (!fresh || fresh.dataset.of !== shown?.dataset.of) return false;
  const focused = document.activeElement?.closest(".marks > .mark")?.id;
  for (const id of partIds) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh) replacePart(old, fresh);
    else old?.replaceChildren();
  }
  replaceMarks(page);
  if (focused && document.activeElement === document.body) focusEntry(focused);
  document.dispatchEvent(new Event(changed));
  return true;
}

/** Moves the focus to an entry of the list. */
export const focusEntry = (id: string): void =>
  document.getElementById(id)?.querySelector<HTMLElement>("[data-show]")?.focus();

/** The URL of the parts of the desk that annotations appear in. */
function partsOf(url: string): string {
  const parts = new URL(url, location.href);
  parts.searchParams.set("parts", "");
  return parts.href;
}

/** Loads the page of the list that a URL names. */
export async function loadListPage(url: string): Promise<void> {
  const { page } = await fetchPage(partsOf(url));
  if (takeOver(page)) history.replaceState(null, "", url);
  else location.assign(url);
}

let isSending = false;

async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  if (isSending) return;
  isSending = true;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) body.set(name, String(value));
  try {
    const { page } = await fetchPage(partsOf(form.action), { method: "POST", body });
    if (!takeOver(page)) showFailure(form, alertOf(page) ?? "The annotation was not saved. Reload the page.");
  } catch {
    showFailure(form, "The server did not answer. Try again.");
  } finally {
    isSending = false;
  }
}

const alertOf = (page: Document) => page.querySelector("[role=alert]")?.textContent;

function showFailure(form: HTMLFormElement, text: string): void {
  const notice = form.querySelector("[role=alert]") ?? document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  form.prepend(notice);
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (!form.matches("[data-annotation-form]")) return;
  event.preventDefault();
  void send(form, (event as SubmitEvent).submitter as HTMLButtonElement | null);
});

/** At its mark, Enter saves: a line break there needs Shift. In the other forms it is Ctrl+Enter. */
const isSave = (event: KeyboardEvent, form: HTMLFormElement): boolean =>
  event.key === "Enter" &&
  !event.isComposing &&
  (event.ctrlKey ||
    event.metaKey ||
    (!event.shiftKey &&
      form.closest(".composing") !== null &&
      (event.target as Element).matches("textarea, input")));

document.addEventListener("keydown", (event) => {
  const form = (event.target as Element).closest<HTMLFormElement>("[data-annotation-form]");
  if (!form) return;
  if (event.key === "Escape") form.querySelector<HTMLButtonElement>("[data-cancel]")?.click();
  // By its code, as Alt and a digit type a sign on some keyboards.
  const digit = event.altKey ? /^(?:Digit|Numpad)([1-3])$/.exec(event.code)?.[1] : undefined;
  const radio = digit && form.querySelectorAll<HTMLInputElement>("[name=weight]")[Number(digit) - 1];
  if (radio) radio.checked = true;
  else if (isSave(event, form))
    form.requestSubmit(form.querySelector<HTMLButtonElement>("button[type=submit]"));
  else return;
  event.preventDefault();
});

const markOf = (n: string): string => `.mark[data-n="${n}"]`;

/**
 * Draws one annotation again where it is on the page: as a pin, on a timeline, on lines of a text.
 * @param page has where the annotation is drawn now; nowhere if it was removed
 */
function replaceMarks(page: Document): void {
  const fresh = page.querySelector<HTMLElement>("[data-marks-of]");
  const n = fresh?.dataset.marksOf;
  if (!fresh || !n) return;
  for (const layer of document.querySelectorAll("[data-pins], [data-timeline]")) {
    const name = layer.hasAttribute("data-pins") ? "data-pins" : "data-timeline";
    const drawn = fresh.querySelector(`[${name}="${CSS.escape(layer.getAttribute(name) ?? "")}"]`);
    const svg = layer instanceof HTMLTemplateElement ? layer.content.firstElementChild : layer;
    if (svg) replaceIn(svg, n, drawn);
  }
  for (const text of document.querySelectorAll("[data-lines]")) replaceLines(text, n, fresh);
}

function replaceIn(svg: Element, n: string, drawn: Element | null): void {
  for (const old of svg.querySelectorAll(markOf(n))) old.remove();
  svg.querySelector(".paths")?.append(...(drawn?.querySelectorAll(".paths > .mark") ?? []));
  svg.append(...(drawn?.querySelectorAll(":scope > .mark") ?? []));
}

/** Its old lines lose it; its new ones are replaced with all that is on them. */
function replaceLines(text: Element, n: string, fresh: Element): void {
  for (const old of text.querySelectorAll(markOf(n)))
    if (old instanceof HTMLAnchorElement) old.remove();
    else old.replaceWith(...old.childNodes);
  for (const line of fresh.querySelectorAll<HTMLElement>("[data-line]"))
    text.querySelector(`[data-line="${line.dataset.line}"]`)?.replaceWith(line);
}
