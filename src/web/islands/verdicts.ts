/**
 * Verdicts that this tab holds for ten seconds: nothing is written before, and all of them when the page is
 * left or the reviewer signs out.
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

/** Forgets what was said of one, because something else is said now. */
export const drop = (id: string): void => keep(held().filter((one) => one.id !== id));

/** Takes back what was said last: one verdict, or those that were said together. */
export function undo(): Verdict[] {
  const all = held();
  const last = all.at(-1)?.sendAt;
  const taken = all.filter((one) => one.sendAt === last);
  if (taken.length === 0) return [];
  keep(all.filter((one) => one.sendAt !== last));
  say(`${nameOf(taken)}: taken back, nothing was written.`);
  wait();
  return taken;
}

/** Called when verdicts were sent, or some of them refused. */
export const told: { sent(ids: string[]): unknown } = { sent() {} };

/** Who cannot show it leaves the page as it was. */
const tell = (ids: string[]): void => void Promise.resolve(told.sent(ids)).catch(() => {});

/** Whether the session is over: what is held stays until the reviewer signs in again. */
let isSignedOut = false;
const isOver = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 401 || error.status === 403);

/** Sends what is due, one after the other; what comes due meanwhile is sent by the same run. */
let sending: Promise<boolean> | undefined;
function sendDue(): Promise<boolean> {
  sending ??= sendEach().finally(() => (sending = undefined));
  return sending;
}

/** @returns whether all of them arrived */
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
        // no answer: nobody knows, so it is sent again
        keep([...held(), { ...one, sendAt: Date.now() + undoMs }]);
        failed.push(`${one.title} could not be sent and is tried again.`);
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
    if (refused) addLink("Open it", `/assets/${refused.id}`);
  } else if (sent.length > 0 && held().length === 0) say(`${nameOf(sent)}.`);
  wait();
  if (sent.length > 0) tell(sent.map((one) => one.id));
  return failed.length === 0 && !isSignedOut;
}

const next = (): Verdict | undefined => held().find((one) => one.sendAt <= Date.now());

/** Goes on when the page goes. */
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

/** One that was sent before, and whose answer got lost, is there already. */
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

/** The page is going, so nobody waits for the answers: the next one asks what became of them. */
function sendAll(): void {
  const all = held();
  keep([]);
  if (all.length > 0) keepSent(all);
  for (const one of all) void write(one).catch(() => {});
}

/** What was sent by the page before may arrive after this one was made. */
const settleMs = 250;
async function tellSent(): Promise<void> {
  const sent = takeSent();
  if (sent.length === 0) return;
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const arrived = await Promise.all(sent.map(async (one) => isTaken(one, await reviewOf(one.id)))).catch(() =>
    sent.map(() => false),
  );
  // What has not arrived is sent again; where it does so meanwhile, it is there already.
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

/** Behind what was said; the verdicts that are held come along. */
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

/** What the newest of them is, with the way back. */
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

/** A verdict is never sent in the name of another token. */
function tellOthers(): void {
  const [other] = heldByOthers();
  if (other)
    say(
      `A review by ${other.by} was not sent: ${other.title}, ${other.decision}. Sign in as ${other.by} to send it.`,
      true,
    );
}

/** What the button of the toast does; a page may do more than take back. */
export const undoing: { work(): void } = { work: () => void undo() };

/** Whether the page that comes next holds the verdicts in our place. */
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
/** More than browsers let a page send that is going: the reviewer is asked to stay until it is sent. */
const leavingBytesMax = 60_000;
addEventListener("beforeunload", (event) => {
  if (!carried && held().length > 0 && (isSignedOut || JSON.stringify(held()).length > leavingBytesMax))
    event.preventDefault();
});

/** What is held has to arrive while there is a session. */
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
