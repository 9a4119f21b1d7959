/** The log of what people did with share links. */
import { ulid } from "ulid";
import { networkPrefix } from "../../core/lib/http/client-network.ts";
import { dayMicros, minuteMicros } from "../../core/lib/time.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { type ShareAction, shareLogDays } from "./schema.ts";

const batchSize = 1_000;

/** Actions that repeat are counted by the hour, so that a busy link has a short log. */
const countedActions: ReadonlySet<ShareAction> = new Set(["opened", "viewed", "downloaded"]);
const hourMicros = 60 * minuteMicros;

export interface ShareVisit {
  share: string;
  action: ShareAction;
  /** IP address of the client; only its prefix is stored. */
  address: string;
  asset?: Pick<AssetRow, "id" | "sha256"> | undefined;
  /** The name that was typed. */
  name?: string | undefined;
  /** Identifies the browser, so that each one counts a version once an hour. */
  nonce?: string | undefined;
}

/** Adds an entry to the log of a share, in a transaction. */
export function addVisit(writes: LibraryWrites, now: number, visit: ShareVisit): Promise<void> {
  const { share, action, address, asset, name, nonce } = visit;
  const network = networkPrefix(address);
  const hour = Math.floor(now / hourMicros);
  const slot = countedActions.has(action)
    ? new Bun.CryptoHasher("sha256")
        .update(JSON.stringify([action, hour, network, asset?.id, nonce]))
        .digest("base64url")
        .slice(0, 26)
    : ulid(Math.floor(now / 1_000));
  const about = { asset: asset?.id ?? null, sha256: asset?.sha256 ?? null };
  return writes.addShareView({ share, slot, at: now, action, name: name ?? null, network, ...about });
}

export const recordVisit = (
  { data, now }: Pick<LibraryContext, "data" | "now">,
  visit: ShareVisit,
): Promise<void> => data.atomically((writes) => addVisit(writes, now(), visit));

/** Removes old entries in batches, each in its own transaction. @returns how many */
export async function trimShareViews({ data, now }: Pick<LibraryContext, "data" | "now">): Promise<number> {
  for (let removed = 0; ; ) {
    const before = now() - shareLogDays * dayMicros;
    const count = await data.atomically((writes) => writes.removeShareViews(before, batchSize));
    removed += count;
    if (count < batchSize) return removed;
  }
}
