/** The first `max` characters of a text, without splitting a surrogate pair. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");

/** The same, with an ellipsis where text is missing. */
export const ellipsize = (text: string, max: number): string =>
  text.length <= max ? text : `${truncate(text, max)}…`;
