/** Shows an HTML page at the width of a phone, a tablet, or the window. */
import { showTools } from "./tools.js";

for (const bar of document.querySelectorAll<HTMLElement>("[data-widths]")) {
  const frame = bar.closest(".viewer")?.querySelector(".marked") as HTMLElement;
  const buttons = [...bar.querySelectorAll<HTMLElement>("[data-act]")];
  const fit = (width: string, chosen: HTMLElement) => () => {
    frame.style.width = width;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === chosen));
  };
  const widthOf = (name: string) => (name === "all" ? "" : `${name}px`);
  showTools(
    bar,
    Object.fromEntries(
      buttons.map((button) => [button.dataset.act ?? "", fit(widthOf(button.dataset.act ?? ""), button)]),
    ),
  );
}
