/** Packing: as much as fits, the important parts first, nothing cut in two but what says how it is cut. */

/** A part of a text: lines below a title, most important first. */
export interface Part {
  title: string;
  entries: Entry[];
  /**
   * Share of the room that it may take before the parts behind it had theirs; what is left then is given in
   * the same order.
   */
  share: number;
  /** Place of the entry that has its room before all others, cut if it must be. */
  essential?: number;
  /** How to get what is left out. */
  fetch: string;
  /** Wraps the entries that are kept, where they stand in one enclosure. */
  wrap?(entries: string): string;
}

type Entry = string | Cuttable;

export interface Cuttable {
  whole: string;
  /**
   * At most `max` characters of it, or null where too little would be left; of what is essential anything is
   * enough.
   */
  cut(max: number, isEssential: boolean): string | null;
}

export interface LeftOut {
  part: string;
  count: number;
  fetch: string;
}

export interface Packed {
  text: string;
  included: Record<string, number>;
  left_out: LeftOut[];
}

/** What is said of that takes no more than this share of the room; else it is said in short. */
const closingShare = 0.25;
/** What an essential entry may take in a short text, whatever the share of its part. */
const essentialMin = 240;

/** A text of at most `max` characters, where `head` leaves room. It ends with what it leaves out. */
export function pack(head: string, parts: readonly Part[], max: number): Packed {
  const filled = parts.filter(({ entries }) => entries.length > 0);
  const whole = packed(head, filled, inFull, ({ entries }) => entries.map(wholeOf));
  return whole.text.length <= max ? whole : packTightly(head, filled, max);
}

const wholeOf = (entry: Entry): string => (typeof entry === "string" ? entry : entry.whole);

function packTightly(head: string, parts: readonly Part[], max: number): Packed {
  const placed = new Map(parts.map((part) => [part, new Map<number, string>()]));
  const placedIn = (part: Part) => placed.get(part) as Map<number, string>;
  // The end is longest where nothing is kept, so it has its place whatever happens.
  const nothing = parts.map((part) => leftOutOf(part, 0));
  const close = inFull(nothing).length > max * closingShare ? inShort : inFull;
  let room = max - head.length - close(nothing).length;
  /** @returns what it cost */
  const place = (part: Part, at: number, most: number, isEssential = false): number => {
    const texts = placedIn(part);
    const before = texts.get(at);
    const cost = before === undefined ? 1 + (texts.size === 0 ? frame(part) : 0) : -before.length;
    const text = fit(part.entries[at] as Entry, Math.min(room, most) - cost, isEssential);
    if (text === null || text.length <= (before?.length ?? 0)) return 0;
    texts.set(at, text);
    room -= cost + text.length;
    return cost + text.length;
  };
  const fill = (part: Part, most: number) => {
    for (const at of part.entries.keys()) most -= place(part, at, most);
  };
  const whole = room;
  const spent = parts.map((part) =>
    part.essential === undefined
      ? 0
      : place(part, part.essential, Math.max(whole * part.share, essentialMin), true),
  );
  for (const [index, part] of parts.entries()) fill(part, whole * part.share - (spent[index] as number));
  for (const part of parts) fill(part, Number.POSITIVE_INFINITY);
  return packed(head, parts, close, (part) => part.entries.flatMap((_, at) => placedIn(part).get(at) ?? []));
}

function fit(entry: Entry, max: number, isEssential: boolean): string | null {
  const whole = wholeOf(entry);
  if (whole.length <= max) return whole;
  return typeof entry === "string" ? null : entry.cut(max, isEssential);
}

type Close = (left: readonly LeftOut[]) => string;

function packed(
  head: string,
  parts: readonly Part[],
  close: Close,
  keptOf: (part: Part) => string[],
): Packed {
  const shown = parts.map((part) => ({ part, texts: keptOf(part) }));
  const left_out = shown
    .map(({ part, texts }) => leftOutOf(part, texts.length))
    .filter(({ count }) => count > 0);
  const bodies = shown.filter(({ texts }) => texts.length > 0).map(({ part, texts }) => bodyOf(part, texts));
  return {
    text: [head, ...bodies].join("\n\n") + (left_out.length > 0 ? close(left_out) : ""),
    included: Object.fromEntries(shown.map(({ part, texts }) => [part.title, texts.length])),
    left_out,
  };
}

function bodyOf({ title, wrap }: Part, texts: string[]): string {
  const lines = texts.join("\n");
  return `## ${title}\n${wrap ? wrap(lines) : lines}`;
}

/** What a part costs beside its entries: the gap before it, its title, its marks. */
const frame = (part: Part): number => 2 + bodyOf(part, []).length;

const leftOutOf = ({ title, entries, fetch }: Part, kept: number): LeftOut => ({
  part: title,
  count: entries.length - kept,
  fetch,
});

const inFull: Close = (left) =>
  `\n\nLeft out for want of room:\n${left.map(({ part, count, fetch }) => `- ${count} of "${part}": ${fetch}`).join("\n")}`;

const inShort: Close = (left) =>
  `\n\nLeft out for want of room: ${left.reduce((sum, { count }) => sum + count, 0)} entries. Ask with a larger max_chars.`;
