/**
 * Clients whose language writes an absent value as null: what a message need not name is absent where it is
 * null.
 */

/** Drops null parameters and null arguments, in place. */
export function dropNulls(message: unknown): void {
  if (!isObject(message)) return;
  dropNullMembers(message, ["params"]);
  const { params } = message;
  if (!isObject(params)) return;
  dropNullMembers(params);
  if (isObject(params.arguments)) dropNullMembers(params.arguments);
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function dropNullMembers(holder: Members, names = Object.keys(holder)): void {
  for (const name of names) if (holder[name] === null) delete holder[name];
}
