/** Shows fonts of files: the browser checks each before it uses it, and nothing is shown in another one. */

async function show(viewer: HTMLElement): Promise<void> {
  const { font: url = "", name, weights } = viewer.dataset;
  const state = viewer.querySelector("[data-font-state]") as HTMLElement;
  const shown = viewer.querySelector("[data-font-shown]") as HTMLElement;
  const family = `font-${name}`;
  state.textContent = "Loading the font…";
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(response.statusText);
    // Without its range, a variable font has one weight.
    const face = new FontFace(family, await response.arrayBuffer(), weights ? { weight: weights } : {});
    document.fonts.add(await face.load());
  } catch {
    state.textContent = "The browser cannot read this font: it may be damaged. Download it to review it.";
    return;
  }
  viewer.style.setProperty("--shown-font", `"${family}"`);
  state.hidden = true;
  shown.hidden = false;
  const field = viewer.querySelector("input") as HTMLInputElement;
  field.addEventListener("input", () => setText(field.value));
}

/** Of two fonts side by side, both show it. */
function setText(text: string): void {
  for (const field of document.querySelectorAll<HTMLInputElement>("[data-font] input")) field.value = text;
  for (const specimen of document.querySelectorAll("[data-specimen]")) specimen.textContent = text;
}

for (const viewer of document.querySelectorAll<HTMLElement>("[data-font]")) void show(viewer);
