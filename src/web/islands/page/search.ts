/**
 * Opens the palette: `/`, Ctrl-K, the search box of every page, or a file that is dropped on the search page.
 * Without scripts, or if the palette cannot be loaded, the box is a form that leads to the search page.
 */
import { isForElsewhere } from "./keys.js";

const box = document.getElementById("search-box") as HTMLInputElement;

async function openPalette(file?: File): Promise<void> {
  box.focus(); // what is typed until the palette is there is not lost
  const palette = await import("./palette.js").catch(() => null); // few visits need it
  palette?.open(box.value, file);
}

document.addEventListener("keydown", (event) => {
  const isChord = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
  const isSlash = event.key === "/" && !isForElsewhere(event);
  if (!isSlash && (!isChord || document.querySelector("dialog[open]"))) return;
  event.preventDefault();
  void openPalette();
});
box.addEventListener("click", () => void openPalette());
box.addEventListener("input", () => void openPalette());

const results = document.getElementById("results");
if (results) {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    void openPalette(file);
  });
}
