/** Keeps the checklist current: fetches it every few seconds, and replaces the steps that changed. */

const pollMs = 2_000;

/** The HTML that the server rendered, without what scripts added. */
function htmlOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const button of copy.querySelectorAll(".copy")) button.remove();
  return copy.outerHTML;
}

/** Replaces an element on the page by the fresh one with its id, if they differ. */
function update(fresh: Element): void {
  const shown = document.getElementById(fresh.id);
  if (!shown || htmlOf(shown) === fresh.outerHTML) return;
  // A live region is announced when its content changes, not when it is replaced.
  if (shown.role === "status") shown.innerHTML = fresh.innerHTML;
  else shown.replaceWith(fresh);
}

async function poll(): Promise<void> {
  const response = document.hidden ? null : await fetch("/web/checklist").catch(() => null);
  // The session has ended: a reload leads to the sign-in page.
  if (response?.status === 401 || response?.status === 403) return;
  if (response?.ok) {
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const fresh of page.querySelectorAll("#progress, #checklist li")) update(fresh);
    if (page.querySelector("#checklist[data-done]")) return;
  }
  setTimeout(poll, pollMs);
}

if (document.querySelector("#checklist:not([data-done])")) setTimeout(poll, pollMs);
