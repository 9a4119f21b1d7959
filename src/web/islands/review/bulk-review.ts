/**
 * The page that reviews many assets by keys: J and K move between groups, arrows within one, X picks what is
 * wrong, A approves the rest of the group, and R rejects what is picked in all groups with one note. What is
 * decided can be undone for ten seconds.
 */
import { moveInGrid } from "../page/grid-keys.js";
import { isForElsewhere } from "../page/keys.js";
import { fetchPage, replacePart } from "../page/parts.js";
import { answersOf, type PendingReview, pendingReviews, reviewer } from "./pending-reviews.js";
import { closePreview, isPreviewOpen, previewActs, shownId, showPreview, toggleBlink } from "./preview.js";
import { listener, queueReviews, showToast, undo, undoAction, undoMs } from "./review-queue.js";

const pollMs = 2_000;
const form = () => document.getElementById("bulk-review") as HTMLFormElement;
const note = () => form().elements.namedItem("note") as HTMLInputElement | null;
const canReview = note() !== null;
const saved = new Set<string>();

const groups = (): HTMLElement[] =>
  [...form().querySelectorAll<HTMLElement>(".bulk-group")].filter((group) => !group.hidden);
const links = (group: HTMLElement): HTMLAnchorElement[] =>
  [...group.querySelectorAll<HTMLAnchorElement>("[data-preview]")].filter(
    (link) => !(link.closest("li") as HTMLElement).hidden,
  );
const boxOf = (link: HTMLElement) => link.closest("li")?.querySelector<HTMLInputElement>(".pick input");
const idOf = (link: HTMLElement): string => link.dataset.preview ?? "";
const picked = (): HTMLInputElement[] => [
  ...form().querySelectorAll<HTMLInputElement>("li:not([hidden]) > p .pick input:checked"),
];
const linkOf = (box: HTMLElement) => box.closest("li")?.querySelector("[data-preview]") as HTMLElement;

/** The group that has the focus, or had it last. */
let current: HTMLElement | undefined;
const focused = (): HTMLAnchorElement | null => document.activeElement?.closest("[data-preview]") ?? null;

const viewed = new Set<string>();
const hiddenIds = (group: HTMLElement) =>
  group.querySelector<HTMLInputElement>(".buttons input[type=hidden]");

/**
 * The ids that a decision about a group is about, without what is picked: of changes that are like each other
 * all, also those without a tile; of others what was looked at.
 */
function idsOf(group: HTMLElement): string[] {
  const out = new Set(picked().map((box) => idOf(linkOf(box))));
  const known =
    hiddenIds(group)?.value.split(",") ??
    links(group)
      .filter((link) => !link.closest("[data-own]") && viewed.has(idOf(link)))
      .map(idOf);
  return known.filter((id) => id && !out.has(id) && !saved.has(id) && !isQueued(id));
}
const isQueued = (id: string): boolean => pendingReviews().some((review) => review.id === id);

/** Hides what is decided, and what it leaves empty. */
function showState(): void {
  const queued = new Set([...pendingReviews().map(({ id }) => id), ...saved]);
  for (const link of form().querySelectorAll<HTMLAnchorElement>("[data-preview]"))
    (link.closest("li") as HTMLElement).hidden = queued.has(idOf(link));
  let left = 0;
  for (const group of form().querySelectorAll<HTMLElement>(".bulk-group")) {
    const all = hiddenIds(group)?.value.split(",") ?? links(group).map(idOf);
    const open = all.filter((id) => !queued.has(id)).length;
    group.hidden = open === 0;
    group.classList.toggle("current", group === current);
    showButtons(group);
    left += open;
  }
  const { length } = picked();
  const count = document.getElementById("bulk-picked");
  count?.closest(".bulk")?.classList.toggle("picked", length > 0);
  if (count) count.textContent = length === 0 ? "None selected" : `${length} selected`;
  for (const { dataset, firstChild } of document.querySelectorAll<HTMLElement>("[data-picked]"))
    (firstChild as Text).data = [dataset.picked, length || [], "selected"].flat().join(" ");
  const rest = document.getElementById("bulk-left");
  if (rest) rest.textContent = queued.size > 0 ? `${left} left` : "";
}

/** How many its buttons are about; without any, they are hidden. */
function showButtons(group: HTMLElement): void {
  const buttons = group.querySelector<HTMLElement>(".buttons");
  if (!buttons) return;
  const ids = idsOf(group).length;
  buttons.hidden = ids === 0;
  for (const count of buttons.querySelectorAll("[data-count]"))
    count.textContent = hiddenIds(group) ? String(ids) : `${ids} seen`;
}

function enter(group: HTMLElement | undefined): void {
  if (!group) return;
  current = group;
  const [first] = group.querySelector("details:not([open])") ? [] : links(group);
  const target = first ?? group.querySelector<HTMLElement>("summary, button");
  target?.focus();
  group.scrollIntoView({ block: "start" });
  showState();
}

function move(by: 1 | -1): void {
  const shown = groups();
  const at = current ? shown.indexOf(current) : -1;
  enter(shown[Math.min(shown.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
}

interface Decided {
  ids: string[];
  titles?: ReadonlyMap<string, string>;
}

function pickedOnes(): Decided {
  const titles = new Map(picked().map((box) => [idOf(linkOf(box)), box.dataset.title ?? ""]));
  return { ids: [...titles.keys()], titles };
}
const groupOnes = (): Decided => ({ ids: current && !current.hidden ? idsOf(current) : [] });
/** What R is about: what is picked in all groups, or else the group. */
const wrongOnes = (): Decided => (picked().length > 0 ? pickedOnes() : groupOnes());

function decide(decision: PendingReview["decision"], { ids, titles }: Decided): void {
  const text = note()?.value.trim() ?? "";
  const problem =
    ids.length === 0
      ? "Nothing to decide about: look at an image, or select it with X."
      : decision === "rejected" && text === ""
        ? "Add a note explaining what to change."
        : decision === "approved" && !form().checkValidity()
          ? "Answer the checklist first: a required item that failed is a reason to reject."
          : null;
  if (problem) {
    if (ids.length > 0) (form().querySelector<HTMLElement>("input:invalid") ?? note())?.focus();
    showToast(problem, true);
    return;
  }
  const sendAt = Date.now() + undoMs;
  const checklist = decision === "approved" ? answersOf(form()) : undefined;
  const shown = groups();
  const at = current ? shown.indexOf(current) : 0;
  queueReviews(
    ids.map((id) => ({
      id,
      title: titles?.get(id) || titleOf(id),
      decision,
      seen_status: "pending",
      seen_reviewed_at: "",
      by: reviewer,
      sendAt,
      ...(decision === "rejected" && { note: text }),
      ...(checklist && { checklist }),
    })),
  );
  const decided = new Set(ids);
  for (const box of picked()) box.checked = !decided.has(idOf(linkOf(box)));
  if (decision === "rejected") (note() as HTMLInputElement).value = "";
  showState();
  const next = current && !current.hidden ? current : shown.slice(at).find((group) => !group.hidden);
  if (next) enter(next);
  else (document.activeElement as HTMLElement | null)?.blur();
}

const titleOf = (id: string): string =>
  form().querySelector(`[data-preview="${CSS.escape(id)}"] .tile-title`)?.textContent ?? "An asset";

/** Starts a rejection: the note is for all of them, and Enter sends it. */
function startRejection(): void {
  if (wrongOnes().ids.length === 0) showToast("Look at an image, or select it with X.", true);
  else note()?.focus();
}

function toggle(link: HTMLElement | null): void {
  const box = link && boxOf(link);
  if (!box) return;
  box.checked = !box.checked;
  showState();
}

function toggleAll(): void {
  const boxes = current ? links(current).flatMap((link) => boxOf(link) ?? []) : [];
  const isAny = boxes.some((box) => !box.checked);
  for (const box of boxes) box.checked = isAny;
  showState();
}

const acts: Record<string, () => void> = {
  j: () => move(1),
  k: () => move(-1),
  " ": () => (isPreviewOpen() ? closePreview() : void showPreview(focused(), true)),
  b: toggleBlink,
  Escape: closePreview,
  ...(canReview && {
    x: () => toggle(focused()),
    X: toggleAll,
    a: () => decide("approved", groupOnes()),
    A: () => decide("approved", pickedOnes()),
    r: startRejection,
    u: () => undoAction.run(),
  }),
};

const shownLink = (): HTMLAnchorElement | null =>
  form().querySelector(`[data-preview="${CSS.escape(shownId())}"]`);

/** Moves the larger view through the tiles of all groups. */
function step(by: 1 | -1): void {
  const all = groups().flatMap(links);
  const at = all.indexOf(shownLink() as HTMLAnchorElement);
  all[at + by]?.focus();
  void showPreview(all[at + by] ?? null, true);
}

Object.assign(previewActs, {
  previous: () => step(-1),
  next: () => step(1),
  pick: () => toggle(shownLink()),
});

document.addEventListener("keydown", (event) => {
  if (isForElsewhere(event)) return;
  if (current) moveInGrid(event, links(current));
  const isControl = (event.target as Element).matches("button, summary, input");
  if (!acts[event.key] || (event.key === " " && (isControl || !focused()))) return;
  event.preventDefault();
  acts[event.key]?.();
});

note()?.addEventListener("keydown", (event) => {
  if (event.key === "Escape") (focused() ?? current?.querySelector<HTMLElement>("[data-preview]"))?.focus();
  if (event.key !== "Enter") return;
  event.preventDefault();
  decide("rejected", wrongOnes());
});

form().addEventListener("focusin", ({ target }) => {
  const group = (target as HTMLElement).closest<HTMLElement>(".bulk-group");
  if (group && group !== current) {
    current = group;
    showState();
  }
  void showPreview((target as HTMLElement).closest("[data-preview]"), false);
});
document.addEventListener("preview-shown", (event) => {
  viewed.add((event as CustomEvent<string>).detail);
  showState();
});
form().addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType === "mouse") void showPreview((target as HTMLElement).closest("[data-preview]"), false);
});
form().addEventListener("change", showState);

form().addEventListener("click", (event) => {
  const link = (event.target as HTMLElement).closest<HTMLAnchorElement>("[data-preview]");
  // Enter opens the desk, as a link does; a pointer shows the larger view.
  if (!link || event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  link.focus();
  void showPreview(link, true);
});

form().addEventListener("submit", (event) => {
  event.preventDefault();
  const button = (event as SubmitEvent).submitter as HTMLButtonElement;
  const group = button.closest<HTMLElement>(".bulk-group");
  const isApproval = button.name === "approve" || button.value === "approved";
  if (group) current = group;
  decide(isApproval ? "approved" : "rejected", group ? groupOnes() : pickedOnes());
});

undoAction.run = () => {
  const undone = undo();
  const [first] = undone;
  for (const { id, decision } of undone) {
    const link = form().querySelector<HTMLElement>(`[data-preview="${CSS.escape(id)}"]`);
    const box = link && boxOf(link);
    if (box) box.checked = decision === "rejected";
  }
  showState();
  const link = first && form().querySelector<HTMLElement>(`[data-preview="${CSS.escape(first.id)}"]`);
  if (link) enter(link.closest<HTMLElement>(".bulk-group") ?? undefined);
  const written = note();
  if (written && first?.note) written.value = first.note;
};

listener.onSaved = (ids) => {
  for (const id of ids) saved.add(id);
  showState();
};

/** Shows what was not saved again, and what has been compared meanwhile. */
async function poll(): Promise<void> {
  if (saved.size > 0 || pendingReviews().length > 0) showState();
  else if (form().querySelector('[data-group="waiting"]') && picked().length === 0 && !document.hidden) {
    const { page, ok } = await fetchPage(location.href);
    const fresh = page.querySelector(".bulk-groups");
    const old = document.querySelector(".bulk-groups");
    if (ok && fresh && old && !old.contains(document.activeElement)) replacePart(old, fresh);
    showState();
  }
  setTimeout(() => void poll().catch(() => {}), pollMs);
}

showState();
setTimeout(() => void poll().catch(() => {}), pollMs);
