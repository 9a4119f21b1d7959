/** Unsent reviews, in the tab's sessionStorage: they survive navigation and the end of the session. */

export interface Verdict {
  id: string;
  title: string;
  decision: "approved" | "rejected";
  note?: string;
  /** The version and the review state that the reviewer saw; an asset without a review has "" as its time. */
  sha256: string;
  seen_status: string;
  seen_reviewed_at: string;
  /** Name of the reviewer's token. */
  by: string;
  /** When to send it: ms since the epoch, by the browser's clock. */
  sendAt: number;
}

/** Name of the token that is signed in on this page. */
export const reviewer = document.querySelector(".account .who")?.textContent ?? "";

const read = <T>(name: string, none: T): T =>
  JSON.parse(sessionStorage.getItem(name) ?? JSON.stringify(none)) as T;
const write = (name: string, value: unknown): void => sessionStorage.setItem(name, JSON.stringify(value));

const heldName = "svc-verdicts";
const all = (): Verdict[] => read(heldName, []);
const isOwn = ({ by }: Verdict): boolean => by === reviewer;

/** Unsent reviews of the signed-in token. */
export const held = (): Verdict[] => all().filter(isOwn);
/** Unsent reviews of a token that was signed in earlier in this tab. */
export const heldByOthers = (): Verdict[] => all().filter((one) => !isOwn(one));
export const keep = (verdicts: Verdict[]): void => write(heldName, [...heldByOthers(), ...verdicts]);

const sentName = "svc-verdicts-sent";
/** Reviews sent while the page was unloading, whose responses are unknown. */
export const keepSent = (verdicts: Verdict[]): void => write(sentName, verdicts);
export function takeSent(): Verdict[] {
  const verdicts = read<Verdict[]>(sentName, []).filter(isOwn);
  sessionStorage.removeItem(sentName);
  return verdicts;
}

const draftsName = "svc-verdict-notes";
const draftKey = (id: string): string => `${reviewer} ${id}`;
/** The note of a review that was rejected, for the next attempt. */
export const draftOf = (id: string): string | undefined =>
  read<Record<string, string>>(draftsName, {})[draftKey(id)];
export function keepDraft(id: string, note: string | undefined): void {
  const drafts = read<Record<string, string>>(draftsName, {});
  if (note) drafts[draftKey(id)] = note;
  else delete drafts[draftKey(id)];
  write(draftsName, drafts);
}
