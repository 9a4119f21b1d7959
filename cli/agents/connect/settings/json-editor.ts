/** Edits JSON and JSONC in place, with the editor of Visual Studio Code: comments and order stay. */
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
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
    return isSame(valueAt(settings, edit.path), edit.value) ? json : setValue(json, edit.path, edit.value);
  const list = listAt(settings, edit.path);
  const ours = list.flatMap((item, index) => (edit.isOurs(item) ? [index] : []));
  const [first, ...doubles] = ours;
  if (first === undefined)
    return list.length === 0
      ? setValue(json, edit.path, [edit.item])
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
    return former === undefined ? removeAt(json, edit.path, before) : change(json, edit.path, former);
  }
  const list = listAt(settings, edit.path);
  const ours = list.flatMap((item, index) => (edit.isOurs(item) ? [index] : []));
  if (ours.length === 0) return json;
  return ours.length === list.length
    ? removeAt(json, edit.path, before)
    : ours.toReversed().reduce((text, index) => change(text, [...edit.path, index]), json);
}

/** Removes a value, and the objects that are empty without it. */
function removeAt(json: string, path: string[], before: Settings): string {
  const rest = change(json, path);
  const outermost = emptyParents(parseJson(rest), path, before).at(-1);
  return outermost ? change(rest, outermost) : rest;
}

/** A comment behind the last property of an object, on its line. */
const lineComment = /^(,?)([ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)[ \t]*)(?=\r?\n)/;

/** Writes a value. jsonc-parser puts a new property before the comment of the last one: here it comes after it. */
function setValue(json: string, path: string[], value: JsonValue): string {
  const tree = parseTree(json, [], { allowTrailingComma: true });
  if (!tree || findNodeAtLocation(tree, path)) return change(json, path, value);
  const depth = path.findLastIndex((_, index) => findNodeAtLocation(tree, path.slice(0, index)));
  const parent = findNodeAtLocation(tree, path.slice(0, depth));
  const last = parent?.type === "object" ? parent.children?.at(-1) : undefined;
  const end = last ? last.offset + last.length : 0;
  const [, comma = "", comment] = lineComment.exec(json.slice(end)) ?? [];
  if (!last || comment === undefined) return change(json, path, value);
  const inner = path.slice(depth + 1).reduceRight<JsonValue>((rest, name) => ({ [name]: rest }), value);
  const { insertSpaces, tabSize } = indentationOf(json);
  const lines = JSON.stringify(inner, null, insertSpaces ? tabSize : "\t").split("\n");
  const [indentation = ""] = /^[ \t]*/.exec(json.slice(json.lastIndexOf("\n", last.offset) + 1)) ?? [];
  const eol = json.includes("\r\n") ? "\r\n" : "\n";
  const text = `${JSON.stringify(path[depth])}: ${lines.join(eol + indentation)}${comma}`;
  const rest = json.slice(end + comma.length);
  return `${json.slice(0, end)},${comment}${eol}${indentation}${text}${rest.slice(comment.length)}`;
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
