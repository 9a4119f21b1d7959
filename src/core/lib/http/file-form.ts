/** A form with one file, whose parts are read in the order in which they arrive; the file is a stream. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { badRequest } from "../../problem.ts";
import { perObject } from "../cache.ts";
import { splitList } from "../strings/word-list.ts";
import { checkInput, fromText } from "../validate.ts";

/** A part of a form, on its way in. */
export interface FormPart {
  name: string;
  /** Null for a field that is not a file. */
  filename: string | null;
  content: AsyncIterable<Uint8Array>;
  /** The content as the text of a field. */
  text(): Promise<string>;
}

/** What an operation gets of a form: its file, and its fields, which may come before and after the file. */
export type FileForm<Fields> = {
  filename: string;
  content: AsyncIterable<Uint8Array>;
  /** The valid fields before the file; null if a required one is not among them. */
  earlyFields: Fields | null;
  /**
   * All fields: the object `earlyFields` if none follows the file. Read the content first.
   * @throws {Problem} 400 for the first invalid field
   */
  allFields(): Promise<Fields>;
};

/** The schema of a form with a file. */
export type TFileForm<F extends TObject> = Omit<F, "static"> & { static: FileForm<Static<F>> };

/** The form of these fields and the file `file`. */
export const FileForm = <F extends TObject>(fields: F): TFileForm<F> & TObject =>
  // Safe: `withFileForm` alone reads a form, and calls back with a value of this type.
  Type.Object({
    ...fields.properties,
    file: Type.Unsafe<unknown>({ type: "string", format: "binary", description: "The file." }),
  }) as unknown as TFileForm<F> & TObject;

/**
 * Reads the fields up to the file, then calls `work` with the form. Unknown fields are ignored.
 * @param schema made by `FileForm`
 * @throws {Problem} 400 for an invalid or repeated field, or if there is no file
 */
export async function withFileForm<T>(
  schema: TObject,
  parts: AsyncIterable<FormPart>,
  work: (form: FileForm<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
  const { file: _, ...properties } = schema.properties;
  const fieldSchema = fieldsOf(schema, properties);
  const given = new Map<string, unknown>();
  let fieldCount = 0;
  const iterator = parts[Symbol.asyncIterator]();
  /** Reads fields up to the next file, or to the end. */
  async function nextFile(): Promise<FormPart | null> {
    for (;;) {
      const { value: part, done } = await iterator.next();
      if (done) return null;
      if (part.name === "file") return part;
      fieldCount++;
      await addField(Object.hasOwn(properties, part.name) ? properties[part.name] : undefined, given, part);
    }
  }
  try {
    const file = await nextFile();
    if (!file) throw badRequest("file is required.");
    const { filename, content } = file;
    if (filename === null) throw badRequest("file must be a file: its form part has no filename.");
    const isComplete = fieldSchema.required?.every((name) => given.has(name));
    const earlyFields = isComplete ? checkInput(fieldSchema, given) : null;
    const earlyCount = fieldCount;
    return await work({
      filename,
      content,
      earlyFields,
      async allFields() {
        if (await nextFile()) throw badRequest("file can be given only once.");
        return earlyFields && fieldCount === earlyCount ? earlyFields : checkInput(fieldSchema, given);
      },
    });
  } finally {
    await iterator.return?.();
  }
}

/** The schema of the form's fields, the same object each time, since its validator is cached by it. */
const fieldsOf = perObject((_schema: TObject, properties: TProperties): TObject => Type.Object(properties));

/** Adds the value of a field. A list may be one field or several. */
async function addField(
  schema: TSchema | undefined,
  given: Map<string, unknown>,
  { name, text }: FormPart,
): Promise<void> {
  const isList = schema?.type === "array";
  if (schema && !isList && given.has(name)) throw badRequest(`${name} can be given only once.`);
  const value = await text();
  if (!isList) {
    given.set(name, fromText(schema, value));
    return;
  }
  // openapi-generator's Java client sends the whole list once for each of its items.
  given.set(name, [...new Set([...((given.get(name) as string[] | undefined) ?? []), ...itemsOf(value)])]);
}

/** The items of a list in one field: separated by commas, or JSON, as its Java and Rust clients send it. */
function itemsOf(value: string): string[] {
  try {
    const list: unknown = value.startsWith("[") && JSON.parse(value);
    if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  } catch {
    // Text that begins with a bracket.
  }
  return splitList(value);
}
