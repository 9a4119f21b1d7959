/** The signing secret of a deployment, and for a while the one before it. */
import type { CoreContext, FormerSecret } from "../context.ts";
import type { Micros } from "../lib/time.ts";
import type { CoreData, CoreReads, CoreWrites } from "../port.ts";

const name = "signing_secret";
const formerName = "former_signing_secret";
const generate = () =>
  crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });

/**
 * Replaces the secret. Servers that run keep the old one until they are restarted.
 * @param grace how long what was signed with the old one stays valid; null: no longer
 */
export const replaceSigningSecret = (
  { data, now }: { data: CoreData; now(): Micros },
  grace: Micros | null,
): Promise<void> =>
  data.atomically(async (writes) => {
    const secret = await writes.setting(name);
    const former = secret === null || grace === null ? null : { secret, until: now() + grace };
    await writes.setSetting(formerName, JSON.stringify(former));
    await writes.setSetting(name, generate());
  });

/** The secret from the database, generated on first use, so that all processes share it. */
export async function signingSecret(data: CoreData): Promise<string> {
  const generateOnce = async (writes: CoreWrites) => {
    const stored = await writes.setting(name);
    if (stored !== null) return stored;
    const secret = generate();
    await writes.setSetting(name, secret);
    return secret;
  };
  return (await data.setting(name)) ?? data.atomically(generateOnce);
}

/** The secret before the last rotation; null without a grace. */
export const formerSigningSecret = async (data: CoreReads): Promise<FormerSecret | null> =>
  JSON.parse((await data.setting(formerName)) ?? "null");

export type Verifying = Pick<CoreContext, "secret" | "formerSecret" | "now">;

/** The secrets that something valid may be signed with. */
export const validSecrets = ({ secret, formerSecret, now }: Verifying): string[] =>
  formerSecret && formerSecret.until > now() ? [secret, formerSecret.secret] : [secret];
