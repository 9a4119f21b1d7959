/**
 * The URL of a webhook as lists, logs and pages show it. Anyone who knows the URL of a chat channel can
 * post to it, and the URLs of other receivers often have a secret in their path or query as well.
 */

/** Shorter paths would show too much of themselves. */
const pathLengthMin = 24;

/** The origin and, of a long path, its last four characters: enough to tell two webhooks apart. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  if (path === "/") return `${origin}/`;
  return `${origin}/…${path.length < pathLengthMin ? "" : path.slice(-4)}`;
}
