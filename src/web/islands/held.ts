/** Verdicts that wait in this tab: they outlive its pages, and the end of a session. */

export interface Verdict {
  id: string;
  title: string;
  decision: "approved" | "rejected";
  note?: string;
  /** What was looked at, and how its review stood then; an asset without a review has "" for its time. */
  sha256: string;
  seen_status: string;
  seen_reviewed_at: string;
  /** Token that was signed in. */
  by: string;
  /** By the clock of this machine. */
  sendAt: number;
}

/** The token that is signed in on this page. */
export const reviewer = document.querySelector(".account .who")?.textContent ?? "";

const read = <T>(name: string, none: T): T =>
  JSON.parse(sessionStorage.getItem(name) ?? JSON.stringify(none)) as T;
const write = (name: string, value: unknown): void => sessionStorage.setItem(name, JSON.stringify(value));

const heldName = "svc-verdicts";
const all = (): Verdict[] => read(heldName, []);
const isOwn = ({ by }: Verdict): boolean => by === reviewer;

/** Those of the token that is signed in here. */
export const held = (): Verdict[] => all().filter(isOwn);
/** Of a token that was signed in before in this tab. */
export const heldByOthers = (): Verdict[] => all().filter((one) => !isOwn(one));
export const keep = (verdicts: Verdict[]): void => write(heldName, [...heldByOthers(), ...verdicts]);

const sentName = "svc-verdicts-sent";
/** What a page sent while it was left, and nobody has seen the answer of. */
export const keepSent = (verdicts: Verdict[]): void => write(sentName, verdicts);
export function takeSent(): Verdict[] {
  const verdicts = read<Verdict[]>(sentName, []).filter(isOwn);
  sessionStorage.removeItem(sentName);
  return verdicts;
}

const draftsName = "svc-verdict-notes";
const draftKey = (id: string): string => `${reviewer} ${id}`;
/** The note of a verdict that was refused, for the next try. */
export const draftOf = (id: string): string | undefined =>
  read<Record<string, string>>(draftsName, {})[draftKey(id)];
export function keepDraft(id: string, note: string | undefined): void {
  const drafts = read<Record<string, string>>(draftsName, {});
  if (note) drafts[draftKey(id)] = note;
  else delete drafts[draftKey(id)];
  write(draftsName, drafts);
}
