/** Edits of a settings file: what `svc connect` sets, and what `svc disconnect` removes again. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type Settings = { [key: string]: JsonValue };

/** Sets the value at a path. */
export interface SetEdit {
  path: string[];
  value: JsonValue;
  /** Others in the file may need it too, so it stays when ours is removed. */
  isShared?: true;
}

/** Adds svc's item to the list at a path: in place of an earlier one, else at the end. */
export interface ItemEdit {
  path: string[];
  item: JsonValue;
  /** Whether an item of the list is ours, also from an older version. */
  isOurs(item: JsonValue): boolean;
}

export type Edit = SetEdit | ItemEdit;

/** Edits the text of one format, and keeps everything else in it: comments, order, line ends. */
export interface Editor {
  /** @throws SettingsError if the text is not valid */
  parse(text: string): Settings;
  apply(text: string, edits: readonly Edit[]): string;
  /** Removes what `edits` set. What `before` had in its place comes back. */
  remove(text: string, edits: readonly Edit[], before: Settings): string;
}

/** The settings are not valid, or have something else where ours belong. The message names the fault only. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

const isTable = (value: JsonValue | undefined): value is Settings =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path; undefined if there is none. @throws SettingsError if a parent is not an object */
export function valueAt(settings: Settings, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = settings;
  for (const [index, key] of path.entries()) {
    if (value === undefined) return undefined;
    if (!isTable(value)) throw new SettingsError(`${path.slice(0, index).join(".")} is not an object`);
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** The list at a path; empty if there is none. @throws SettingsError if it is something else */
export function listAt(settings: Settings, path: readonly string[]): JsonValue[] {
  const list = valueAt(settings, path) ?? [];
  if (!Array.isArray(list)) throw new SettingsError(`${path.join(".")} is not a list`);
  return list;
}

/** Whether two values are equal, whatever the order of their keys. */
export const isSame = (a: JsonValue | undefined, b: JsonValue | undefined): boolean => Bun.deepEquals(a, b);

/** The paths of objects above `path` that are empty, and were not there before, the innermost first. */
export function emptyParents(settings: Settings, path: readonly string[], before: Settings): string[][] {
  const parents = path.slice(0, -1).map((_, index) => path.slice(0, path.length - 1 - index));
  const found: string[][] = [];
  for (const parent of parents) {
    const value = valueAt(settings, parent);
    const inner = found.at(-1)?.at(-1);
    if (!isTable(value) || Object.keys(value).some((key) => key !== inner)) break;
    if (valueAt(before, parent) !== undefined) break;
    found.push(parent);
  }
  return found;
}
