/**
 * Standard Webhooks (https://www.standardwebhooks.com), v1: `webhook-signature` is a list of `v1,<base64>`,
 * each an HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. Its key is base64 after `whsec_`.
 */
import { type Micros, secondMicros } from "../../../core/lib/time.ts";

const prefix = "whsec_";

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export const generateSecret = (): string =>
  prefix + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");

/**
 * The headers that identify and sign a message.
 * @param secrets the current one, and during a rotation the previous one: each adds a signature
 * @param id of the message: the same for every attempt
 * @param atMicros time of this attempt; receivers refuse what is older than five minutes
 */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  atMicros: Micros,
  body: string | Uint8Array,
): Record<string, string> {
  const timestamp = String(Math.floor(atMicros / secondMicros));
  const sign = (secret: string) =>
    new Bun.CryptoHasher("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${sign(secret)}`).join(" "),
  };
}
