/**
 * The passphrase of a share link. Attempts are limited before the slow hash, in the database: the limit is
 * exact on SQLite and on Postgres, for any number of processes.
 */
import { ulid } from "ulid";
import { clientNetwork } from "../../core/lib/http/client-network.ts";
import { minuteMicros, secondMicros } from "../../core/lib/time.ts";
import { Problem } from "../../core/problem.ts";
import type { LibraryContext } from "../context.ts";
import type { ShareAttemptRow, ShareRow } from "./rows.ts";

const hourMicros = 60 * minuteMicros;

/** At most this many attempts within a span; `client`: of one network, else of all together. */
const limits = [
  { of: "client", max: 5, span: 10 * minuteMicros },
  { of: "client", max: 10, span: hourMicros },
  { of: "share", max: 60, span: hourMicros },
] as const;
const attemptsMax = Math.max(...limits.map(({ max }) => max));

/** An Argon2id hash, in PHC string format. */
export const hashPassphrase = (passphrase: string): Promise<string> =>
  Bun.password.hash(passphrase, "argon2id");

/**
 * Whether the passphrase opens the share; true if it needs none. Only failed attempts stay counted.
 * @throws {Problem} 429 with `Retry-After` after too many
 */
export async function checkPassphrase(
  ctx: Pick<LibraryContext, "data" | "now">,
  { id, passphrase }: Pick<ShareRow, "id" | "passphrase">,
  given: string,
  address: string,
): Promise<boolean> {
  if (passphrase === null) return true;
  const attempt = await countAttempt(ctx, id, address);
  if (!(await Bun.password.verify(given, passphrase))) return false;
  await ctx.data.atomically((writes) => writes.removeShareAttempt(attempt));
  return true;
}

/** Counts an attempt in the transaction that checks the limits. @returns its id */
async function countAttempt(
  { data, now }: Pick<LibraryContext, "data" | "now">,
  share: string,
  address: string,
): Promise<string> {
  const at = now();
  // A hash, so that the database has no IP addresses.
  const client = new Bun.CryptoHasher("sha256")
    .update(`${share} ${clientNetwork(address)}`)
    .digest("base64url");
  const attempt = { id: ulid(Math.floor(at / 1_000)), share, client, at };
  const refusedFor = await data.atomically(async (writes) => {
    const attempts = await writes.shareAttempts(share, at - hourMicros, attemptsMax);
    const wait = waitOf(attempts, client, at);
    if (wait === 0) await writes.addShareAttempt(attempt, at - hourMicros);
    return wait;
  });
  if (refusedFor === 0) return attempt.id;
  const seconds = Math.ceil(refusedFor / secondMicros);
  throw new Problem(429, `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`, {
    "retry-after": String(seconds),
  });
}

/** How long until the limits allow another attempt; 0 if they do. @param attempts of the last hour, in order */
function waitOf(attempts: ShareAttemptRow[], client: string, at: number): number {
  const waits = limits.map(({ of, max, span }) => {
    const counted = attempts.filter(
      (attempt) => attempt.at > at - span && (of === "share" || attempt.client === client),
    );
    const blocking = counted.at(-max);
    return counted.length >= max && blocking ? blocking.at + span - at : 0;
  });
  return Math.max(0, ...waits);
}
