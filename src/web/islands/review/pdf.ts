/** The PDF viewer: loads PDF.js, and renders pages when they scroll into view. */
import { showPageBar } from "../media/pdf-pages.js";

/** The part of the PDF.js API that is used here. */
interface Reader {
  GlobalWorkerOptions: { workerSrc: string };
  getDocument(options: object): { promise: Promise<Document> };
  TextLayer: new (options: object) => { render(): Promise<void> };
}
interface Document {
  numPages: number;
  getPage(number: number): Promise<Page>;
}
interface Viewport {
  width: number;
  height: number;
}
interface Page {
  getViewport(options: { scale: number }): Viewport;
  render(options: object): { promise: Promise<void> };
  streamTextContent(): unknown;
}

/**
 * The first sign of a person. PDF.js is ten times as heavy as the page: until then, as in a tab in the
 * background, the picture of the first page is enough.
 */
const someoneIsHere = new Promise<void>((resolve) => {
  if (location.hash.startsWith("#mark-")) resolve();
  for (const sign of ["pointermove", "pointerdown", "keydown", "wheel", "focusin", "scroll"])
    addEventListener(sign, () => resolve(), { once: true, passive: true, capture: true });
});

/**
 * Without that picture the pages are drawn without a sign, once the page is there and idle in a tab in sight:
 * its own scripts, its first paint, and what a person does come first.
 */
async function pageIsIdle(): Promise<void> {
  if (document.readyState !== "complete")
    await new Promise((resolve) => addEventListener("load", resolve, { once: true }));
  if (document.hidden)
    await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
  // Safari has no requestIdleCallback; a page that is never idle draws its PDF all the same.
  const whenIdle = globalThis.requestIdleCallback ?? ((then: () => void) => setTimeout(then));
  await new Promise<unknown>((resolve) => whenIdle(resolve as () => void, { timeout: 2_000 }));
}

const baseUrl = new URL("./", import.meta.url).href;

for (const viewer of document.querySelectorAll<HTMLElement>("[data-pdf]"))
  void open(viewer).catch((error: Error) => showError(viewer, error));

async function open(viewer: HTMLElement): Promise<void> {
  const { pdf: url = "", label = "" } = viewer.dataset;
  await (viewer.querySelector("[data-poster]") ? someoneIsHere : Promise.race([someoneIsHere, pageIsIdle()]));
  const waiting = document.createElement("p");
  waiting.className = "soft";
  waiting.textContent = "Loading PDF…";
  viewer.querySelector("a.button")?.before(waiting);
  const reader = (await import(`${baseUrl}pdf.min.mjs`)) as Reader;
  reader.GlobalWorkerOptions.workerSrc = `${baseUrl}pdf.worker.min.mjs`;
  // No requests to other hosts, no WebAssembly, and no scripts embedded in the document.
  const options = {
    url,
    wasmUrl: baseUrl,
    useWasm: false,
    enableXfa: false,
    isEvalSupported: false,
    useSystemFonts: true,
  };
  const pdf = await reader.getDocument(options).promise;
  const pages = document.createElement("section");
  pages.className = "pages";
  pages.tabIndex = 0;
  pages.setAttribute("aria-label", `${label}, ${pdf.numPages} pages`);
  const bar = viewer.querySelector<HTMLElement>("[data-page-bar]");
  viewer.replaceChildren(pages, ...(bar ? [bar] : []));
  pages.addEventListener("scroll", () => syncScroll(pages));
  const first = (await pdf.getPage(1)).getViewport({ scale: 1 });
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        sight.unobserve(target);
        void renderPage(reader, pdf, target as HTMLElement);
      }
    },
    { root: pages, rootMargin: "400px" },
  );
  for (let number = 1; number <= pdf.numPages; number++) {
    const pageElement = document.createElement("div");
    pageElement.className = "sheet";
    pageElement.dataset.page = String(number);
    pageElement.style.aspectRatio = `${first.width} / ${first.height}`;
    pages.append(pageElement);
    sight.observe(pageElement);
  }
  if (bar) showPageBar(bar, pages, pdf);
}

/**
 * Scrolls two PDFs side by side in sync. Differences of up to a pixel are ignored, or each would keep
 * scrolling the other.
 */
function syncScroll(moved: HTMLElement): void {
  const place = moved.scrollTop / Math.max(1, moved.scrollHeight - moved.clientHeight);
  for (const other of document.querySelectorAll<HTMLElement>(".pages")) {
    const top = place * (other.scrollHeight - other.clientHeight);
    if (other !== moved && Math.abs(other.scrollTop - top) > 1) other.scrollTop = top;
  }
}

async function renderPage(reader: Reader, pdf: Document, sheet: HTMLElement): Promise<void> {
  const number = Number(sheet.dataset.page);
  const page = await pdf.getPage(number);
  const plain = page.getViewport({ scale: 1 });
  sheet.style.aspectRatio = `${plain.width} / ${plain.height}`;
  const scale = sheet.clientWidth / plain.width;
  const viewport = page.getViewport({ scale: scale * devicePixelRatio });
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Page ${number}`);
  sheet.append(canvas);
  await page.render({ canvas, viewport }).promise;
  const text = document.createElement("div");
  text.className = "textLayer";
  text.style.setProperty("--total-scale-factor", String(scale));
  sheet.append(text);
  await new reader.TextLayer({
    textContentSource: page.streamTextContent(),
    container: text,
    viewport: page.getViewport({ scale }),
  }).render();
  sheet.classList.add("drawn");
  sheet.dispatchEvent(new Event("sheet-drawn", { bubbles: true }));
}

function showError(viewer: HTMLElement, error: Error): void {
  const message = document.createElement("p");
  const why = error.message.replace(/\.?$/, ".");
  message.textContent = `This PDF cannot be shown: ${why} Download it to review it.`;
  const link = viewer.querySelector<HTMLAnchorElement>("a.button");
  if (link) Object.assign(link, { textContent: "Download file", download: "" });
  viewer.querySelector("p")?.remove();
  viewer.querySelector(".pages")?.remove();
  viewer.prepend(message);
}
