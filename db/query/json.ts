/** JSON without lone surrogates, which `jsonb` rejects and a bound text has as U+FFFD. */
export const wellFormedJson = (rows: readonly unknown[]): string => {
  const json = JSON.stringify(rows);
  return loneSurrogate.test(json)
    ? JSON.stringify(rows, (_, value) => (typeof value === "string" ? value.toWellFormed() : value))
    : json;
};
/** `JSON.stringify` escapes only lone ones; a text that spells such an escape costs a second look. */
const loneSurrogate = /\\ud[89a-f]/;
