/** Values that only this deployment can read and make: AES-256-GCM with a key from its signing secret. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string, purpose: string): Buffer =>
  createHash("sha256").update(`svc ${purpose} ${secret}`).digest();

/** @param purpose of the value: one that was sealed for another is not opened */
export function seal(secret: string, purpose: string, value: object): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, purpose), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
}

/** Returns what was sealed; null if it was made with another secret or for another purpose, or changed. */
export function unseal<T extends object>(secret: string, purpose: string, sealed: string): T | null {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < ivBytes + tagBytes) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, purpose), bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
    // safe because: only `seal` makes such a value
    return JSON.parse(text.toString("utf8")) as T;
  } catch {
    return null;
  }
}
