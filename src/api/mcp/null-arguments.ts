/** Some clients send null for an absent optional value: null parameters and arguments count as absent. */

/** Deletes null parameters and null arguments from a message, in place. */
export function dropNulls(message: unknown): void {
  if (!isObject(message)) return;
  if (message.params === null) delete message.params;
  const { params } = message;
  if (!isObject(params)) return;
  dropNullMembers(params);
  if (isObject(params.arguments)) dropNullMembers(params.arguments);
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function dropNullMembers(holder: Members): void {
  for (const name in holder) if (holder[name] === null) delete holder[name];
}
