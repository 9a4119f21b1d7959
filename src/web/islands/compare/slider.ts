/** The slider of a wipe, and that of an onion skin: also by dragging over the images, or with arrow keys. */
import { isZoomed } from "../media/zoom.js";

const overlay = document.getElementById("over");
const upperImage = overlay?.querySelector<HTMLElement>(".upper");
const slider = document.getElementById("slide") as HTMLInputElement | null;
const isWipe = overlay?.classList.contains("wipe") ?? false;
/** For arrow keys, in percent. */
const step = 5;

function slideTo(value: number): void {
  if (!slider || !upperImage) return;
  slider.value = String(value);
  if (isWipe) upperImage.style.clipPath = `inset(0 0 0 ${slider.value}%)`;
  else upperImage.style.opacity = String(Number(slider.value) / 100);
}

/** When zoomed in, dragging pans the images instead. */
function drag({ clientX }: PointerEvent): void {
  if (!upperImage || isZoomed()) return;
  const { left, width } = upperImage.getBoundingClientRect();
  slideTo(((clientX - left) / width) * 100);
}

if (overlay && slider) {
  (slider.closest("[data-slide]") as HTMLElement).hidden = false;
  slider.addEventListener("input", () => slideTo(Number(slider.value)));
  overlay.addEventListener("pointerdown", (event) => {
    if (isZoomed()) return;
    overlay.setPointerCapture(event.pointerId);
    drag(event);
    overlay.onpointermove = drag;
  });
  overlay.addEventListener("keydown", ({ key }) => {
    const by = { ArrowLeft: -step, ArrowRight: step }[key];
    if (by && !isZoomed()) slideTo(Number(slider.value) + by);
  });
  slideTo(Number(slider.value));
}
