/** The bar below a PDF: its pages by number, by key, and as small pictures of all of them. */
import { isForElsewhere } from "../page/keys.js";
import { showTools } from "./tools.js";

/** The part of a PDF.js document that is used here. */
interface Pdf {
  numPages: number;
  getPage(number: number): Promise<{
    getViewport(options: { scale: number }): { width: number; height: number };
    render(options: object): { promise: Promise<void> };
  }>;
}

/** Width of a small picture, in CSS pixels. */
const pictureWidth = 88;

/** Actions of `,` and `.`: the pages of all PDFs shown. */
const turns: ((by: number) => void)[] = [];

/** @param pages the scrolled element, with one `.sheet` for each page */
export function showPageBar(bar: HTMLElement, pages: HTMLElement, pdf: Pdf): void {
  const sheets = [...pages.querySelectorAll<HTMLElement>(".sheet")];
  const field = bar.querySelector("input") as HTMLInputElement;
  const topOf = (number: number) => (sheets[number - 1]?.offsetTop ?? 0) - (sheets[0]?.offsetTop ?? 0);
  const goTo = (number: number) =>
    pages.scrollTo({ top: topOf(Math.min(sheets.length, Math.max(1, number || 1))) });
  /** The page in the middle of the view, or the first or last one at an end. */
  const current = () => {
    const middle = pages.scrollTop + pages.clientHeight / 3;
    const after = sheets.findIndex((_, index) => topOf(index + 1) > middle);
    return after < 0 ? sheets.length : Math.max(1, after);
  };
  const strip = document.createElement("ol");
  strip.className = "page-strip";
  strip.hidden = true;
  bar.before(strip);

  const tell = () => {
    const number = current();
    if (document.activeElement !== field) field.value = String(number);
    strip.querySelector('[aria-current="true"]')?.removeAttribute("aria-current");
    strip.querySelector(`[data-to="${number}"]`)?.setAttribute("aria-current", "true");
  };
  const turn = (by: number) => goTo(current() + by);
  field.max = String(sheets.length);
  (bar.querySelector("[data-page-count]") as HTMLElement).textContent = String(sheets.length);
  field.addEventListener("change", () => goTo(Number(field.value)));
  field.addEventListener("blur", tell);
  pages.addEventListener("scroll", tell, { passive: true });
  strip.addEventListener("click", ({ target }) => {
    const to = (target as Element).closest<HTMLElement>("[data-to]")?.dataset.to;
    if (to) goTo(Number(to));
  });
  showTools(bar, {
    back: () => turn(-1),
    forward: () => turn(1),
    strip: () => {
      if (!strip.hasChildNodes()) fillStrip(strip, pdf);
      strip.hidden = !strip.hidden;
      bar.querySelector('[data-act="strip"]')?.setAttribute("aria-pressed", String(!strip.hidden));
      tell();
    },
  });
  turns.push(turn);
  tell();
}

/** A button for each page; its picture is drawn when it scrolls into view. */
function fillStrip(strip: HTMLElement, pdf: Pdf): void {
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        sight.unobserve(target);
        void drawPicture(target as HTMLElement, pdf);
      }
    },
    { root: strip, rootMargin: "200px" },
  );
  for (let number = 1; number <= pdf.numPages; number++) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: String(number) });
    button.dataset.to = String(number);
    button.setAttribute("aria-label", `Page ${number}`);
    const item = document.createElement("li");
    item.append(button);
    strip.append(item);
    sight.observe(button);
  }
}

async function drawPicture(button: HTMLElement, pdf: Pdf): Promise<void> {
  const page = await pdf.getPage(Number(button.dataset.to));
  const scale = (pictureWidth / page.getViewport({ scale: 1 }).width) * devicePixelRatio;
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  await page.render({ canvas, viewport }).promise;
  button.prepend(canvas);
}

const turnKeys: Record<string, number> = { ",": -1, ".": 1 };
document.addEventListener("keydown", (event) => {
  const by = turnKeys[event.key];
  if (by && !isForElsewhere(event)) for (const turn of turns) turn(by);
});
