/**
 * Today: keeps the page current, opens items beside the list, marks them in place with an undo, and sends
 * verdicts. Every change is a form or a link that works without this script: its answer replaces the parts.
 */
import { followPage } from "../live/live-sections.js";
import { isForElsewhere } from "../page/keys.js";
import { hasNotifications, isEnabled, onEnabledChange, setEnabled } from "../page/notify.js";
import { type FetchedPage, fetchPage, replacePart } from "../page/parts.js";
import { type PendingReview, pendingReviews, reviewer } from "../review/pending-reviews.js";
import { listener, queueReviews, showToast, undo, undoAction, undoMs } from "../review/review-queue.js";

const { newest = "" } = (document.getElementById("today") as HTMLElement).dataset;
/** A tab in the background follows no stream; snoozes end, and runs are lost, without an event. */
const pollMs = 60_000;
/** From here on the style shows the opened item beside the list. */
const isWide = matchMedia("(min-width: 64rem)");

const rows = () => [...document.querySelectorAll<HTMLElement>(".inbox-items > li:not([hidden])")];
const linkOf = (row: HTMLElement | undefined) => row?.querySelector<HTMLAnchorElement>("[data-item]");
const opened = () => document.getElementById("today-opened") as HTMLElement | null;
const openId = () => opened()?.dataset.itemId;

/** The row that the keys act on: that of the focus, or the opened one. */
const current = (): HTMLElement | undefined =>
  (document.activeElement?.closest(".inbox-items > li") as HTMLElement | null) ??
  rows().find(({ dataset }) => dataset.id === openId());

/** Replaces the parts of the page that another state of it has. */
function showParts({ page }: FetchedPage, ids: readonly string[]): void {
  for (const id of ids) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh) replacePart(old, fresh);
  }
  showInTab(page);
  afterUpdate();
}

const iconOf = (page: Document) => page.querySelector<HTMLLinkElement>('link[rel="icon"]');

function showInTab(page: Document): void {
  document.title = page.title;
  const [shown, fresh] = [iconOf(document), iconOf(page)];
  // A browser shows a new icon when the link is a new one.
  if (shown && fresh && shown.getAttribute("href") !== fresh.getAttribute("href")) shown.replaceWith(fresh);
}

/** Hides what has a verdict that is not sent yet, marks the opened row, and counts the selected ones. */
function afterUpdate(): void {
  const decided = new Set(pendingReviews().map(({ id }) => id));
  for (const row of document.querySelectorAll<HTMLElement>(".inbox-items > li")) {
    row.hidden = decided.has(row.dataset.asset ?? "");
    row.classList.toggle("open", isWide.matches && row.dataset.id === openId());
  }
  const picked = document.querySelectorAll(".inbox-items input:checked").length;
  const bar = document.querySelector<HTMLElement>(".stack-bulk");
  const text = document.getElementById("selected");
  if (bar) bar.hidden = picked === 0;
  if (text) text.textContent = `${picked} selected`;
}

/** The list as it is now, with the focus on the same row, or on the one in its place. */
function replaceAroundFocus(page: Document): void {
  const row = document.activeElement?.matches("[data-item]") ? current() : undefined;
  const [old, fresh] = [document.getElementById("today-needs"), page.getElementById("today-needs")];
  if (!row || !old || !fresh) return;
  const at = rows().indexOf(row);
  replacePart(old, fresh);
  const all = rows();
  linkOf(all.find(({ dataset }) => dataset.id === row.dataset.id) ?? all[at] ?? all.at(-1))?.focus();
}

/** Opens an item beside the list. A later choice wins over an answer that is still on its way. */
let wanted: string | undefined;
async function open(id: string | undefined): Promise<void> {
  if (!id || !isWide.matches) return;
  wanted = id;
  if (id === openId()) return;
  const url = `/?${new URLSearchParams({ item: id })}`;
  const fetched = await fetchPage(url);
  if (wanted !== id || !fetched.ok) return;
  history.replaceState(null, "", url);
  showParts(fetched, ["today-opened"]);
}

/** Moves the focus to a row, and opens it. */
function show(row: HTMLElement | undefined): void {
  linkOf(row)?.focus();
  void open(row?.dataset.id);
}

/** Goes to the next row, or to the one before; from elsewhere, to the first. */
function move(by: 1 | -1): void {
  const all = rows();
  const row = document.activeElement?.closest<HTMLElement>(".inbox-items > li");
  const at = row ? all.indexOf(row) : -1;
  show(all[at < 0 ? 0 : at + by]);
}

/** After a row has gone, its place is that of the next one. */
function goOn(at: number): void {
  const all = rows();
  show(all[Math.min(at, all.length - 1)]);
}

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

/** Sends a form that marks items, and shows the page that answers it. */
async function sendMarks(form: HTMLFormElement, submitter: HTMLButtonElement): Promise<void> {
  const fields = new FormData(form, submitter);
  if (fields.has("time_zone")) fields.set("time_zone", timeZone);
  const isOpened = opened()?.contains(form) ?? false;
  const at = rows().findIndex((row) => (isOpened ? row.dataset.id === openId() : row.contains(submitter)));
  // safe because: the form has no files
  const body = new URLSearchParams([...fields] as [string, string][]);
  const path = submitter.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
  const fetched = await fetchPage(path, { method: "POST", body });
  if (!fetched.ok) return showToast(fetched.page.querySelector(".notice")?.textContent ?? "", true);
  showParts(fetched, [
    ...["today-needs", "today-notice", "today-views", "today-end", "inbox-count"],
    ...(isWide.matches ? ["today-opened"] : []),
  ]);
  history.replaceState(null, "", location.search.includes("view=") ? location.href : "/");
  const back = String(fields.get("undo") ?? "").split(",");
  const returned = rows().find(({ dataset }) => back.includes(dataset.id ?? ""));
  if (returned) show(returned);
  else if (at >= 0) goOn(at);
}

/** Sends a verdict after a while in which it can be undone. */
function sendVerdict(form: HTMLFormElement, decision: PendingReview["decision"]): void {
  const fieldOf = (name: string) => (form.elements.namedItem(name) as HTMLInputElement).value;
  const note = fieldOf("note").trim();
  const marks = document.querySelectorAll(".open-marks li").length;
  if (decision === "rejected" && note === "" && marks === 0) {
    (form.elements.namedItem("note") as HTMLElement).focus();
    showToast("Add a note explaining what to change.", true);
    return;
  }
  const id = /\/assets\/([^/]+)\/review/.exec(form.action)?.[1] as string;
  const row = rows().find(({ dataset }) => dataset.asset === id);
  const at = row ? rows().indexOf(row) : 0;
  queueReviews([
    {
      id,
      title: linkOf(row)?.textContent ?? "",
      decision,
      sha256: fieldOf("sha256"),
      seen_status: fieldOf("seen_status"),
      seen_reviewed_at: fieldOf("seen_reviewed_at"),
      by: reviewer,
      sendAt: Date.now() + undoMs,
      ...(note && { note }),
    },
  ]);
  if (!isWide.matches) {
    opened()?.classList.remove("named");
    history.replaceState(null, "", "/");
  }
  afterUpdate();
  goOn(at);
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const submitter = event.submitter as HTMLButtonElement;
  if (form.id === "verdict") {
    event.preventDefault();
    sendVerdict(form, submitter.value as PendingReview["decision"]);
  } else if (form.id === "today-needs" || form.matches(".undo, .proposal")) {
    event.preventDefault();
    void sendMarks(form, submitter);
  }
});

document.addEventListener("change", ({ target }) => {
  if ((target as HTMLElement).matches(".inbox-items input")) afterUpdate();
});

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>("details.snooze[open]");
document.addEventListener("click", (event) => {
  const target = event.target as HTMLElement;
  for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false;
  // The keyboard follows the link (`detail` is 0), as does a click for a new tab.
  const isPlain = event.detail > 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  const row = target.closest<HTMLElement>(".inbox-items > li");
  if (!row || !isPlain || !isWide.matches || !target.closest("[data-item], .item-look")) return;
  event.preventDefault();
  show(row);
});

function snooze(): void {
  const menu = current()?.querySelector<HTMLDetailsElement>("details.snooze");
  if (!menu) return;
  menu.open = true;
  menu.querySelector("button")?.focus();
}

const actions: Record<string, () => void> = {
  j: () => move(1),
  k: () => move(-1),
  e: () => current()?.querySelector<HTMLElement>("[data-done]")?.click(),
  h: snooze,
  a: () => {
    document.querySelector<HTMLElement>(".proposal .primary")?.click();
    document.querySelector<HTMLElement>("#verdict .primary")?.focus();
  },
  r: () => {
    document.querySelector<HTMLElement>(".proposal .danger")?.click();
    document.querySelector<HTMLElement>("#verdict textarea")?.focus();
  },
  f: () => document.querySelector<HTMLElement>(".proposal textarea")?.focus(),
  x: () => current()?.querySelector<HTMLElement>("input")?.click(),
  u: () => (document.getElementById("undo") ?? document.querySelector<HTMLElement>(".undo button"))?.click(),
};

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && (target as Element).matches("#verdict textarea"))
    document.querySelector<HTMLElement>("#verdict .danger")?.click();
  if (key === "Escape")
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  const action = actions[key];
  if (!action || isForElsewhere(event)) return;
  event.preventDefault();
  action();
});

const update = followPage({
  filters: {},
  newest,
  pauseMs: 2_000,
  onUpdate(page) {
    // The first event: what the page was without.
    if (!document.getElementById("today-needs") && page.getElementById("today-needs")) location.reload();
    replaceAroundFocus(page);
    showInTab(page);
    afterUpdate();
  },
});
setInterval(() => void update(), pollMs);
listener.onSaved = () => void update();
undoAction.run = () => {
  const undone = new Set(undo().map(({ id }) => id));
  afterUpdate();
  show(rows().find(({ dataset }) => undone.has(dataset.asset ?? "")));
};
afterUpdate();

const panel = document.getElementById("notify");
const button = document.getElementById("notify-button");
const text = document.getElementById("notify-text");

/** What the panel on Today offers: to turn notifications on or off. */
function showPanel(): void {
  if (!panel || !button || !text) return;
  panel.hidden = !hasNotifications;
  if (!hasNotifications) return;
  const isBlocked = Notification.permission === "denied";
  button.hidden = isBlocked;
  button.textContent = isEnabled() ? "Turn off notifications" : "Notify me in this browser";
  text.textContent = isBlocked
    ? "Your browser blocks notifications of this site. Allow them in its settings."
    : isEnabled()
      ? "This browser notifies you while a tab is open."
      : "";
}

button?.addEventListener("click", async () => {
  if (isEnabled()) return setEnabled(false);
  if ((await Notification.requestPermission()) === "granted") setEnabled(true);
  showPanel();
});
onEnabledChange(showPanel);
showPanel();
