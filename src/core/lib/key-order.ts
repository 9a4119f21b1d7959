/** JSON text that does not depend on the order of keys: Postgres stores those of objects in one of its own. */
export const jsonInKeyOrder = (value: unknown): string => JSON.stringify(value, inKeyOrder);

const inKeyOrder = (_: string, value: unknown): unknown =>
  value === null || typeof value !== "object" || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
