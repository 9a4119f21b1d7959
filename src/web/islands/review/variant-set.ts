/**
 * Picking from a variant set by keys: arrows move, space and numbers pick, C compares what is picked, R goes
 * to the note. A number means the variant with this number, or the compared one.
 */
import { moveInGrid } from "../page/grid-keys.js";
import { isForElsewhere } from "../page/keys.js";

const comparedMax = 4;
const form = document.getElementById("variant-set") as HTMLFormElement;
const links = [...form.querySelectorAll<HTMLAnchorElement>("[data-grid] a")];
const boxes = [...form.querySelectorAll<HTMLInputElement>(".pick input")];
const count = document.getElementById("picked-count");
const compare = document.getElementById("compare-picked") as HTMLButtonElement | null;
const toast = document.getElementById("toast") as HTMLElement;
const note = form.elements.namedItem("note") as HTMLInputElement | null;
const compared = [...document.querySelectorAll<HTMLElement>("[data-variant]")].map(
  ({ dataset }) => dataset.variant as string,
);

const pageNumber = (form.elements.namedItem("page") as HTMLInputElement).value;
/** Of all pages. */
const pendingCount = (form.elements.namedItem("shown") as HTMLInputElement).value.split(",").length;

const idOf = (box: HTMLInputElement): string => box.name.slice("pick-".length);
const boxOf = (id: string | undefined) => boxes.find((box) => idOf(box) === id);
const picked = () => boxes.filter((box) => box.checked).map(idOf);
const boxIn = (link: Element | undefined) =>
  link?.closest("li")?.querySelector<HTMLInputElement>(".pick input");

function showCount(): void {
  const { length } = picked();
  if (count) count.textContent = `${length} of ${pendingCount} picked `;
  for (const label of document.querySelectorAll<HTMLLabelElement>("[data-variant] label")) {
    const isPicked = boxOf(label.htmlFor.slice("pick-".length))?.checked ?? false;
    label.classList.toggle("primary", isPicked);
    label.textContent = isPicked ? "Picked" : "Pick";
  }
}

function toggle(box: HTMLInputElement | null | undefined): void {
  if (!box) return;
  box.checked = !box.checked;
  showCount();
}

/** Shows the picked variants side by side; what is picked stays picked. */
function comparePicked(): void {
  const ids = picked();
  if (ids.length < 2 || ids.length > comparedMax) {
    toast.textContent = `Pick 2 to ${comparedMax} variants to compare them.`;
    toast.hidden = false;
    return;
  }
  open(ids.join(","), ids);
}

function open(shown: string, ids: string[]): void {
  const query = new URLSearchParams({
    ...(shown && { compare: shown }),
    ...(ids.length && { picked: ids.join(",") }),
    ...(pageNumber !== "1" && { page: pageNumber }),
  });
  // Also from the page that answers a sent form, whose URL is that of the form.
  location.assign(`${new URL(form.action).pathname.replace(/\/review$/, "")}?${query}`);
}

const acts: Record<string, () => void> = {
  " ": () => toggle(boxIn(document.activeElement ?? undefined)),
  c: comparePicked,
  r: () => note?.focus(),
  Escape: () => compared.length > 0 && open("", picked()),
};

document.addEventListener("keydown", (event) => {
  if (isForElsewhere(event)) return;
  moveInGrid(event, links);
  const at = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  if (at >= 0) return toggle(compared.length > 0 ? boxOf(compared[at]) : boxIn(links[at]));
  const isButton = (event.target as Element).matches("button, input, summary, label");
  if (!acts[event.key] || (event.key === " " && (isButton || !boxIn(document.activeElement ?? undefined))))
    return;
  event.preventDefault();
  acts[event.key]?.();
});

note?.addEventListener("keydown", (event) => {
  // Enter in a field would press the first button: rejecting all others needs a clear intention.
  if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
  else if (event.key === "Enter") form.querySelector<HTMLButtonElement>("button[value=reject]")?.click();
});

form.addEventListener("change", showCount);
if (compare) {
  compare.hidden = false;
  compare.addEventListener("click", comparePicked);
}
document.querySelector("[data-stop-comparing]")?.addEventListener("click", (event) => {
  event.preventDefault();
  open("", picked());
});
showCount();
