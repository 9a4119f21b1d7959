/** How a row reads once a text in it was redacted. */
import type { ExportedRow, Rewriting, RowFilter } from "../../core/maintenance.ts";
import { readEvent, renderEvent } from "../../feed/render-event.ts";
import { redactionNotice } from "./notice.ts";
import type { Place, RedactionDetail, RemovalRow } from "./rows.ts";

type Redact = (row: ExportedRow, notice: string) => ExportedRow | null;

/** By table. What was not sent yet is dropped, and so is what a run was told. */
const redactions: Record<string, Redact> = {
  // safe because: these are its columns
  events: (row, summary) => ({
    ...row,
    wire: renderEvent({ ...readEvent(row as { ts: number; wire: string }), summary }),
    payload: null,
  }),
  decisions: (row, text) => ({ ...row, text, checks: null, anchors: null }),
  annotations: (row, body) => ({ ...row, body }),
  notes: (row, text) => ({ ...row, text }),
  verdicts: (row, note) => ({ ...row, note }),
  // What the API returns is rendered again when it is read.
  assets: (row, review_note) => ({ ...row, review_note, wire: null }),
  briefs: (row) => ({ ...row, text: null }),
  outbox: () => null,
  webhook_deliveries: (row, request) => ({ ...row, request, response: null }),
};

/** The row as it reads once redacted; null if it goes. */
export function redactRow(table: string, row: ExportedRow, notice: string): ExportedRow | null {
  const changed = redactions[table]?.(row, notice) ?? null;
  return Bun.deepEquals(changed, row) ? row : changed;
}

const placesOf = ({ detail }: Pick<RemovalRow, "detail">): Record<string, Place[]> =>
  // safe because: a removal of another kind has no places
  detail === null ? {} : ((JSON.parse(detail) as Partial<RedactionDetail>).places ?? {});

export interface Redactions extends Rewriting {
  /** The removal of a text that stood in the row. */
  removalOf(table: string, row: ExportedRow): RemovalRow | undefined;
}

/** The redaction of texts, each at the places where it stood. */
export function redactionsOf(removals: readonly RemovalRow[]): Redactions {
  const keys = new Map<string, RemovalRow>();
  const tables: Record<string, RowFilter[]> = {};
  for (const removal of removals)
    for (const [table, places] of Object.entries(placesOf(removal))) {
      tables[table] = [...(tables[table] ?? []), filterOf(table, places)];
      for (const place of places) keys.set(keyOf(table, place), removal);
    }
  const removalOf: Redactions["removalOf"] = (table, row) =>
    identities[table] && keys.get(keyOf(table, placeOf(table, row)));
  return {
    tables,
    removalOf,
    change(table, row) {
      const removal = removalOf(table, row);
      return removal ? redactRow(table, row, redactionNotice(removal)) : row;
    },
  };
}

const keyOf = (table: string, place: Place): string => `${table} ${Object.values(place).join(" ")}`;

/** What identifies a row, also in a backup of another database, where the same number is another row. */
const identities: Record<string, readonly [string, ...string[]]> = {
  events: ["id", "ts"],
  decisions: ["id", "valid_from"],
  annotations: ["id"],
  notes: ["id", "valid_from"],
  verdicts: ["asset", "voter"],
  assets: ["id"],
  briefs: ["id", "at"],
  outbox: ["id", "created_at"],
  webhook_deliveries: ["id", "at"],
};

export const placeOf = (table: string, row: ExportedRow): Place =>
  // safe because: these columns hold texts and numbers
  Object.fromEntries(
    (identities[table] as readonly string[]).map((column) => [column, row[column]]),
  ) as Place;

function filterOf(table: string, places: readonly Place[]): RowFilter {
  const [column] = identities[table] as readonly [string];
  return { equals: { [column]: places.map((place) => place[column]) } };
}
