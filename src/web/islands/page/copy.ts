/** Adds copy buttons to code blocks, command output apart, and shows those of pages, if browsers can copy. */
const resetMs = 1500;

function copyOnClick(button: HTMLButtonElement, textOf: () => string | null | undefined): void {
  const label = button.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.onclick = async () => {
    await navigator.clipboard.writeText(textOf()?.trimEnd() ?? "");
    button.textContent = "Copied";
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
    }, resetMs);
  };
}

function addCopyButton(block: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  copyOnClick(button, () => block.querySelector("pre")?.textContent);
  block.append(button);
}

function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code:not(.output, :has(> .copy))"))
    addCopyButton(block);
}

if (navigator.clipboard) {
  addCopyButtons();
  // Other scripts replace parts of the page.
  new MutationObserver(addCopyButtons).observe(document.body, { childList: true, subtree: true });
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copies]")) {
  button.hidden = !navigator.clipboard;
  copyOnClick(button, () => document.getElementById(button.dataset.copies ?? "")?.textContent);
}
