/** Bulk review: one decision on several assets, undone as one, then sent one at a time; failures are named. */

import { reviewer, type Verdict } from "./held.js";
import { refresh } from "./refresh.js";
import { hold, say, told, undoMs } from "./verdicts.js";

const form = document.getElementById("bulk") as HTMLFormElement;
const count = document.getElementById("bulk-count") as HTMLElement;
const all = document.getElementById("bulk-all") as HTMLButtonElement;
const note = form.elements.namedItem("note") as HTMLInputElement;
const boxes = () => [...document.querySelectorAll<HTMLInputElement>(".choice input")];
const chosen = () => boxes().filter((one) => one.checked);

function show(): void {
  const { length } = chosen();
  form.hidden = length === 0;
  count.textContent = `${length} selected`;
  all.textContent = length === boxes().length ? "Clear selection" : "Select all pending";
}

function offer(): void {
  for (const one of boxes()) (one.closest(".choice") as HTMLElement).hidden = false;
  show();
}

document.addEventListener("assets-changed", offer);
document.addEventListener("change", (event) => {
  if ((event.target as HTMLElement).matches(".choice input")) show();
});
all.addEventListener("click", () => {
  const some = chosen().length < boxes().length;
  for (const one of boxes()) one.checked = some;
  show();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const decision = ((event as SubmitEvent).submitter as HTMLButtonElement).value as Verdict["decision"];
  const text = note.value.trim();
  if (decision === "rejected" && text === "") {
    note.focus();
    return say("Add a note explaining what to change.", true);
  }
  const sendAt = Date.now() + undoMs;
  hold(
    chosen().map(({ value: id, dataset: { sha256 = "", status = "", reviewed = "", title = "" } }) => ({
      ...{
        id,
        title,
        decision,
        sha256,
        seen_status: status,
        seen_reviewed_at: reviewed,
        by: reviewer,
        sendAt,
      },
      ...(text ? { note: text } : {}),
    })),
  );
  for (const one of chosen()) one.checked = false;
  note.value = "";
  show();
});

told.sent = () => void refresh();

offer();
