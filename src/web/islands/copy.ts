/**
 * A button on every block of code that copies it; what a command says is not copied. Only where the browser
 * lets pages copy.
 */
const restMs = 1500;

function addTo(block: HTMLElement): void {
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
    }, restMs);
  };
  block.append(button);
}

if (navigator.clipboard)
  for (const block of document.querySelectorAll<HTMLElement>(".code:not(.said)")) addTo(block);
