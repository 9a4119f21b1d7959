/**
 * Returns a function that makes a value at its first call, and remembers it. For what is expensive to make
 * and rarely needed: whatever a module makes when it is loaded, every command and every start pays for.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
