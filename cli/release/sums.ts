/** SHA-256 sums of the files of a release, and their signature. */
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../command-errors.ts";

export const sumsName = "SHA256SUMS";
const signatureName = `${sumsName}.sig`;
const publicKeyName = "svc-release.pub";

export const sha256Of = (data: Uint8Array | string): string =>
  new Bun.CryptoHasher("sha256").update(data).digest("hex");

/** The files of a release, in the order of their names, without the sums. */
export async function releaseFiles(folder: string): Promise<string[]> {
  const own = [sumsName, signatureName, publicKeyName];
  return (await readdir(folder)).filter((name) => !own.includes(name)).toSorted();
}

/** Writes `SHA256SUMS`, which `sha256sum -c` checks. */
export async function writeSums(folder: string): Promise<void> {
  const lines = [];
  for (const name of await releaseFiles(folder))
    lines.push(`${sha256Of(await Bun.file(join(folder, name)).bytes())}  ${name}\n`);
  await Bun.write(join(folder, sumsName), lines.join(""));
}

/**
 * Signs the sums with an Ed25519 key, a PEM file as of `openssl genpkey -algorithm ed25519`. The signature is
 * that of RFC 8032, which `openssl pkeyutl -verify -rawin` checks.
 */
export async function signSums(folder: string, keyFile: string): Promise<void> {
  const key = await readKey(keyFile);
  const signature = sign(null, await Bun.file(join(folder, sumsName)).bytes(), key);
  await Bun.write(join(folder, signatureName), signature);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "pem" });
  await Bun.write(join(folder, publicKeyName), publicKey);
}

async function readKey(keyFile: string) {
  try {
    const key = createPrivateKey(await Bun.file(keyFile).text());
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // said below, for a file that is missing as well
  }
  throw new UsageError(
    `${keyFile} is not a private Ed25519 key. Create one: openssl genpkey -algorithm ed25519 -out ${keyFile}`,
  );
}
