/** Unsent reviews, in the tab's sessionStorage: they survive navigation and the end of the session. */

export interface PendingReview {
  id: string;
  title: string;
  decision: "approved" | "rejected";
  note?: string;
  /** The answers to the checklist. */
  checklist?: { version: number; answers: { id: string; result: string; note?: string }[] };
  /**
   * The version and the review state that the reviewer saw; an asset without a review has "" as its time. The
   * id names one file too: lists of many assets leave out the hash.
   */
  sha256?: string;
  seen_status: string;
  seen_reviewed_at: string;
  /** Name of the reviewer's token. */
  by: string;
  /** When to send it: ms since the epoch, by the browser's clock. */
  sendAt: number;
}

/** The answers to the checklist of a form; undefined without one. */
export function answersOf(filled: HTMLFormElement): PendingReview["checklist"] {
  const fields = new FormData(filled);
  const version = fields.get("checklist_version");
  if (version === null) return undefined;
  const checked = filled.querySelectorAll<HTMLInputElement>(".review-checklist [type=radio]:checked");
  const answers = [...checked].map(({ name, value: result }) => {
    const id = name.slice("check-".length);
    const reason = String(fields.get(`check-note-${id}`) ?? "").trim();
    return { id, result, ...(reason && result === "fail" ? { note: reason } : {}) };
  });
  return { version: Number(version), answers };
}

/** The request that saves a review: a PUT to this path below `/web`. */
export function requestOf(review: PendingReview): { path: string; body: object } {
  const { id, decision, note, checklist, sha256, seen_status, seen_reviewed_at } = review;
  const snapshot = { ...(sha256 && { sha256 }), seen_status, seen_reviewed_at: seen_reviewed_at || null };
  const answers = { ...(note ? { note } : {}), ...(checklist ? { checklist } : {}) };
  return { path: `/assets/${id}/review`, body: { decision, ...snapshot, ...answers } };
}

const { content: csrf, dataset } = document.querySelector('meta[name="csrf"]') as HTMLMetaElement;

/** Name of the token that is signed in on this page. */
export const reviewer = dataset.reviewer ?? "";

const read = <T>(name: string, fallback: T): T =>
  JSON.parse(sessionStorage.getItem(name) ?? JSON.stringify(fallback)) as T;
const write = (name: string, value: unknown): void => sessionStorage.setItem(name, JSON.stringify(value));

const pendingKey = "svc-pending-reviews";
const allPending = (): PendingReview[] => read(pendingKey, []);
const isOwn = ({ by }: PendingReview): boolean => by === reviewer;

/** Unsent reviews of the signed-in token. */
export const pendingReviews = (): PendingReview[] => allPending().filter(isOwn);
/** Unsent reviews of a token that was signed in earlier in this tab. */
export const otherReviewersPending = (): PendingReview[] => allPending().filter((review) => !isOwn(review));
export const savePending = (reviews: PendingReview[]): void =>
  write(pendingKey, [...otherReviewersPending(), ...reviews]);

const sentKey = "svc-reviews-sent";
/** Reviews sent while the page was unloading, whose responses are unknown. */
export const saveSent = (reviews: PendingReview[]): void => write(sentKey, reviews);
export function takeSent(): PendingReview[] {
  const reviews = read<PendingReview[]>(sentKey, []).filter(isOwn);
  sessionStorage.removeItem(sentKey);
  return reviews;
}

/** What a reviewer wrote and answered in a review that was undone or could not be saved. */
type Draft = Pick<PendingReview, "note" | "checklist">;

const draftsKey = "svc-review-drafts";
const draftKey = (id: string): string => `${reviewer} ${id}`;
/** The draft of an asset, for the next attempt; undefined without one. */
export const draftOf = (id: string): Draft | undefined =>
  read<Record<string, Draft>>(draftsKey, {})[draftKey(id)];
export function saveDraft(id: string, { note, checklist }: Draft): void {
  write(draftsKey, { ...read(draftsKey, {}), [draftKey(id)]: { note, checklist } });
}
export function removeDraft(id: string): void {
  const { [draftKey(id)]: _, ...others } = read<Record<string, Draft>>(draftsKey, {});
  write(draftsKey, others);
}

/** Sends everything while the page unloads. The next page checks whether it was saved. */
export function sendAll(): void {
  const all = pendingReviews();
  if (all.length === 0) return;
  savePending([]);
  saveSent(all);
  const headers = { "x-csrf-token": csrf, "content-type": "application/json" };
  for (const { path, body } of all.map(requestOf))
    void fetch(`/web${path}`, {
      method: "PUT",
      keepalive: true,
      headers,
      body: JSON.stringify(body),
    }).catch(() => {});
}

/** Fired when the queue of unsent reviews decides what happens on leaving the page. */
export const queueReady = "review-queue";
