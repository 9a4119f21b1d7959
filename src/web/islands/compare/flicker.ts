/** Shows two versions in turn, by itself or by hand. */
import { showTools } from "../media/tools.js";
import { isForElsewhere } from "../page/keys.js";

const flicker = document.querySelector<HTMLElement>("[data-flicker]");
const upperImage = document.querySelector<HTMLElement>("#over .upper");
const everyMs = 700;

function start(bar: HTMLElement, upper: HTMLElement): void {
  const { older = "", newer = "" } = bar.dataset;
  const shown = bar.querySelector("[data-shown]") as HTMLElement;
  const pause = bar.querySelector('[data-act="pause"]') as HTMLElement;
  const change = () => {
    const isOlder = upper.classList.toggle("away");
    shown.textContent = isOlder ? older : newer;
  };
  let timer = 0;
  const toggle = () => {
    clearInterval(timer);
    timer = timer ? 0 : window.setInterval(change, everyMs);
    pause.textContent = timer ? "Pause" : "Play";
  };
  const changeByHand = () => {
    if (timer) toggle();
    change();
  };
  showTools(bar, { pause: toggle, other: changeByHand });
  const keys: Record<string, () => void> = { " ": toggle, f: changeByHand };
  document.addEventListener("keydown", (event) => {
    const work = keys[event.key.toLowerCase()];
    if (!work || isForElsewhere(event) || (event.target as Element).closest("button, a, summary")) return;
    event.preventDefault();
    work();
  });
  toggle();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) toggle();
}

if (flicker && upperImage) start(flicker, upperImage);
