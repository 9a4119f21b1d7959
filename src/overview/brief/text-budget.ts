/**
 * Fits sections into a budget of characters, the important ones first. Entries are never split; an entry that
 * can be truncated says so in its text.
 */

/** A section of a text: a title and its entries, the most important first. */
export interface Section {
  title: string;
  entries: Entry[];
  /** The ids of the entries' rows, if the caller wants to know which ones were included. */
  ids?: readonly number[];
  /**
   * The share of the budget that the section may take at first. What the shares leave over is then given to
   * the sections in order.
   */
  budgetShare: number;
  /** The entry that is placed before all others: whole wherever it fits, else truncated to the share. */
  essential?: EssentialEntry;
  /** A line below the title. */
  hint?: string;
  /** The call that fetches the entries left out. */
  fetch: string;
  /** Wraps all included entries, for sections whose entries share one <data-…> tag. */
  wrap?(entries: string): string;
}

type Entry = string | LateEntry;

/** An entry of a long list, most of which have no room: it is rendered where it might fit (`bun run bench growth`). */
export interface LateEntry {
  /** The whole entry is at least this long. */
  lengthMin: number;
  full(): string;
  /**
   * Shortens the entry to at most `max` characters, or returns null if too little would remain. Of an
   * essential entry any length will do.
   */
  truncate?(max: number, isEssential: boolean): string | null;
}

export interface EssentialEntry {
  /** Its index in the entries of the section. */
  at: number;
  /** Of several essential entries, the lowest rank is placed first. */
  rank: number;
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
  /** The ids of the included entries. */
  ids: number[];
}

/** The footer that lists what was left out may take this share of the budget; otherwise it is one line. */
const footerShare = 0.25;
/** Characters that an essential entry may take in a short text, whatever the share of its section. */
const essentialMin = 240;

/**
 * Renders sections below a header in at most `max` characters, provided that the header leaves room. A footer
 * lists what was left out.
 */
export function fitToBudget(head: string, sections: readonly Section[], max: number): BudgetedText {
  const filled = sections.filter(({ entries }) => entries.length > 0);
  const lengthMin = filled
    .flatMap(({ entries }) => entries)
    .reduce((sum, entry) => sum + lengthMinOf(entry), 0);
  if (lengthMin > max) return fitSections(head, filled, max);
  const full = renderText(head, filled, fullFooter, ({ entries }) =>
    entries.map((entry, at) => [at, fullText(entry)]),
  );
  return full.text.length <= max ? full : fitSections(head, filled, max);
}

const fullText = (entry: Entry): string => (typeof entry === "string" ? entry : entry.full());
const lengthMinOf = (entry: Entry): number => (typeof entry === "string" ? entry.length : entry.lengthMin);

function fitSections(head: string, sections: readonly Section[], max: number): BudgetedText {
  const placed = new Map(sections.map((section) => [section, new Map<number, string>()]));
  const placedIn = (section: Section) => placed.get(section) as Map<number, string>;
  const essentials = sections
    .flatMap((section) => (section.essential ? [{ ...section.essential, section }] : []))
    .toSorted((a, b) => a.rank - b.rank);
  // Reserves the longest footer, that of a text without entries.
  const everything = sections.map((section) => omittedFrom(section, 0));
  const lengthOf = ({ section, at }: { section: Section; at: number }) =>
    1 + headingLength(section) + fullText(section.entries[at] as Entry).length;
  const roomForFooter = max - head.length - (essentials[0] ? lengthOf(essentials[0]) : 0);
  const footerMax = Math.min(max * footerShare, roomForFooter);
  const renderFooter = fullFooter(everything).length > footerMax ? shortFooter : fullFooter;
  let room = max - head.length - renderFooter(everything).length;
  /** Places an entry, or more of it. @returns the characters that it took */
  const place = (section: Section, at: number, limit: number, isEssential = false): number => {
    const texts = placedIn(section);
    const before = texts.get(at);
    const cost = before === undefined ? 1 + (texts.size === 0 ? headingLength(section) : 0) : -before.length;
    const text = fit(section.entries[at] as Entry, Math.min(room, limit) - cost, isEssential);
    if (text === null || text.length <= (before?.length ?? 0)) return 0;
    texts.set(at, text);
    room -= cost + text.length;
    return cost + text.length;
  };
  const fill = (section: Section, limit: number) => {
    for (const at of section.entries.keys()) limit -= place(section, at, limit);
  };
  const budget = room;
  const spent = new Map<Section, number>();
  for (const { section, at } of essentials) {
    const share = Math.max(budget * section.budgetShare, essentialMin);
    const limit = lengthOf({ section, at }) <= room ? room : share;
    spent.set(section, place(section, at, limit, true));
  }
  for (const section of sections) fill(section, budget * section.budgetShare - (spent.get(section) ?? 0));
  for (const section of sections) fill(section, Number.POSITIVE_INFINITY);
  return renderText(head, sections, renderFooter, (section) =>
    [...placedIn(section)].sort(([a], [b]) => a - b),
  );
}

function fit(entry: Entry, max: number, isEssential: boolean): string | null {
  const full = lengthMinOf(entry) <= max ? fullText(entry) : null;
  if (full !== null && full.length <= max) return full;
  return typeof entry === "string" ? null : (entry.truncate?.(max, isEssential) ?? null);
}

type RenderFooter = (omitted: readonly OmittedSection[]) => string;

function renderText(
  head: string,
  sections: readonly Section[],
  renderFooter: RenderFooter,
  placedIn: (section: Section) => [at: number, text: string][],
): BudgetedText {
  const shown = sections.map((section) => {
    const placed = placedIn(section);
    const ids = placed.flatMap(([at]) => section.ids?.[at] ?? []);
    return { section, ids, texts: placed.map(([, text]) => text) };
  });
  const left_out = shown
    .map(({ section, texts }) => omittedFrom(section, texts.length))
    .filter(({ count }) => count > 0);
  const bodies = shown
    .filter(({ texts }) => texts.length > 0)
    .map(({ section, texts }) => renderSection(section, texts));
  return {
    text: [head, ...bodies].join("\n\n") + (left_out.length > 0 ? renderFooter(left_out) : ""),
    included: Object.fromEntries(shown.map(({ section, texts }) => [section.title, texts.length])),
    left_out,
    ids: shown.flatMap(({ ids }) => ids),
  };
}

function renderSection({ title, hint, wrap }: Section, texts: string[]): string {
  const lines = texts.join("\n");
  return `## ${title}\n${hint ? `${hint}\n` : ""}${wrap ? wrap(lines) : lines}`;
}

/** The characters of a section without its entries: the gap before it, its title and its tags. */
const headingLength = (section: Section): number => 2 + renderSection(section, []).length;

const omittedFrom = ({ title, entries, fetch }: Section, includedCount: number): OmittedSection => ({
  part: title,
  count: entries.length - includedCount,
  fetch,
});

const fullFooter: RenderFooter = (omitted) =>
  "\n\nOmitted to fit max_chars:\n" +
  omitted.map(({ part, count, fetch }) => `- ${count} of "${part}": ${fetch}`).join("\n");

const shortFooter: RenderFooter = (omitted) =>
  `\n\nOmitted to fit max_chars: ${omitted.reduce((sum, { count }) => sum + count, 0)} entries. Call ` +
  "again with a larger max_chars.";
