/** The PDF viewer: loads PDF.js, and renders pages when they scroll into view. */

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

const here = new URL(".", import.meta.url).href;

for (const viewer of document.querySelectorAll<HTMLElement>("[data-pdf]"))
  void open(viewer).catch((error: Error) => fail(viewer, error));

async function open(viewer: HTMLElement): Promise<void> {
  const { pdf: url = "", label = "" } = viewer.dataset;
  const waiting = document.createElement("p");
  waiting.className = "soft";
  waiting.textContent = "Loading PDF…";
  viewer.prepend(waiting);
  const reader = (await import(`${here}pdf.min.mjs`)) as Reader;
  reader.GlobalWorkerOptions.workerSrc = `${here}pdf.worker.min.mjs`;
  // No requests to other hosts, no WebAssembly, and no scripts embedded in the document.
  const options = {
    url,
    wasmUrl: here,
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
  viewer.replaceChildren(pages);
  pages.addEventListener("scroll", () => scrollOthers(pages));
  const first = (await pdf.getPage(1)).getViewport({ scale: 1 });
  const sight = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        sight.unobserve(target);
        void draw(reader, pdf, target as HTMLElement);
      }
    },
    { root: pages, rootMargin: "400px" },
  );
  for (let number = 1; number <= pdf.numPages; number++) {
    const sheet = document.createElement("div");
    sheet.className = "sheet";
    sheet.dataset.page = String(number);
    sheet.style.aspectRatio = `${first.width} / ${first.height}`;
    pages.append(sheet);
    sight.observe(sheet);
  }
}

/**
 * Scrolls two PDFs side by side in sync. Differences of up to a pixel are ignored, or each would keep scrolling
 * the other.
 */
function scrollOthers(moved: HTMLElement): void {
  const place = moved.scrollTop / Math.max(1, moved.scrollHeight - moved.clientHeight);
  for (const other of document.querySelectorAll<HTMLElement>(".pages")) {
    const top = place * (other.scrollHeight - other.clientHeight);
    if (other !== moved && Math.abs(other.scrollTop - top) > 1) other.scrollTop = top;
  }
}

async function draw(reader: Reader, pdf: Document, sheet: HTMLElement): Promise<void> {
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
}

function fail(viewer: HTMLElement, error: Error): void {
  const said = document.createElement("p");
  said.textContent = `Can't display this PDF: ${error.message}`;
  viewer.querySelector("p")?.remove();
  viewer.querySelector(".pages")?.remove();
  viewer.prepend(said);
}
