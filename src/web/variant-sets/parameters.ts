/** The query parameters of the page of a variant set. */

/** Ids of the variants shown side by side, separated by commas. */
export const compareParameter = "compare";
/** Ids of the variants picked so far, separated by commas. */
export const pickedParameter = "picked";
export const pageParameter = "page";
export const variantSetParameters = [compareParameter, pickedParameter, pageParameter, "decision"] as const;

export const idsIn = (query: URLSearchParams, name: string): string[] =>
  query.get(name)?.split(",").filter(Boolean) ?? [];

const prefix = "pick-";

/** The name of a variant's checkbox. */
export const pickField = (id: string): string => prefix + id;

/** The ids of the checked variants of a form. */
export const pickedIn = (form: ReadonlyMap<string, string>): Set<string> =>
  new Set(
    [...form.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
  );

/** The form's field with the ids of the variants that it decides about, separated by commas. */
export const shownField = "shown";

/** The field of the buttons that turn the page, and keep what is picked. */
export const turnField = "turn";
/** The field with the page that the form was on. */
export const pageField = "page";
