/** One pack: the rows of events as they are kept together, and as they come out again. */
import { getTableColumns } from "drizzle-orm";
import { parseEvent, placeOf } from "../src/feed/schema.ts";
import type { Rendered } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import type { Session } from "./session.ts";
import { liteTables } from "./tables.ts";

export type Pack = Session["t"]["packs"]["$inferSelect"];
export type WholeEvent = Session["t"]["events"]["$inferSelect"];

const columns = Object.keys(getTableColumns(liteTables.events)) as (keyof WholeEvent)[];

/** How hard it is tried: beyond these it takes much longer for little. What deliveries brought along may be megabytes. */
const levels = { wires: 9, kept: 3 };

/** Rows in the order of their time. */
export function packOf(rows: WholeEvent[]): Pack {
  const [first, last] = [rows[0] as WholeEvent, rows.at(-1) as WholeEvent];
  const ids = rows.map(({ id }) => id);
  const wires = rows.map(({ wire }) => wire);
  const kept = rows.map((row) => JSON.stringify(beyondWire(row)));
  const compressed = (what: keyof typeof levels, lines: string[]) => Bun.zstdCompressSync(lines.join("\n"), { level: levels[what] });
  const pack = {
    ...{ first: first.ts, last: last.ts, first_id: Math.min(...ids), last_id: Math.max(...ids), count: rows.length },
    wires: compressed("wires", wires),
    kept: compressed("kept", kept),
  };
  // The rows are about to be removed. As texts: Postgres knows a zero below zero, which JSON does not.
  if (JSON.stringify(eventsIn(pack)) !== JSON.stringify(rows))
    throw new Error(`the events from ${first.ts} on do not come out of a pack as they went in`);
  return pack;
}

/** What the text of an event does not say of its row. */
function beyondWire(row: WholeEvent): Partial<WholeEvent> {
  const said: Partial<WholeEvent> = parseEvent(row.wire);
  return Object.fromEntries(
    columns.filter((name) => name !== "wire" && row[name] !== (said[name] ?? null)).map((name) => [name, row[name]]),
  );
}

/** What tells that a key, or a delivery, was there before: 96 bits of each. */
export function hashesOf(comparedKeys: string[], delivery: string | null | undefined): string[] {
  const texts = [...comparedKeys.map((key) => `key ${key}`), ...(delivery ? [`delivery ${delivery}`] : [])];
  return texts.map((text) => new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 16));
}

const linesOf = (compressed: Uint8Array): string[] => Bun.zstdDecompressSync(compressed).toString().split("\n");

export function eventsIn({ wires, kept }: Pick<Pack, "wires" | "kept">): WholeEvent[] {
  const beyond = linesOf(kept);
  return linesOf(wires).map((wire, index) => {
    const row: Partial<WholeEvent> = { ...parseEvent(wire), ...JSON.parse(beyond[index] as string), wire };
    // safe because: these are the columns of the table, each with its value
    return Object.fromEntries(columns.map((name) => [name, row[name] ?? null])) as WholeEvent;
  });
}

/** Those strictly inside (`after`, `before`), in the order of their time. */
export function renderedIn(pack: Pick<Pack, "wires">, after: Micros, before: Micros): Rendered[] {
  const wires = linesOf(pack.wires);
  const behind = (instant: Micros, isBehind: (ts: Micros) => boolean) => (Number.isFinite(instant) ? partition(wires, isBehind) : null);
  const from = behind(after, (ts) => ts > after) ?? 0;
  const to = behind(before, (ts) => ts >= before) ?? wires.length;
  return wires.slice(from, to).map((wire) => ({ ...placeOf(wire), wire }));
}

/** How many stand before the first that is behind. */
function partition(wires: string[], isBehind: (ts: Micros) => boolean): number {
  let [low, high] = [0, wires.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBehind(placeOf(wires[middle] as string).ts)) high = middle;
    else low = middle + 1;
  }
  return low;
}
