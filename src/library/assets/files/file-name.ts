/** The names that files have when they are downloaded. */

const nameBytesMax = 1024;

/** The name that a client sent, without folders; null if no system has such a file. */
export function sentName(sent: string): string | null {
  const name = sent
    .toWellFormed()
    .replaceAll("\0", "")
    .replace(/^(?:[a-z]:|\\\\).*\\|^.*\//is, "");
  return /^\.{0,2}$/.test(name) || Buffer.byteLength(name) > nameBytesMax ? null : name;
}

/** The name of a stored file: exact, or simplified in rows older than the column. */
export const fileNameOf = ({ filename, key }: { filename: string | null; key: string }): string =>
  filename ?? (key.split("/").at(-1) as string);
