/** Edits JSON and JSONC in place, with the editor of Visual Studio Code: comments and order stay. */
import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import {
  type Edit,
  type Editor,
  emptyParents,
  isSame,
  type JsonValue,
  listAt,
  type Settings,
  SettingsError,
  valueAt,
} from "./edit.ts";

export const jsonEditor: Editor = {
  parse: parseJson,
  apply: (text, edits) =>
    withBom(text, (json) => edits.reduce(applyEdit, json.trim() === "" ? "{}\n" : json)),
  remove: (text, edits, before) =>
    withBom(text, (json) =>
      json.trim() === ""
        ? json
        : edits.toReversed().reduce((rest, edit) => removeEdit(rest, edit, before), json),
    ),
};

const bom = "\uFEFF";

/** Agents' editors write a byte order mark on Windows; the parser does not know it. */
const withBom = (text: string, work: (json: string) => string): string =>
  text.startsWith(bom) ? bom + work(text.slice(1)) : work(text);

function parseJson(text: string): Settings {
  const json = text.startsWith(bom) ? text.slice(1) : text;
  if (json.trim() === "") return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(json, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const line = json.slice(0, error.offset).split("\n").length;
    throw new SettingsError(`it is not valid JSON (${printParseErrorCode(error.error)} in line ${line})`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SettingsError("it is not a JSON object");
  return value as Settings;
}

function applyEdit(json: string, edit: Edit): string {
  const settings = parseJson(json);
  if ("value" in edit)
    return isSame(valueAt(settings, edit.path), edit.value) ? json : change(json, edit.path, edit.value);
  const list = listAt(settings, edit.path);
  const ours = list.flatMap((item, index) => (edit.isOurs(item) ? [index] : []));
  const [first, ...doubles] = ours;
  if (first === undefined)
    return list.length === 0
      ? change(json, edit.path, [edit.item])
      : change(json, [...edit.path, list.length], edit.item, true);
  const single = doubles.toReversed().reduce((text, index) => change(text, [...edit.path, index]), json);
  return isSame(list[first], edit.item) ? single : change(single, [...edit.path, first], edit.item);
}

function removeEdit(json: string, edit: Edit, before: Settings): string {
  const settings = parseJson(json);
  if ("value" in edit) {
    const present = valueAt(settings, edit.path);
    if (present === undefined) return json;
    const former = valueAt(before, edit.path);
    return former === undefined ? removeAt(json, edit.path) : change(json, edit.path, former);
  }
  const list = listAt(settings, edit.path);
  const ours = list.flatMap((item, index) => (edit.isOurs(item) ? [index] : []));
  if (ours.length === 0) return json;
  return ours.length === list.length
    ? removeAt(json, edit.path)
    : ours.toReversed().reduce((text, index) => change(text, [...edit.path, index]), json);
}

/** Removes a value, and the objects that are empty without it. */
function removeAt(json: string, path: string[]): string {
  const rest = change(json, path);
  const outermost = emptyParents(parseJson(rest), path).at(-1);
  return outermost ? change(rest, outermost) : rest;
}

/** Writes a value; without one, removes what is there. */
function change(json: string, path: JSONPath, value?: JsonValue, isArrayInsertion = false): string {
  const formattingOptions = { ...indentationOf(json), eol: json.includes("\r\n") ? "\r\n" : "\n" };
  return applyEdits(json, modify(json, path, value, { formattingOptions, isArrayInsertion }));
}

function indentationOf(json: string): { insertSpaces: boolean; tabSize: number } {
  const [, indentation = "  "] = /^[{[][^\n]*\n([ \t]+)\S/m.exec(json) ?? [];
  return indentation.startsWith("\t")
    ? { insertSpaces: false, tabSize: 4 }
    : { insertSpaces: true, tabSize: indentation.length };
}
