/**
 * `bun run surface`: writes down what the versioning policy promises to keep, once something was added to it.
 * Refuses what the policy does not allow.
 */
import { fileURLToPath } from "node:url";
import { openApp } from "../../support/harness.ts";
import { fromLine, stableSurface, toLine } from "../../support/http/stable-surface.ts";
import { compare } from "../../support/http/surface-breaks.ts";

export const snapshot = Bun.file(fileURLToPath(new URL("./stable-surface.txt", import.meta.url)));

export const lines = (text: string): string[] => text.split("\n").filter(Boolean);

if (import.meta.main) {
  await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "60/60" });
  const surface = await stableSurface(app);
  const { breaking } = compare(lines(await snapshot.text()).map(fromLine), surface);
  for (const line of breaking) process.stderr.write(`${line}\n`);
  if (breaking.length === 0) await snapshot.write(`${surface.map(toLine).join("\n")}\n`);
  process.exitCode = breaking.length === 0 ? 0 : 1;
}
