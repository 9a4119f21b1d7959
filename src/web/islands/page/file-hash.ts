/** The SHA-256 of a file, computed in the browser: the file is not uploaded. */

/** WebCrypto hashes a buffer, so the whole file is in memory. */
const sizeMax = 1024 ** 3;

/** @throws with a sentence for the reader */
export async function hashOf(file: File): Promise<string> {
  if (!crypto.subtle) throw new Error("Your browser computes hashes on HTTPS pages only.");
  if (file.size > sizeMax) throw new Error("This file is larger than 1 GB. Search for its SHA-256 instead.");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
