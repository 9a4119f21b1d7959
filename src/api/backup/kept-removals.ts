/**
 * Removals that a restore keeps: what was unpublished, deleted, redacted or erased after the backup was made
 * stays so, as far as the replaced database knows of it.
 */
import { toMicros } from "../../core/lib/time.ts";
import type { ExportedRow } from "../../core/maintenance.ts";
import { projectRemovalOf } from "../../library/removals/drop-project.ts";
import { erasureOf } from "../../library/removals/erase-row.ts";
import { redactionsOf } from "../../library/removals/redact-row.ts";
import type { PersonDetail, RemovalKind, RemovalRow } from "../../library/removals/rows.ts";
import { changeOf } from "../../library/removals/withdrawn.ts";
import type { AssetRow } from "../../library/rows.ts";
import type { Context } from "../context.ts";

/** The column that names the asset, in tables whose rows go with its files. */
const goWithFiles: Record<string, string> = {
  bundle_files: "asset",
  provenance: "asset",
  review_requests: "asset",
  requested_reviewers: "asset",
};

export interface KeptRemovals {
  /** Whether the files of this asset in this store are not restored. */
  areFilesGone(store: string, id: string): boolean;
  /** The row as it is restored; null if it is not. */
  keep(table: string, row: ExportedRow): ExportedRow | null;
  /** The removals of what was restored, to be added. */
  rows(): ExportedRow[];
}

/** Reads what the database knows before its rows are replaced. @param made_at of the backup */
export async function openRemovals({ data }: Pick<Context, "data">, made_at: string): Promise<KeptRemovals> {
  const known = new Map<string, RemovalRow>();
  const keyOf = (kind: RemovalKind, subject: unknown) => `${kind} ${subject}`;
  await data.snapshot(async (all) => {
    // safe because: these are rows of that table
    for await (const page of all.rows("removals"))
      for (const row of page as unknown as RemovalRow[]) known.set(keyOf(row.kind, row.subject), row);
  });
  const redactions = redactionsOf([...known.values()]);
  /** The ids of assets, and removals of texts. */
  const restored = new Set<unknown>();
  // Someone else, or another project, may have had the name since.
  const later = [...known.values()].filter(({ removed_at }) => removed_at >= toMicros(made_at));
  const rewritings = later.flatMap((removal) => {
    if (removal.kind === "project") return projectRemovalOf(removal);
    if (removal.kind !== "person") return [];
    return erasureOf(removal, JSON.parse(removal.detail as string) as PersonDetail);
  });
  const rewritten = (table: string, given: ExportedRow | null) =>
    rewritings.reduce((row, { change }) => row && change(table, row), given);
  const stays = ({ kind, project }: RemovalRow) =>
    kind === "person" || kind === "project" || known.has(keyOf("project", project));
  const isDeleted = (id: unknown) => known.has(keyOf("file", id));
  return {
    areFilesGone: (store, id) => (store === "private" ? isDeleted(id) : known.has(keyOf("publication", id))),
    keep(table, given) {
      const redaction = redactions.removalOf(table, given);
      if (redaction) restored.add(redaction);
      const row = rewritten(table, redactions.change(table, given));
      if (row === null) return null;
      if (table === "removals") return known.has(keyOf(row.kind as RemovalKind, row.subject)) ? null : row;
      if (table === "verdicts" && isDeleted(row.asset)) return { ...row, is_open: false };
      const column = goWithFiles[table];
      if (column !== undefined) return isDeleted(row[column]) ? null : row;
      if (table !== "assets") return row;
      restored.add(row.id);
      let asset = row;
      for (const kind of ["publication", "file"] as const) {
        const removal = known.get(keyOf(kind, row.id));
        if (!removal) continue;
        // safe because: it is a row of that table
        const change = changeOf(asset as unknown as AssetRow, removal);
        // What the API returns is rendered again when it is read.
        asset = { ...asset, ...change, wire: null, ...(change.status === "rejected" && { waiting: 0 }) };
      }
      return asset;
    },
    rows: () =>
      [...known.values()]
        .filter((row) => stays(row) || restored.has(row.detail === null ? row.subject : row))
        .map((row) => ({ ...row, finished_at: null })),
  };
}
