/** The events of share links, which name neither the link nor its recipient. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { ShareRow } from "./rows.ts";
import { rightsText } from "./schema.ts";

type Needs = Pick<LibraryContext, "config">;

/** `2026-01-02 03:04 UTC` */
export const minuteOf = (at: Micros): string =>
  `${fromMicros(at).slice(0, "2026-01-02T03:04".length).replace("T", " ")} UTC`;

export const announceShare = (ctx: Needs, writes: LibraryWrites, share: ShareRow): Promise<void> =>
  announce(ctx, writes, "share.created", share, share.created_by, (subject) => {
    return `Shared ${subject} to ${rightsText[share.rights]} until ${minuteOf(share.expires_at)}`;
  });

export const announceRenewal = (
  ctx: Needs,
  writes: LibraryWrites,
  share: ShareRow,
  by: string,
): Promise<void> =>
  announce(ctx, writes, "share.renewed", share, by, (subject) => {
    return `Renewed a link to ${subject}, until ${minuteOf(share.expires_at)}`;
  });

export const announceEnd = (ctx: Needs, writes: LibraryWrites, share: ShareRow, by: string): Promise<void> =>
  announce(ctx, writes, "share.revoked", share, by, (subject) => `Revoked a link to ${subject}`);

async function announce(
  { config }: Needs,
  writes: LibraryWrites,
  kind: `share.${"created" | "renewed" | "revoked"}`,
  share: ShareRow,
  by: string,
  summaryOf: (subject: string) => string,
): Promise<void> {
  const asset = await writes.asset(null, share.asset);
  if (!asset) return;
  const subject = `${isolateBidi(asset.title)}, version ${asset.version}`;
  await writes.append([assetEvent(config, kind, asset, by, summaryOf(subject))]);
}
