/** The first rows of a table, as a child of the probe reports them. */
import { type Static, Type } from "@sinclair/typebox";

export const parquetType = "application/vnd.apache.parquet";
export const isTable = ({ mime }: { mime: string }): boolean => mime === parquetType;

export const tableLimits = { rows: 200, columns: 50, cell: 120, name: 120, characters: 150_000 } as const;

const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ maxLength: tableLimits.name });
const Row = Type.Array(Type.String({ maxLength: tableLimits.cell }), { maxItems: tableLimits.columns });

export const TableContents = Type.Object({
  /** Names of the first columns. */
  header: Type.Array(Name, { maxItems: tableLimits.columns }),
  /** The first rows, each as long as the header. */
  rows: Type.Array(Row, { maxItems: tableLimits.rows }),
  /** How many rows and columns the file has. */
  count: Count,
  columns: Count,
  /** Columns that could not be read. */
  unread: Type.Array(Name, { maxItems: tableLimits.columns }),
});
export type TableContents = Static<typeof TableContents>;
