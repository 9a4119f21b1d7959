/** Packing: as much as fits, the important parts first, nothing cut in two. */

/** A part of a text: lines below a title, most important first. */
export interface Part {
  title: string;
  entries: string[];
  /** Share of the room that it may take before the parts behind it had theirs; what is left then is given in the same order. */
  share: number;
  /** How to get what is left out. */
  fetch: string;
  /** Wraps the entries that are kept, where they stand in one enclosure. */
  wrap?(entries: string): string;
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

/** A text of at most `max` characters, where `head` leaves room. It ends with what it leaves out. */
export function pack(head: string, parts: readonly Part[], max: number): Packed {
  const filled = parts.filter(({ entries }) => entries.length > 0);
  const whole = packed(head, filled, inFull, () => true);
  return whole.text.length <= max ? whole : packTightly(head, filled, max);
}

function packTightly(head: string, parts: readonly Part[], max: number): Packed {
  const places = new Map(parts.map((part) => [part, new Set<number>()]));
  // The end is longest where nothing is kept, so it has its place whatever happens.
  const nothing = parts.map((part) => leftOutOf(part, 0));
  const close = inFull(nothing).length > max * closingShare ? inShort : inFull;
  let room = max - head.length - close(nothing).length;
  const take = (part: Part, most: number) => {
    const taken = places.get(part) as Set<number>;
    for (const [place, entry] of part.entries.entries()) {
      if (taken.has(place)) continue;
      const cost = entry.length + 1 + (taken.size === 0 ? frame(part) : 0);
      if (cost > room || cost > most) continue;
      taken.add(place);
      most -= cost;
      room -= cost;
    }
  };
  const whole = room;
  for (const part of parts) take(part, whole * part.share);
  for (const part of parts) take(part, Number.POSITIVE_INFINITY);
  return packed(head, parts, close, (part, place) => places.get(part)?.has(place) ?? false);
}

type Close = (left: readonly LeftOut[]) => string;

function packed(head: string, parts: readonly Part[], close: Close, keeps: (part: Part, place: number) => boolean): Packed {
  const shown = parts.map((part) => ({ part, entries: part.entries.filter((_, place) => keeps(part, place)) }));
  const left_out = shown.map(({ part, entries }) => leftOutOf(part, entries.length)).filter(({ count }) => count > 0);
  const bodies = shown.filter(({ entries }) => entries.length > 0).map(({ part, entries }) => bodyOf(part, entries));
  return {
    text: [head, ...bodies].join("\n\n") + (left_out.length > 0 ? close(left_out) : ""),
    included: Object.fromEntries(shown.map(({ part, entries }) => [part.title, entries.length])),
    left_out,
  };
}

function bodyOf({ title, wrap }: Part, entries: string[]): string {
  const lines = entries.join("\n");
  return `## ${title}\n${wrap ? wrap(lines) : lines}`;
}

/** What a part costs beside its entries: the gap before it, its title, its marks. */
const frame = (part: Part): number => 2 + bodyOf(part, []).length;

const leftOutOf = ({ title, entries, fetch }: Part, kept: number): LeftOut => ({ part: title, count: entries.length - kept, fetch });

const inFull: Close = (left) =>
  `\n\nLeft out for want of room:\n${left.map(({ part, count, fetch }) => `- ${count} of "${part}": ${fetch}`).join("\n")}`;

const inShort: Close = (left) =>
  `\n\nLeft out for want of room: ${left.reduce((sum, { count }) => sum + count, 0)} entries. Ask with a larger max_chars.`;
