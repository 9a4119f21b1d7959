/** Reads the few fields of a gateway's JSON that usage is made of: prompts and answers are never decoded. */
import type { JsonTape } from "../otlp/json-tape.ts";
import type { Fields } from "../sources/usage-counts.ts";

/** The names of fields; of an object, those in it. */
export interface FieldNames {
  [name: string]: true | FieldNames;
}

/** The fields with these names that are not too large (see JsonTape); null for anything but an object. */
export function readFields(tape: JsonTape, entry: number, names: FieldNames): Fields | null {
  if (!tape.isObject(entry)) return null;
  const fields: Fields = {};
  for (const entryOfName of tape.names(entry)) {
    const name = tape.name(entryOfName);
    const wanted = Object.hasOwn(names, name) ? names[name] : undefined;
    if (wanted === true) fields[name] = tape.value(entryOfName + 2);
    else if (wanted) fields[name] = readFields(tape, entryOfName + 2, wanted);
  }
  return fields;
}
