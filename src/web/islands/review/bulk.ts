/** Bulk review: one decision on several assets. They are undone together and sent one at a time. */

import { refresh } from "../live/refresh.js";
import { type PendingReview, reviewer } from "./pending-reviews.js";
import { listener, queueReviews, showToast, undoMs } from "./review-queue.js";

const form = document.getElementById("bulk") as HTMLFormElement;
const count = document.getElementById("bulk-count") as HTMLElement;
const selectAll = document.getElementById("bulk-all") as HTMLButtonElement;
const note = form.elements.namedItem("note") as HTMLInputElement;
const checkboxes = () => [...document.querySelectorAll<HTMLInputElement>(".choice input")];
const selected = () => checkboxes().filter((box) => box.checked);

function updateCount(): void {
  const { length } = selected();
  form.hidden = length === 0;
  count.textContent = `${length} selected`;
  selectAll.textContent = length === checkboxes().length ? "Clear selection" : "Select all pending";
}

function showCheckboxes(): void {
  for (const box of checkboxes()) (box.closest(".choice") as HTMLElement).hidden = false;
  updateCount();
}

document.addEventListener("assets-changed", showCheckboxes);
document.addEventListener("change", (event) => {
  if ((event.target as HTMLElement).matches(".choice input")) updateCount();
});

/** The checkbox that was clicked last: a Shift-click sets all up to it. */
let anchor: HTMLInputElement | undefined;
document.addEventListener("click", (event) => {
  const box = event.target as HTMLInputElement;
  if (!box.matches(".choice input")) return;
  const boxes = checkboxes();
  const ends = [boxes.indexOf(box), anchor ? boxes.indexOf(anchor) : -1].toSorted((a, b) => a - b);
  const [from, to] = ends as [number, number];
  if (event.shiftKey && from >= 0)
    for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
  anchor = box;
});
selectAll.addEventListener("click", () => {
  const some = selected().length < checkboxes().length;
  for (const box of checkboxes()) box.checked = some;
  updateCount();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const decision = ((event as SubmitEvent).submitter as HTMLButtonElement).value as PendingReview["decision"];
  const text = note.value.trim();
  if (decision === "rejected" && text === "") {
    note.focus();
    return showToast("Add a note explaining what to change.", true);
  }
  const sendAt = Date.now() + undoMs;
  queueReviews(
    selected().map(({ value: id, dataset: { sha256 = "", status = "", reviewed = "", title = "" } }) => ({
      id,
      title,
      decision,
      sha256,
      seen_status: status,
      seen_reviewed_at: reviewed,
      by: reviewer,
      sendAt,
      ...(text ? { note: text } : {}),
    })),
  );
  for (const box of selected()) box.checked = false;
  note.value = "";
  updateCount();
});

listener.onSaved = () => void refresh();

showCheckboxes();
