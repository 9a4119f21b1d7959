/** The first rows of a Parquet file, and what is left out. */
import type { TableContents } from "../../../files/probe/table/schema.ts";
import { rowsThatFit } from "./table.ts";
import { countsText, TableView } from "./table-view.tsx";

interface ParquetProps {
  label: string;
  table: TableContents;
  src: string;
}

export function ParquetViewer({ label, table, src }: ParquetProps) {
  const { header, count, columns, unread } = table;
  const rows = rowsThatFit(table.rows);
  const counts = countsText({ shown: rows.length, count, columns, shownColumns: header.length });
  return (
    <TableView
      label={label}
      header={header}
      rows={rows}
      note={
        <>
          {counts}. {unread.length > 0 && `These columns could not be read: ${unread.join(", ")}. `}
          <a href={src}>Download file</a>
        </>
      }
    />
  );
}
