/** The larger view of a tile: beside the groups on a wide screen, over them on a small one. */

const panel = document.getElementById("preview") as HTMLElement;
/** By the id of the asset. The next one is loaded ahead, with its images. */
const previews = new Map<string, Promise<string>>();
const restMs = 120;
const blinkMs = 600;
let shown = "";
let timer = 0;
let blink = 0;

export const isPreviewOpen = (): boolean => panel.classList.contains("open");

export function closePreview(): void {
  panel.classList.remove("open");
}

function load(id: string): Promise<string> {
  let found = previews.get(id);
  if (!found) {
    found = fetch(`/web/previews/${id}`).then((response) => (response.ok ? response.text() : ""));
    previews.set(id, found);
  }
  return found;
}

/** @param isWanted it is also shown where there is no room beside the groups */
export async function showPreview(link: HTMLElement | null, isWanted: boolean): Promise<void> {
  clearTimeout(timer);
  const id = link?.dataset.preview;
  if (!link || !id) return;
  if (isWanted) panel.classList.add("open");
  if (id === shown) return;
  if (getComputedStyle(panel).display === "none") return;
  await new Promise((resolve) => {
    timer = window.setTimeout(resolve, isWanted ? 0 : restMs);
  });
  const text = await load(id).catch(() => "");
  shown = id;
  panel.innerHTML = text;
  panel.dataset.shown = id;
  if (text) document.dispatchEvent(new CustomEvent("preview-shown", { detail: id }));
  stopBlink();
  const next = link.closest("li")?.nextElementSibling?.querySelector<HTMLElement>("[data-preview]");
  if (next?.dataset.preview) preload(await load(next.dataset.preview).catch(() => ""));
}

/** Has the browser load the images of a view that is not shown yet. */
function preload(text: string): void {
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const image of page.querySelectorAll("image, img"))
    new Image().src = image.getAttribute("href") ?? image.getAttribute("src") ?? "";
}

function stopBlink(): void {
  clearInterval(blink);
  blink = 0;
  panel.classList.remove("blinking", "older");
}

/** Shows both versions in turn, in one place. */
export function toggleBlink(): void {
  if (blink) stopBlink();
  else if (panel.querySelector("[data-blink]")) {
    panel.classList.add("blinking");
    blink = window.setInterval(() => panel.classList.toggle("older"), blinkMs);
  }
}

/** The id of the asset in the larger view, or an empty string. */
export const shownId = (): string => shown;

/** What the buttons of the larger view do. */
export const previewActs: Record<string, () => void> = { blink: toggleBlink, close: closePreview };

panel.addEventListener("click", ({ target }) => {
  const button = (target as HTMLElement).closest<HTMLElement>("[data-preview-act]");
  previewActs[button?.dataset.previewAct ?? ""]?.();
});
