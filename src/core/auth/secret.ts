/** The signing secret of a deployment. */
import type { CoreData, CoreWrites } from "../port.ts";

const name = "signing_secret";
const generate = () =>
  crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });

/** Replaces the secret. Servers that run keep the old one until they are restarted. */
export const replaceSigningSecret = ({ data }: { data: CoreData }): Promise<void> =>
  data.atomically((writes) => writes.setSetting(name, generate()));

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
