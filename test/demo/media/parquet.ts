/**
 * A Parquet file of required columns, one page each, plain and uncompressed: as much of the format as a
 * sample needs.
 */
type Column = { name: string } & ({ strings: string[] } | { doubles: number[] } | { times: number[] });

/**
 * Of the Thrift compact protocol: a number of 32 or 64 bits, a text, a list, a structure with the numbers of
 * its fields.
 */
type Value =
  | { i32: number }
  | { i64: number }
  | { text: string }
  | { list: Value[] }
  | { fields: [number, Value][] };

const i32 = (value: number): Value => ({ i32: value });
const i64 = (value: number): Value => ({ i64: value });
const text = (value: string): Value => ({ text: value });
const list = (value: Value[]): Value => ({ list: value });
const fields = (...value: [number, Value][]): Value => ({ fields: value });

const codeOf = (value: Value): number =>
  "i32" in value ? 5 : "i64" in value ? 6 : "text" in value ? 8 : "list" in value ? 9 : 12;

function varint(number: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

function encode(value: Value): number[] {
  if ("i32" in value) return varint(value.i32 * 2);
  if ("i64" in value) return varint(value.i64 * 2);
  if ("text" in value) return [...varint(Buffer.byteLength(value.text)), ...Buffer.from(value.text)];
  if ("list" in value)
    return [(value.list.length << 4) | codeOf(value.list[0] as Value), ...value.list.flatMap(encode)];
  let last = 0;
  const bytes = value.fields.flatMap(([id, field]) => {
    const head = ((id - last) << 4) | codeOf(field);
    last = id;
    return [head, ...encode(field)];
  });
  return [...bytes, 0];
}

function plain(column: Column): Buffer {
  if ("strings" in column)
    return Buffer.concat(
      column.strings.flatMap((one) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(Buffer.byteLength(one));
        return [length, Buffer.from(one)];
      }),
    );
  return Buffer.from(
    "doubles" in column
      ? new Float64Array(column.doubles).buffer
      : new BigInt64Array(column.times.map(BigInt)).buffer,
  );
}

export function parquet(columns: Column[]): Uint8Array {
  const magic = Buffer.from("PAR1");
  const parts: Buffer[] = [magic];
  let at = magic.length;
  const rows = lengthOf(columns[0] as Column);
  const chunks = columns.map((column) => {
    const data = plain(column);
    const page = fields(
      [1, i32(0)],
      [2, i32(data.length)],
      [3, i32(data.length)],
      [5, fields([1, i32(rows)], [2, i32(0)], [3, i32(3)], [4, i32(3)])],
    );
    const chunk = Buffer.concat([Buffer.from(encode(page)), data]);
    const place = at;
    parts.push(chunk);
    at += chunk.length;
    const sizes: [number, Value][] = [6, 7].map((id) => [id, i64(chunk.length)]);
    const about: [number, Value][] = [
      [1, i32(typeOf(column))],
      [2, list([i32(0)])],
      [3, list([text(column.name)])],
      [4, i32(0)],
      [5, i64(rows)],
    ];
    return fields([2, i64(place)], [3, fields(...about, ...sizes, [9, i64(place)])]);
  });
  const schema = columns.map((column) => {
    const converted: [number, Value][] =
      "strings" in column ? [[6, i32(0)]] : "times" in column ? [[6, i32(9)]] : [];
    return fields([1, i32(typeOf(column))], [3, i32(0)], [4, text(column.name)], ...converted);
  });
  const root = fields([4, text("schema")], [5, i32(columns.length)]);
  const group = fields([1, list(chunks)], [2, i64(at - magic.length)], [3, i64(rows)]);
  const footer = Buffer.from(
    encode(
      fields(
        [1, i32(1)],
        [2, list([root, ...schema])],
        [3, i64(rows)],
        [4, list([group])],
        [6, text("silt")],
      ),
    ),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([...parts, footer, length, magic]);
}

const typeOf = (column: Column): number => ("strings" in column ? 6 : "doubles" in column ? 5 : 2);
const lengthOf = (column: Column): number =>
  ("strings" in column ? column.strings : "doubles" in column ? column.doubles : column.times).length;
