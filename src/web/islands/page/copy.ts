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

/** Adds the buttons to the blocks below `root`, for scripts that change the page. */
export function addCopyButtons(root: ParentNode): void {
  if (!navigator.clipboard) return;
  for (const block of root.querySelectorAll<HTMLElement>(".code:not(.output)")) addCopyButton(block);
}

addCopyButtons(document);

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copies]")) {
  button.hidden = !navigator.clipboard;
  copyOnClick(button, () => document.getElementById(button.dataset.copies ?? "")?.textContent);
}
