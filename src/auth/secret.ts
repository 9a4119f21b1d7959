/** The signing secret of a deployment. */
import type { Data } from "../data.ts";

/** Made once and kept in the database, so that every process on it signs alike. */
export async function signingSecret(data: Data): Promise<string> {
  const name = "signing_secret";
  const made = () =>
    crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
  return (await data.setting(name)) ?? data.atomically((writes) => writes.getOrCreateSetting(name, made()));
}
