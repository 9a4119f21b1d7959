/** Adds a copy button to every code block except command output, if the browser has a clipboard API. */
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
