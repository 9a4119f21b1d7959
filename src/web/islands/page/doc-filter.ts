/** Filters the entries of the API reference by all words of the field, and hides the sections without any. */
const box = document.querySelector<HTMLElement>(".doc-filter");
const field = box?.querySelector("input");
const count = box?.querySelector("output");
const sections = document.querySelectorAll<HTMLElement>(".doc section");
const texts = new Map(
  [...document.querySelectorAll<HTMLElement>(".doc-entry")].map(
    (entry) => [entry, (entry.textContent ?? "").toLowerCase()] as const,
  ),
);

function filter(): void {
  const words = (field?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const [entry, text] of texts) {
    entry.hidden = !words.every((word) => text.includes(word));
    if (!entry.hidden) shown++;
  }
  for (const section of sections)
    section.hidden = words.length > 0 && !section.querySelector(".doc-entry:not([hidden])");
  if (count) count.textContent = words.length > 0 ? `${shown} of ${texts.size}` : "";
}

if (box && field) {
  box.hidden = false;
  field.oninput = filter;
}
