/** Verdicts that this tab holds for ten seconds: nothing is written before, and all of it at once when somebody leaves. */
import { call, Refused } from "./session.js";

export interface Verdict {
  id: string;
  title: string;
  decision: "approved" | "rejected";
  note?: string;
  /** What was looked at. */
  sha256: string;
  /** By the clock of this machine. */
  sendAt: number;
}

export const undoMs = 10_000;
const name = "svc-verdicts";
const sentName = "svc-verdicts-sent";
const toast = document.getElementById("toast") as HTMLElement;
let timer = 0;

export const held = (): Verdict[] => JSON.parse(sessionStorage.getItem(name) ?? "[]");
const keep = (verdicts: Verdict[]): void => sessionStorage.setItem(name, JSON.stringify(verdicts));

export function hold(verdicts: Verdict[]): void {
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

/** Sends what is due, one after the other; what comes due meanwhile is sent by the same run. */
let sending = false;
async function sendDue(): Promise<void> {
  if (sending) return;
  sending = true;
  const sent: Verdict[] = [];
  const failed: string[] = [];
  for (let due = next(); due; due = next()) {
    keep(held().filter((one) => one.id !== due?.id));
    try {
      await write(due);
      sent.push(due);
    } catch (error) {
      if (!(error instanceof Refused)) {
        keep([...held(), { ...due, sendAt: Date.now() + undoMs }]); // no answer: nobody knows, so it is sent again
        failed.push(`${due.title} could not be sent and is tried again.`);
        break;
      }
      failed.push(`${due.title} was not ${due.decision}: ${error.message}`);
    }
  }
  sending = false;
  if (failed.length > 0) say([...(sent.length > 0 ? [`${nameOf(sent)}.`] : []), ...failed].join(" "), true);
  else if (sent.length > 0 && held().length === 0) say(`${nameOf(sent)}.`);
  wait();
  if (sent.length > 0) tell(sent.map((one) => one.id));
}

const next = (): Verdict | undefined => held().find((one) => one.sendAt <= Date.now());

/** Goes on when the page goes. */
const write = ({ id, decision, sha256, note }: Verdict): Promise<unknown> =>
  call("PUT", `/assets/${id}/review`, { decision, sha256, ...(note ? { note } : {}) }, true);

/** Nobody waits for the answers: the page is going. */
function sendAll(): void {
  const all = held();
  keep([]);
  if (all.length > 0) sessionStorage.setItem(sentName, JSON.stringify(all.map((one) => one.id)));
  for (const one of all) void write(one).catch(() => {});
}

/** What was sent by the page before may have arrived after this one was made. */
const settleMs = 250;
function tellSent(): void {
  const ids: string[] = JSON.parse(sessionStorage.getItem(sentName) ?? "[]");
  sessionStorage.removeItem(sentName);
  if (ids.length > 0) setTimeout(() => tell(ids), settleMs);
}

function wait(): void {
  clearTimeout(timer);
  const first = Math.min(...held().map((one) => one.sendAt));
  if (Number.isFinite(first)) timer = window.setTimeout(() => void sendDue(), Math.max(0, first - Date.now()));
}

const nameOf = (verdicts: Verdict[]): string =>
  verdicts.length === 1 ? `${verdicts[0]?.title}: ${verdicts[0]?.decision}` : `${verdicts.length} ${verdicts[0]?.decision}`;

export function say(text: string, isBad = false): void {
  toast.hidden = false;
  toast.classList.toggle("bad-news", isBad);
  toast.textContent = text;
}

/** What the newest of them is, with the way back. */
function tellHeld(): void {
  const all = held();
  const last = all.at(-1);
  if (!last) return;
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

/** What the button of the toast does; a page may do more than take back. */
export const undoing: { work(): void } = { work: () => void undo() };

/** Whether the page that comes next holds the verdicts in our place. */
let carried = false;
export const carry = (): void => void (carried = true);
addEventListener("pagehide", () => {
  if (!carried) sendAll();
});
addEventListener("pageshow", (event) => {
  if (!(event as PageTransitionEvent).persisted) return;
  carried = false;
  tellHeld();
  wait();
});
/** More than browsers let a page send that is going: somebody is asked to stay until it is sent. */
const leavingBytesMax = 60_000;
addEventListener("beforeunload", (event) => {
  if (!carried && JSON.stringify(held()).length > leavingBytesMax) event.preventDefault();
});

tellHeld();
tellSent();
wait();
