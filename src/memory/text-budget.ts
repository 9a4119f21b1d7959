/** Packing: as much as fits, the important parts first, nothing cut in two but what says how it is cut. */

/** A part of a text: lines below a title, most important first. */
export interface Section {
  title: string;
  entries: Entry[];
  /**
   * Share of the room that it may take before the parts behind it had theirs; what is left then is given in
   * the same order.
   */
  budgetShare: number;
  /** Place of the entry that has its room before all others, cut if it must be. */
  essential?: number;
  /** How to get what is left out. */
  fetch: string;
  /** Wraps the entries that are kept, where they stand in one enclosure. */
  wrap?(entries: string): string;
}

type Entry = string | TruncatableEntry;

export interface TruncatableEntry {
  whole: string;
  /**
   * At most `max` characters of it, or null where too little would be left; of what is essential anything is
   * enough.
   */
  truncate(max: number, isEssential: boolean): string | null;
}

export interface OmittedSection {
  part: string;
  count: number;
  fetch: string;
}

export interface BudgetedText {
  text: string;
  included: Record<string, number>;
  left_out: OmittedSection[];
}

/** What is said of that takes no more than this share of the room; else it is said in short. */
const footerShare = 0.25;
/** What an essential entry may take in a short text, whatever the share of its part. */
const essentialMin = 240;

/** A text of at most `max` characters, where `head` leaves room. It ends with what it leaves out. */
export function fitToBudget(head: string, parts: readonly Section[], max: number): BudgetedText {
  const filled = parts.filter(({ entries }) => entries.length > 0);
  const full = renderText(head, filled, fullFooter, ({ entries }) => entries.map(fullText));
  return full.text.length <= max ? full : fitSections(head, filled, max);
}

const fullText = (entry: Entry): string => (typeof entry === "string" ? entry : entry.whole);

function fitSections(head: string, parts: readonly Section[], max: number): BudgetedText {
  const placed = new Map(parts.map((part) => [part, new Map<number, string>()]));
  const placedIn = (part: Section) => placed.get(part) as Map<number, string>;
  // The end is longest where nothing is kept, so it has its place whatever happens.
  const nothing = parts.map((part) => omittedFrom(part, 0));
  const close = fullFooter(nothing).length > max * footerShare ? shortFooter : fullFooter;
  let room = max - head.length - close(nothing).length;
  /** @returns what it cost */
  const place = (part: Section, at: number, most: number, isEssential = false): number => {
    const texts = placedIn(part);
    const before = texts.get(at);
    const cost = before === undefined ? 1 + (texts.size === 0 ? headingLength(part) : 0) : -before.length;
    const text = fit(part.entries[at] as Entry, Math.min(room, most) - cost, isEssential);
    if (text === null || text.length <= (before?.length ?? 0)) return 0;
    texts.set(at, text);
    room -= cost + text.length;
    return cost + text.length;
  };
  const fill = (part: Section, most: number) => {
    for (const at of part.entries.keys()) most -= place(part, at, most);
  };
  const whole = room;
  const spent = parts.map((part) =>
    part.essential === undefined
      ? 0
      : place(part, part.essential, Math.max(whole * part.budgetShare, essentialMin), true),
  );
  for (const [index, part] of parts.entries())
    fill(part, whole * part.budgetShare - (spent[index] as number));
  for (const part of parts) fill(part, Number.POSITIVE_INFINITY);
  return renderText(head, parts, close, (part) =>
    part.entries.flatMap((_, at) => placedIn(part).get(at) ?? []),
  );
}

function fit(entry: Entry, max: number, isEssential: boolean): string | null {
  const whole = fullText(entry);
  if (whole.length <= max) return whole;
  return typeof entry === "string" ? null : entry.truncate(max, isEssential);
}

type RenderFooter = (left: readonly OmittedSection[]) => string;

function renderText(
  head: string,
  parts: readonly Section[],
  close: RenderFooter,
  keptOf: (part: Section) => string[],
): BudgetedText {
  const shown = parts.map((part) => ({ part, texts: keptOf(part) }));
  const left_out = shown
    .map(({ part, texts }) => omittedFrom(part, texts.length))
    .filter(({ count }) => count > 0);
  const bodies = shown
    .filter(({ texts }) => texts.length > 0)
    .map(({ part, texts }) => renderSection(part, texts));
  return {
    text: [head, ...bodies].join("\n\n") + (left_out.length > 0 ? close(left_out) : ""),
    included: Object.fromEntries(shown.map(({ part, texts }) => [part.title, texts.length])),
    left_out,
  };
}

function renderSection({ title, wrap }: Section, texts: string[]): string {
  const lines = texts.join("\n");
  return `## ${title}\n${wrap ? wrap(lines) : lines}`;
}

/** What a part costs beside its entries: the gap before it, its title, its marks. */
const headingLength = (part: Section): number => 2 + renderSection(part, []).length;

const omittedFrom = ({ title, entries, fetch }: Section, kept: number): OmittedSection => ({
  part: title,
  count: entries.length - kept,
  fetch,
});

const fullFooter: RenderFooter = (left) =>
  `\n\nLeft out for want of room:\n${left.map(({ part, count, fetch }) => `- ${count} of "${part}": ${fetch}`).join("\n")}`;

const shortFooter: RenderFooter = (left) =>
  `\n\nLeft out for want of room: ${left.reduce((sum, { count }) => sum + count, 0)} entries. Ask with a larger max_chars.`;
