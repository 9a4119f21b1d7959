/**
 * Edits TOML in place. A new table is appended as text; toml-patch changes and removes what is there, and
 * keeps comments, order and line ends. Every result is parsed again and compared with what it should say.
 */
import { parse, patch, stringify, TomlFormat } from "@decimalturn/toml-patch";
import {
  type Edit,
  type Editor,
  emptyParents,
  isSame,
  type JsonValue,
  type Settings,
  SettingsError,
  valueAt,
} from "./edit.ts";

export const tomlEditor: Editor = {
  parse: parseToml,
  apply: (text, edits) => edits.reduce(applyEdit, text),
  remove: (text, edits, before) =>
    edits.toReversed().reduce((rest, edit) => removeEdit(rest, edit, before), text),
};

function parseToml(text: string): Settings {
  try {
    return parse(text) as Settings;
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n");
    throw new SettingsError(`it is not valid TOML (${reason.trim()})`);
  }
}

/** The settings with another value at a path; without one, the path is gone. */
function withValue(settings: Settings, path: readonly string[], value: JsonValue | undefined): Settings {
  const [key = "", ...rest] = path;
  const { [key]: present, ...others } = settings;
  const inner = rest.length > 0 ? withValue((present ?? {}) as Settings, rest, value) : value;
  return inner === undefined ? others : { ...settings, [key]: inner };
}

function applyEdit(text: string, edit: Edit): string {
  if (!("value" in edit)) throw new SettingsError(`${edit.path.join(".")} is a list`);
  const { path, value } = edit;
  const settings = parseToml(text);
  const present = valueAt(settings, path);
  if (isSame(present, value)) return text;
  const wanted = withValue(settings, path, value);
  const isNew = present === undefined && typeof value === "object";
  const candidates = [
    ...(isNew ? [() => withTable(text, path, value as Settings)] : []),
    () => patch(text, wanted),
  ];
  return firstThatSays(wanted, candidates);
}

function removeEdit(text: string, { path }: Edit, before: Settings): string {
  const settings = parseToml(text);
  if (valueAt(settings, path) === undefined) return text;
  const former = valueAt(before, path);
  let wanted = withValue(settings, path, former);
  if (former === undefined)
    for (const parent of emptyParents(wanted, path, before)) wanted = withValue(wanted, parent, undefined);
  return firstThatSays(wanted, [() => withoutTable(text, path), () => patch(text, wanted)]);
}

/** Appends `[a.b]` with its keys. */
function withTable(text: string, path: readonly string[], table: Settings): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const format = Object.assign(TomlFormat.default(), { inlineTableStart: 0 });
  const lines = stringify(table, format).trimEnd().split(/\r?\n/);
  const gap = text === "" || text === "\uFEFF" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return text + gap + [headerText(path), ...lines, ""].join(eol);
}

/**
 * Cuts what `withTable` appended: the empty line, the header, and the lines below it up to the next empty
 * line, comment or header. toml-patch moves comments of other headers when it removes a table.
 */
function withoutTable(text: string, path: readonly string[]): string {
  const header = headerText(path).replace(/[[\]().*+?^$|\\]/g, "\\$&");
  return text.replace(new RegExp(`(^|\\r?\\n)${header}\\r?\\n([^[#\\s][^\\n]*(\\n|$))*`), "");
}

const headerText = (path: readonly string[]): string => `[${path.map(keyText).join(".")}]`;

const keyText = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

/** The first text that parses to `wanted`. */
function firstThatSays(wanted: Settings, candidates: readonly (() => string)[]): string {
  for (const candidate of candidates) {
    try {
      const text = candidate();
      if (isSame(parseToml(text), wanted)) return text;
    } catch {} // the next one
  }
  throw new SettingsError("its tables are written in a way that cannot be edited safely");
}
