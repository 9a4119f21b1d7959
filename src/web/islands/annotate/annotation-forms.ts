/**
 * Sends the forms of annotations without leaving the page: it takes over what changed from the page that the
 * server answers with. Without scripts the same forms load that page.
 */

/** Parts of the page that annotations appear in. */
const partIds = ["annotations", "earlier-annotations", "note-goes"];

export const changed = "annotations-changed";

const details = () => document.querySelector<HTMLDetailsElement>("[data-annotate]");
const field = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement | null;
const placeNames =
  "x y w h points from to frame fps page file viewport_w viewport_h quote prefix suffix line_from line_to";

/** Opens the form for a new annotation at this place, and calls back when it is saved or given up. */
export function compose(place: Record<string, string>, onClosed: () => void): void {
  const opened = details();
  const form = opened?.querySelector("form");
  if (!opened || !form) return;
  for (const name of placeNames.split(" ")) {
    const input = field(form, name);
    if (input) input.value = place[name] ?? "";
  }
  opened.open = true;
  opened.classList.add("composing");
  const cancel = form.querySelector<HTMLButtonElement>("[data-cancel]") as HTMLButtonElement;
  cancel.hidden = false;
  cancel.onclick = () => {
    opened.open = false;
    opened.classList.remove("composing");
    form.reset();
    onClosed();
  };
  field(form, "body")?.focus({ preventScroll: true });
  document.addEventListener(changed, () => onClosed(), { once: true });
}

/** Replaces the parts of this page by those of another state of it. @returns whether it has them */
function takeOver(page: Document): boolean {
  if (!page.getElementById("annotations")) return false;
  for (const id of partIds) replace(document.getElementById(id), page.getElementById(id));
  for (const name of ["data-pins", "data-timeline"])
    for (const old of document.querySelectorAll(`[${name}]`))
      replace(old, page.querySelector(`[${name}="${CSS.escape(old.getAttribute(name) ?? "")}"]`));
  document.dispatchEvent(new Event(changed));
  return true;
}

function replace(old: Element | null, fresh: Element | null): void {
  if (!old || !fresh) {
    old?.replaceChildren();
    return;
  }
  const copy = document.importNode(fresh, true);
  // A zoomed viewer moves its layers by their style.
  if (old instanceof SVGElement && copy instanceof SVGElement) copy.style.transform = old.style.transform;
  old.replaceWith(copy);
}

const parse = async (response: Response): Promise<Document> =>
  new DOMParser().parseFromString(await response.text(), "text/html");

/** Loads another page of the list. */
export async function loadListPage(url: string): Promise<void> {
  const response = await fetch(url, { headers: { accept: "text/html" } });
  if (takeOver(await parse(response))) history.replaceState(null, "", url);
  else location.assign(url);
}

let isSending = false;

async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  if (isSending) return;
  isSending = true;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) body.set(name, String(value));
  try {
    const response = await fetch(form.action, { method: "POST", body, headers: { accept: "text/html" } });
    if (!takeOver(await parse(response))) showFailure(form, "The annotation was not saved. Reload the page.");
  } catch {
    showFailure(form, "The server did not answer. Try again.");
  } finally {
    isSending = false;
  }
}

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

document.addEventListener("keydown", (event) => {
  const form = (event.target as Element).closest<HTMLFormElement>("[data-annotation-form]");
  if (!form) return;
  if (event.key === "Escape") form.querySelector<HTMLButtonElement>("[data-cancel]")?.click();
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  form.requestSubmit(form.querySelector<HTMLButtonElement>("button[type=submit]"));
});
