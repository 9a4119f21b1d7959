/** The review desk: keyboard shortcuts, reviews that can be undone, and moving to the next asset. */
import { isForElsewhere } from "../page/keys.js";
import { call } from "../page/session.js";
import { answersOf, draftOf, type PendingReview, pendingReviews, reviewer } from "./pending-reviews.js";
import {
  discard,
  keepForNextPage,
  listener,
  queueReviews,
  showToast,
  undo,
  undoAction,
  undoMs,
} from "./review-queue.js";
import "./viewer.js";

const desk = document.getElementById("desk") as HTMLElement;
const form = document.getElementById("review") as HTMLFormElement | null;
const note = form?.elements.namedItem("note") as HTMLTextAreaElement | null;
const link = (id: string) => document.getElementById(id) as HTMLAnchorElement | null;

/** The review page of another asset, with the same filters. */
function deskUrl(id: string): string {
  const query = new URLSearchParams(location.search);
  for (const name of ["with", "mode", "reviewed", "marks", "mark", "show"]) query.delete(name);
  return `/assets/${id}${query.size ? `?${query}` : ""}`;
}

/** The next asset in the queue without an unsent review. */
function nextUrl(): string | undefined {
  const reviewedIds = new Set(pendingReviews().map((review) => review.id));
  const id = (desk.dataset.next ?? "")
    .split(" ")
    .find((candidate) => candidate && !reviewedIds.has(candidate));
  return id && deskUrl(id);
}

function navigate(address: string | undefined): void {
  if (!address) return;
  keepForNextPage();
  location.assign(address);
}

/** Opens the collapsed form of an asset that was already reviewed, and focuses the note. */
function focusNote(): void {
  const folded = note?.closest("details");
  if (folded) folded.open = true;
  note?.focus();
}

const buttonOf = (decision: PendingReview["decision"]) =>
  form?.querySelector<HTMLButtonElement>(`button[value="${decision}"]`);

/** Chooses a verdict: Enter presses its button. One key alone, hit by accident, decides nothing. */
function choose(decision: PendingReview["decision"]): void {
  const button = buttonOf(decision);
  if (!form || !button || (decision === "approved" && !canApprove(form))) return;
  const folded = button.closest("details");
  if (folded) folded.open = true;
  button.focus();
}

/** Whether annotations or failed items say what to change, so that a rejection needs no note. */
const hasReasons = (): boolean =>
  Number(document.getElementById("sent-annotations")?.dataset.count ?? 0) > 0 ||
  form?.querySelector(".review-checklist [value=fail]:checked") != null;

/** Fills in the answers, unless the checklist has changed since. */
function restoreAnswers(
  filled: HTMLFormElement,
  { version, answers }: NonNullable<PendingReview["checklist"]>,
): void {
  const { elements } = filled;
  const field = (name: string) => elements.namedItem(name) as HTMLInputElement | RadioNodeList | null;
  if (field("checklist_version")?.value !== String(version)) return;
  for (const { id, result, note: reason = "" } of answers) {
    (field(`check-${id}`) as RadioNodeList).value = result;
    (field(`check-note-${id}`) as HTMLInputElement).value = reason;
  }
}

/** Whether the required items are answered and none failed; if not, says so. */
function canApprove(filled: HTMLFormElement): boolean {
  if (filled.querySelector(".review-checklist :required[value=fail]:checked")) {
    showToast("A required item failed. Reject the asset instead.", true);
    return false;
  }
  if (filled.checkValidity()) return true;
  const folded = filled.closest("details");
  if (folded) folded.open = true;
  markMissing(filled);
  return false;
}

/** Marks the required items without an answer, until they have one, and goes to the first. */
function markMissing(filled: HTMLFormElement): void {
  const missing = [...filled.querySelectorAll<HTMLElement>(".review-checklist li")].filter((item) =>
    item.querySelector(":required:invalid"),
  );
  for (const item of missing) {
    item.classList.add("missing");
    item.addEventListener("change", () => item.classList.remove("missing"), { once: true });
  }
  missing[0]?.scrollIntoView({ block: "center" });
  missing[0]?.querySelector<HTMLElement>("input")?.focus({ preventScroll: true });
  const [one] = missing;
  if (one)
    showToast(
      missing.length === 1 ? "One item needs an answer." : `${missing.length} items need an answer.`,
      true,
    );
}

function review(decision: PendingReview["decision"]): void {
  if (!form || !buttonOf(decision)) return;
  const text = note?.value.trim() ?? "";
  if (decision === "rejected" && text === "" && !hasReasons()) {
    focusNote();
    showToast("Add a note explaining what to change.", true);
    return;
  }
  if (decision === "approved" && !canApprove(form)) return;
  const checklist = answersOf(form);
  const { id = "", title = "", sha256 = "", status = "", reviewed = "" } = desk.dataset;
  discard(id);
  const snapshot = { sha256, seen_status: status, seen_reviewed_at: reviewed };
  queueReviews([
    {
      id,
      title,
      decision,
      ...snapshot,
      by: reviewer,
      sendAt: Date.now() + undoMs,
      ...(text ? { note: text } : {}),
      ...(checklist ? { checklist } : {}),
    },
  ]);
  note?.blur();
  navigate(nextUrl());
}

/** Undo also goes back to the page of the asset. */
undoAction.run = () => {
  const [taken] = undo();
  if (taken && taken.id !== desk.dataset.id) navigate(deskUrl(taken.id));
};

interface ReviewedAsset {
  status: string;
  reviewed_at: string | null;
  verdicts: { at: string }[];
}

/** Reloads the page to show a saved review, unless it already does or the user is writing or uploading. */
listener.onSaved = async (ids) => {
  const { id = "", reviewed = "", lastVerdict = "" } = desk.dataset;
  if (!ids.includes(id)) return;
  const { status, reviewed_at, verdicts } = await call<ReviewedAsset>("GET", `/assets/${id}`);
  if ((reviewed_at ?? "") === reviewed && (verdicts.at(-1)?.at ?? "") === lastVerdict) return;
  if (note?.value || document.querySelector(".uploads li"))
    return void Object.assign(desk.dataset, { status, reviewed: reviewed_at ?? "" });
  keepForNextPage();
  location.reload();
};

/** Restores the note and the answers of a review that was undone or could not be saved. */
const draft = draftOf(desk.dataset.id ?? "");
if (draft && form && note) {
  note.value ||= draft.note ?? "";
  if (draft.checklist) restoreAnswers(form, draft.checklist);
  const folded = form.closest("details");
  if (folded) folded.open = true;
}

// What is missing is marked by `canApprove`, not by the browser's bubble over the next row.
if (form) form.noValidate = true;
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const { value } = (event as SubmitEvent).submitter as HTMLButtonElement;
  review(value as PendingReview["decision"]);
});

/** Links to other review pages keep unsent reviews for the next page, unless they open a new tab. */
for (const pageLink of document.querySelectorAll("[data-desk], #previous, #next"))
  pageLink.addEventListener("click", (event) => {
    const { ctrlKey, metaKey, shiftKey, altKey } = event as MouseEvent;
    if (!ctrlKey && !metaKey && !shiftKey && !altKey) keepForNextPage();
  });

document.querySelector("[data-compare-picker]")?.addEventListener("submit", keepForNextPage);

const keys: Record<string, () => void> = {
  j: () => navigate(nextUrl()),
  k: () => navigate(link("previous")?.href),
  a: () => choose("approved"),
  r: () => (note?.value.trim() || hasReasons() ? choose("rejected") : focusNote()),
  u: () => undoAction.run(),
  i: toggleDetails,
  "1": () => navigate(document.querySelector<HTMLAnchorElement>("[data-alone]")?.href),
  "2": () => navigate(document.querySelector<HTMLAnchorElement>("[data-compare]")?.href),
};

/** Dims what has a review that is not sent yet. */
function showQueue(): void {
  const decided = new Set(pendingReviews().map(({ id }) => id));
  for (const frame of document.querySelectorAll<HTMLElement>(".frames-of-queue [data-id]"))
    frame.classList.toggle("decided", decided.has(frame.dataset.id ?? ""));
}
showQueue();

const openDrawer = () => document.querySelector<HTMLDetailsElement>(".drawer[open]");

/** @returns whether one was open */
function closeDrawer(): boolean {
  const drawer = openDrawer();
  if (!drawer) return false;
  drawer.open = false;
  drawer.querySelector("summary")?.focus();
  return true;
}

function toggleDetails(): void {
  const details = document.getElementById("details") as HTMLDetailsElement | null;
  if (!details || (openDrawer() === details && closeDrawer())) return;
  details.open = true;
  details.querySelector("summary")?.focus();
}

document.addEventListener("keydown", (event) => {
  if (note && event.target === note) {
    if (event.key === "Escape") note.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) review("rejected");
    return;
  }
  if (event.key === "Escape" && !isForElsewhere(event) && closeDrawer()) return;
  if (event.key === "Escape") form?.querySelector<HTMLElement>("[name=decision]:focus")?.blur();
  const work = keys[event.key.toLowerCase()];
  if (!work || isForElsewhere(event)) return;
  event.preventDefault();
  work();
});

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy as string);
    button.textContent = "Copied";
  });
}
