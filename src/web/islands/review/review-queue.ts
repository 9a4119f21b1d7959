/**
 * Reviews are sent ten seconds after the decision, so that they can be undone. Leaving the page or signing
 * out sends all of them immediately.
 */

import { call, ResponseError } from "../page/session.js";
import {
  otherReviewersPending,
  type PendingReview,
  pendingReviews,
  queueReady,
  removeDraft,
  requestOf,
  saveDraft,
  savePending,
  sendAll,
  takeSent,
} from "./pending-reviews.js";
import { describe, type SavedReview } from "./reviews-text.js";

export const undoMs = 10_000;
const toast = document.getElementById("toast") as HTMLElement;
let timer = 0;

export function queueReviews(reviews: PendingReview[]): void {
  for (const { id } of reviews) removeDraft(id);
  savePending([...pendingReviews(), ...reviews]);
  showPending();
  scheduleSend();
}

/** Discards the unsent review of an asset, because a new one replaces it. */
export const discard = (id: string): void =>
  savePending(pendingReviews().filter((review) => review.id !== id));

/** Undoes the last review, or the last bulk review; their notes and answers stay as drafts. @returns the undone reviews */
export function undo(): PendingReview[] {
  const all = pendingReviews();
  const last = all.at(-1)?.sendAt;
  const undone = all.filter((review) => review.sendAt === last);
  if (undone.length === 0) return [];
  savePending(all.filter((review) => review.sendAt !== last));
  for (const review of undone) saveDraft(review.id, review);
  showToast(undone.length === 1 ? "Review undone." : `${undone.length} reviews undone.`);
  scheduleSend();
  return undone;
}

/** The page's callback, called with the asset IDs of reviews that were saved. */
export const listener: { onSaved(ids: string[]): unknown } = { onSaved() {} };

/** If the callback fails, the page stays as it was. */
const notifySaved = (ids: string[]): void => void Promise.resolve(listener.onSaved(ids)).catch(() => {});

/** Whether the session has ended: unsent reviews wait until the reviewer signs in again. */
let isSignedOut = false;
const isSessionEnded = (error: unknown): boolean =>
  error instanceof ResponseError && (error.status === 401 || error.status === 403);

/** Sends due reviews one at a time; concurrent calls share one run. */
let sending: Promise<boolean> | undefined;
function sendDue(): Promise<boolean> {
  sending ??= sendEach().finally(() => (sending = undefined));
  return sending;
}

/** @returns whether all of them were saved */
async function sendEach(): Promise<boolean> {
  const saved: SavedReview[] = [];
  const failed: string[] = [];
  let refused: PendingReview | undefined;
  for (let due = nextDue(); due; due = nextDue()) {
    const review = due;
    savePending(pendingReviews().filter(({ id }) => id !== review.id));
    try {
      const { status } = await deliver(review);
      saved.push({ ...review, isWaiting: status === "pending" });
    } catch (error) {
      if (isSessionEnded(error)) {
        savePending([...pendingReviews(), review]);
        isSignedOut = true;
        break;
      }
      if (!(error instanceof ResponseError)) {
        // no response, so the outcome is unknown: send it again
        savePending([...pendingReviews(), { ...review, sendAt: Date.now() + undoMs }]);
        failed.push(`Couldn't send the review of ${review.title}. Retrying…`);
        break;
      }
      saveDraft(review.id, review);
      refused = review;
      failed.push(`${review.title} was not ${review.decision}: ${error.message}`);
    }
  }
  const news = saved.length > 0 ? [`${describe(saved)}.`] : [];
  if (isSignedOut) showSessionEnded(news);
  else if (failed.length > 0) {
    const more = failed.splice(3).length; // the toast names three
    showToast([...news, ...failed, ...(more > 0 ? [`${more} more were not saved.`] : [])].join(" "), true);
    if (refused) addToastLink("Open asset", `/assets/${refused.id}`);
  } else if (saved.length > 0) {
    untold.push(...saved);
    if (pendingReviews().length === 0) await tell(untold.splice(0));
  }
  scheduleSend();
  if (saved.length > 0) notifySaved(saved.map((review) => review.id));
  return failed.length === 0 && !isSignedOut;
}

/** Saved while others could still be undone, which the toast is for. */
const untold: SavedReview[] = [];

/** Says what was saved, and what the notes of rejections became. */
async function tell(saved: readonly SavedReview[]): Promise<void> {
  showToast(`${describe(saved)}.`);
  const { showConsequences } = await import("./rejection-card.js"); // few pages need it
  void showConsequences(toast, saved, keepForNextPage);
}

const nextDue = (): PendingReview | undefined =>
  pendingReviews().find((review) => review.sendAt <= Date.now());

/** Sends a review. The request is `keepalive`, so it continues when the page unloads. */
function sendReview(review: PendingReview): Promise<{ status: string }> {
  const { path, body } = requestOf(review);
  return call("PUT", path, body, true);
}

interface ReviewState {
  status: string;
  verdicts: { reviewer: string; decision: string; note: string | null }[];
}
const loadReview = (id: string): Promise<ReviewState> => call<ReviewState>("GET", `/assets/${id}`);

/** A 409 is no error if the review was saved by an earlier request whose response was lost. */
async function deliver(review: PendingReview): Promise<{ status: string }> {
  try {
    return await sendReview(review);
  } catch (error) {
    if (!(error instanceof ResponseError) || error.status !== 409) throw error;
    const state = await loadReview(review.id);
    if (!isSaved(review, state)) throw error;
    return state;
  }
}

/** Without a note, the server makes one of the places and items to change. */
const isSaved = ({ decision, note, by }: PendingReview, { verdicts }: ReviewState): boolean =>
  verdicts.some(
    (verdict) =>
      verdict.decision === decision &&
      verdict.reviewer === `human:${by}` &&
      (!note || verdict.note === note.normalize("NFC")),
  );

/** Requests of the previous page may still be in flight when this page loads, so the check waits a moment. */
const settleMs = 250;
async function confirmSent(): Promise<void> {
  const sent = takeSent();
  if (sent.length === 0) return;
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const arrived = await Promise.all(
    sent.map(async (review) => {
      const state = await loadReview(review.id);
      return isSaved(review, state) && { ...review, isWaiting: state.status === "pending" };
    }),
  ).catch(() => sent.map(() => false as const));
  // Send again what was not saved. If it was saved in the meantime, `deliver` notices.
  savePending([
    ...sent.filter((_, index) => !arrived[index]).map((review) => ({ ...review, sendAt: Date.now() })),
    ...pendingReviews(),
  ]);
  scheduleSend();
  const saved = arrived.flatMap((review) => review || []);
  if (saved.length > 0 && pendingReviews().length === 0) await tell(saved);
  notifySaved(saved.map((review) => review.id));
}

function scheduleSend(): void {
  clearTimeout(timer);
  if (isSignedOut) return;
  const first = Math.min(...pendingReviews().map((review) => review.sendAt));
  if (Number.isFinite(first))
    timer = window.setTimeout(() => void sendDue(), Math.max(0, first - Date.now()));
}

export function showToast(text: string, isBad = false): void {
  toast.hidden = false;
  toast.classList.toggle("bad-news", isBad);
  toast.textContent = text;
}

/** Adds a link to the toast. Following it keeps unsent reviews for the next page. */
function addToastLink(text: string, href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.textContent = text;
  link.addEventListener("click", keepForNextPage);
  toast.append(" ", link);
}

function showSessionEnded(news: string[]): void {
  const count = pendingReviews().length;
  showToast(
    [
      ...news,
      "Your session has ended. Sign in again to send " +
        `${count === 1 ? "your review" : `your ${count} reviews`}.`,
    ].join(" "),
    true,
  );
  addToastLink("Sign in", `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Shows the last unsent review with an Undo button. */
function showPending(): void {
  const all = pendingReviews();
  const last = all.at(-1);
  if (!last) return void showOtherReviewer();
  showToast(`${describe(all.filter((review) => review.sendAt === last.sendAt))}.`);
  const button = document.createElement("button");
  button.type = "button";
  button.id = "undo";
  button.textContent = "Undo";
  button.setAttribute("aria-keyshortcuts", "U");
  button.onclick = () => undoAction.run();
  const bar = document.createElement("span");
  bar.className = "countdown";
  bar.style.animationDuration = `${undoMs}ms`;
  bar.style.animationDelay = `${last.sendAt - undoMs - Date.now()}ms`;
  toast.append(button, bar);
}

/** Says that a review of another token is unsent: it is never sent with this session. */
function showOtherReviewer(): void {
  const [other] = otherReviewersPending();
  if (other)
    showToast(
      `A review by ${other.by} was not sent: ${other.title}, ${other.decision}. ` +
        `Sign in as ${other.by} to send it.`,
      true,
    );
}

/** What the Undo button does; a page may replace it. */
export const undoAction: { run(): void } = { run: () => void undo() };

/** Whether unsent reviews are kept for the next page instead of being sent on unload. */
let isKept = false;
export const keepForNextPage = (): void => void (isKept = true);

/** Whether another desk follows, which takes over: not if the tab is closed, or another page was chosen. */
let isDeskNext = !("onpageswap" in window);
addEventListener("pageswap", (event) => {
  const next = (event as Event & { activation?: { entry: { url: string | null } } | null }).activation?.entry;
  isDeskNext = /^\/assets\/\w+$/.test(next?.url ? new URL(next.url).pathname : "");
});
addEventListener("pagehide", () => {
  if (!(isKept && isDeskNext) && !isSignedOut) sendAll();
});
document.dispatchEvent(new Event(queueReady));
addEventListener("pageshow", (event) => {
  if (!(event as PageTransitionEvent).persisted) return;
  isKept = false;
  showPending();
  scheduleSend();
});
/**
 * Browsers limit the keepalive requests of a page to 64 KiB (Fetch standard). Above this, the browser asks
 * the reviewer to stay until everything is sent.
 */
const keepaliveBytesMax = 60_000;
addEventListener("beforeunload", (event) => {
  if (
    !isKept &&
    pendingReviews().length > 0 &&
    (isSignedOut || JSON.stringify(pendingReviews()).length > keepaliveBytesMax)
  )
    event.preventDefault();
});

/** Signing out first sends all unsent reviews, because they need the session. */
const signOut = document.querySelector<HTMLFormElement>('form[action="/sign-out"]');
signOut?.addEventListener("submit", async (event) => {
  if (pendingReviews().length === 0 && !sending) return;
  event.preventDefault();
  savePending(pendingReviews().map((review) => ({ ...review, sendAt: Date.now() })));
  await sending;
  if (await sendDue()) signOut.submit();
});

showPending();
void confirmSent();
scheduleSend();
