/** Some clients send null for an absent optional value: null parameters and arguments count as absent. */

/** Deletes null parameters and null arguments from a message, in place. */
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
