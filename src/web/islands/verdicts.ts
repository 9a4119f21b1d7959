/**
 * Reviews are sent ten seconds after the decision, so that they can be undone. Leaving the page or signing out
 * sends all of them immediately.
 */
import { held, heldByOthers, keep, keepDraft, keepSent, takeSent, type Verdict } from "./held.js";
import { call, Refused } from "./session.js";

export const undoMs = 10_000;
const toast = document.getElementById("toast") as HTMLElement;
let timer = 0;

export function hold(verdicts: Verdict[]): void {
  for (const { id } of verdicts) keepDraft(id, undefined);
  keep([...held(), ...verdicts]);
  tellHeld();
  wait();
}

/** Discards the unsent review of an asset, because a new one replaces it. */
export const drop = (id: string): void => keep(held().filter((one) => one.id !== id));

/** Undoes the last review, or the last bulk review. @returns the undone reviews */
export function undo(): Verdict[] {
  const all = held();
  const last = all.at(-1)?.sendAt;
  const taken = all.filter((one) => one.sendAt === last);
  if (taken.length === 0) return [];
  keep(all.filter((one) => one.sendAt !== last));
  say(taken.length === 1 ? "Review undone." : `${taken.length} reviews undone.`);
  wait();
  return taken;
}

/** The page's callback, called with the asset IDs of reviews that were saved. */
export const told: { sent(ids: string[]): unknown } = { sent() {} };

/** If the callback fails, the page stays as it was. */
const tell = (ids: string[]): void => void Promise.resolve(told.sent(ids)).catch(() => {});

/** Whether the session has ended: unsent reviews wait until the reviewer signs in again. */
let isSignedOut = false;
const isOver = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 401 || error.status === 403);

/** Sends due reviews one at a time; concurrent calls share one run. */
let sending: Promise<boolean> | undefined;
function sendDue(): Promise<boolean> {
  sending ??= sendEach().finally(() => (sending = undefined));
  return sending;
}

/** @returns whether all of them were saved */
async function sendEach(): Promise<boolean> {
  const sent: Verdict[] = [];
  const failed: string[] = [];
  let refused: Verdict | undefined;
  for (let due = next(); due; due = next()) {
    const one = due;
    keep(held().filter(({ id }) => id !== one.id));
    try {
      await deliver(one);
      sent.push(one);
    } catch (error) {
      if (isOver(error)) {
        keep([...held(), one]);
        isSignedOut = true;
        break;
      }
      if (!(error instanceof Refused)) {
        // no response, so the outcome is unknown: send it again
        keep([...held(), { ...one, sendAt: Date.now() + undoMs }]);
        failed.push(`Couldn't send the review of ${one.title}. Retrying…`);
        break;
      }
      keepDraft(one.id, one.note);
      refused = one;
      failed.push(`${one.title} was not ${one.decision}: ${error.message}`);
    }
  }
  const news = sent.length > 0 ? [`${nameOf(sent)}.`] : [];
  if (isSignedOut) sayOver(news);
  else if (failed.length > 0) {
    say([...news, ...failed].join(" "), true);
    if (refused) addLink("Open asset", `/assets/${refused.id}`);
  } else if (sent.length > 0 && held().length === 0) say(`${nameOf(sent)}.`);
  wait();
  if (sent.length > 0) tell(sent.map((one) => one.id));
  return failed.length === 0 && !isSignedOut;
}

const next = (): Verdict | undefined => held().find((one) => one.sendAt <= Date.now());

/** Sends a review. The request is `keepalive`, so it continues when the page unloads. */
const write = ({ id, decision, note, sha256, seen_status, seen_reviewed_at }: Verdict): Promise<unknown> => {
  const seen = { sha256, seen_status, seen_reviewed_at: seen_reviewed_at || null };
  return call("PUT", `/assets/${id}/review`, { decision, ...seen, ...(note ? { note } : {}) }, true);
};

interface Reviewed {
  status: string;
  reviewed_by: string | null;
  reviewed_at: string | null;
  review_note: string | null;
}
const reviewOf = (id: string): Promise<Reviewed> => call<Reviewed>("GET", `/assets/${id}`);

/** A 409 is no error if the review was saved by an earlier request whose response was lost. */
async function deliver(verdict: Verdict): Promise<void> {
  try {
    await write(verdict);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409 || !isTaken(verdict, await reviewOf(verdict.id)))
      throw error;
  }
}

const isTaken = (
  { decision, note = "", by }: Verdict,
  { status, reviewed_by, review_note }: Reviewed,
): boolean =>
  status === decision && reviewed_by === `human:${by}` && (review_note ?? "") === note.normalize("NFC");

/** Sends everything while the page unloads. The next page checks whether it was saved. */
function sendAll(): void {
  const all = held();
  keep([]);
  if (all.length > 0) keepSent(all);
  for (const one of all) void write(one).catch(() => {});
}

/** Requests of the previous page may still be in flight when this page loads, so the check waits a moment. */
const settleMs = 250;
async function tellSent(): Promise<void> {
  const sent = takeSent();
  if (sent.length === 0) return;
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const arrived = await Promise.all(sent.map(async (one) => isTaken(one, await reviewOf(one.id)))).catch(() =>
    sent.map(() => false),
  );
  // Send again what was not saved. If it was saved in the meantime, `deliver` notices.
  keep([
    ...sent.filter((_, index) => !arrived[index]).map((one) => ({ ...one, sendAt: Date.now() })),
    ...held(),
  ]);
  wait();
  tell(sent.filter((_, index) => arrived[index]).map((one) => one.id));
}

function wait(): void {
  clearTimeout(timer);
  if (isSignedOut) return;
  const first = Math.min(...held().map((one) => one.sendAt));
  if (Number.isFinite(first))
    timer = window.setTimeout(() => void sendDue(), Math.max(0, first - Date.now()));
}

const nameOf = (verdicts: Verdict[]): string =>
  verdicts.length === 1
    ? `${verdicts[0]?.title}: ${verdicts[0]?.decision}`
    : `${verdicts.length} ${verdicts[0]?.decision}`;

export function say(text: string, isBad = false): void {
  toast.hidden = false;
  toast.classList.toggle("bad-news", isBad);
  toast.textContent = text;
}

/** Adds a link to the toast. Following it keeps unsent reviews for the next page. */
function addLink(text: string, href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.textContent = text;
  link.addEventListener("click", carry);
  toast.append(" ", link);
}

function sayOver(news: string[]): void {
  const count = held().length;
  say(
    [
      ...news,
      `Your session has ended. Sign in again to send ${count === 1 ? "your review" : `your ${count} reviews`}.`,
    ].join(" "),
    true,
  );
  addLink("Sign in", `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Shows the last unsent review with an Undo button. */
function tellHeld(): void {
  const all = held();
  const last = all.at(-1);
  if (!last) return void tellOthers();
  say(`${nameOf(all.filter((one) => one.sendAt === last.sendAt))}.`);
  const button = document.createElement("button");
  button.type = "button";
  button.id = "undo";
  button.textContent = "Undo";
  button.setAttribute("aria-keyshortcuts", "U");
  button.onclick = () => undoing.work();
  const bar = document.createElement("span");
  bar.className = "countdown";
  bar.style.animationDuration = `${undoMs}ms`;
  bar.style.animationDelay = `${last.sendAt - undoMs - Date.now()}ms`;
  toast.append(button, bar);
}

/** Says that a review of another token is unsent: it is never sent with this session. */
function tellOthers(): void {
  const [other] = heldByOthers();
  if (other)
    say(
      `A review by ${other.by} was not sent: ${other.title}, ${other.decision}. Sign in as ${other.by} to send it.`,
      true,
    );
}

/** What the Undo button does; a page may replace it. */
export const undoing: { work(): void } = { work: () => void undo() };

/** Whether unsent reviews are kept for the next page instead of being sent on unload. */
let carried = false;
export const carry = (): void => void (carried = true);
addEventListener("pagehide", () => {
  if (!carried && !isSignedOut) sendAll();
});
addEventListener("pageshow", (event) => {
  if (!(event as PageTransitionEvent).persisted) return;
  carried = false;
  tellHeld();
  wait();
});
/**
 * Browsers limit the keepalive requests of a page to 64 KiB (Fetch standard). Above this, the reviewer is asked
 * to stay until everything is sent.
 */
const leavingBytesMax = 60_000;
addEventListener("beforeunload", (event) => {
  if (!carried && held().length > 0 && (isSignedOut || JSON.stringify(held()).length > leavingBytesMax))
    event.preventDefault();
});

/** Signing out first sends all unsent reviews, because they need the session. */
const signOut = document.querySelector<HTMLFormElement>('form[action="/sign-out"]');
signOut?.addEventListener("submit", async (event) => {
  if (held().length === 0 && !sending) return;
  event.preventDefault();
  keep(held().map((one) => ({ ...one, sendAt: Date.now() })));
  await sending;
  if (await sendDue()) signOut.submit();
});

tellHeld();
void tellSent();
wait();
