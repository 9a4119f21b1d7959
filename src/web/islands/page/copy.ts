/** Adds a copy button to every code block except command output, if the browser has a clipboard API. */
const resetMs = 1500;

function addCopyButton(block: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.querySelector("pre")?.textContent?.trimEnd() ?? "");
    button.textContent = "Copied";
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = "Copy";
    }, resetMs);
  };
  block.append(button);
}

/** Adds the buttons to the blocks below `root`, for scripts that change the page. */
export function addCopyButtons(root: ParentNode): void {
  if (!navigator.clipboard) return;
  for (const block of root.querySelectorAll<HTMLElement>(".code:not(.output)")) addCopyButton(block);
}

addCopyButtons(document);
