/**
 * Returns a function that makes a value at its first call, and remembers it. For what is expensive to make
 * and rarely needed: whatever a module makes when it is loaded, every command and every start pays for.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** An object whose members are made when they are first read. */
export function lazyMembers<T extends Record<string, () => unknown>>(makers: T) {
  const members = {};
  for (const [name, make] of Object.entries(makers))
    Object.defineProperty(members, name, { get: lazy(make), enumerable: true });
  // safe because: each member is what its function returns
  return members as { readonly [Name in keyof T]: ReturnType<T[Name]> };
}
