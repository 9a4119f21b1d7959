/** The items of a checklist: their ids, and the lines that they are written as. */
import { normalizeUnicode } from "../../core/lib/strings/nfc.ts";
import { badRequest } from "../../core/problem.ts";
import type { ChecklistItem, NewItem } from "./schema.ts";

const idLengthMax = 40;

/** `Logo visible?` → `logo-visible` */
function idOf(text: string): string {
  const words = normalizeUnicode(text, "NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-");
  return words.slice(0, idLengthMax).replace(/^-+|-+$/g, "") || "item";
}

/**
 * Gives each item an id. An item keeps the id that its text has in the version before, so that answers can be
 * compared.
 * @throws {Problem} 400 for an id or a text that is there twice
 */
export function withIds(items: readonly NewItem[], before: readonly ChecklistItem[]): ChecklistItem[] {
  const known = new Map(before.map(({ text, id }) => [text, id]));
  const taken = new Set(items.flatMap(({ id, text }) => id ?? known.get(text) ?? []));
  const free = (wanted: string): string => {
    for (let n = 1; ; n++) {
      const suffix = n === 1 ? "" : `-${n}`;
      const id = wanted.slice(0, idLengthMax - suffix.length) + suffix;
      if (!taken.has(id)) return id;
    }
  };
  const named = items.map(({ id, text, required = true }) => {
    const own = id ?? known.get(text) ?? free(idOf(text));
    taken.add(own);
    return { id: own, text, required };
  });
  for (const field of ["id", "text"] as const) {
    const twice = [...Map.groupBy(named, (item) => item[field])].find(([, same]) => same.length > 1);
    if (twice) throw badRequest(`items: "${twice[0]}" is there twice.`);
  }
  return named;
}

const optionalMark = / *\(optional\)$/i;

/** Items from lines: empty lines and list marks are skipped, and `(optional)` at the end makes one optional. */
export const itemsOfLines = (lines: string): NewItem[] =>
  lines
    .split("\n")
    .map((line) => line.trim().replace(/^(?:[-*] +)?(?:\[[ xX]?\] +)?/, ""))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ text: line.replace(optionalMark, ""), required: !optionalMark.test(line) }));

/** The item as a line of the editor, which `parseItems` reads back. */
export const lineOfItem = ({ text, required }: ChecklistItem): string =>
  required ? text : `${text} (optional)`;
