/** The events of share links, which name neither the link nor its recipient. */
import { eventActor } from "../../core/auth/actor.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { minuteOf } from "../../core/lib/time.ts";
import { setPath } from "../../memory/set-ref.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { ShareRow } from "./rows.ts";
import { rightsText } from "./schema.ts";

type ShareEvent = `share.${"created" | "renewed" | "revoked"}`;
type Subject = Pick<ShareRow, "subject" | "asset" | "project" | "set" | "kind" | "tag">;
type Needs = Pick<LibraryContext, "config">;

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
  kind: ShareEvent,
  share: ShareRow,
  by: string,
  summaryOf: (subject: string) => string,
): Promise<void> {
  const event = await eventOf(config, writes, kind, share, by);
  if (event) await writes.append([{ ...event, summary: summaryOf(event.summary) }]);
}

/** The event about the subject of a share, with the name of the subject as its summary. */
async function eventOf(
  config: LibraryContext["config"],
  writes: LibraryWrites,
  kind: ShareEvent,
  share: ShareRow,
  by: string,
): Promise<ReturnType<typeof assetEvent> | null> {
  const { project } = share;
  if (share.subject === "asset") {
    const asset = await writes.asset(null, share.asset ?? "");
    const subject = asset && `${isolateBidi(asset.title)}, version ${asset.version}`;
    return asset && assetEvent(config, kind, asset, by, subject ?? "");
  }
  const url = config.siteUrl + subjectPath(share);
  return { kind, actor: eventActor(by), summary: subjectName(share), ...none, project, url };
}

const none = { issue: null, task: null, pr: null };

/** `the set hero image`, or `the review queue, only image with the tag map`. */
export function subjectName({ subject, set, kind, tag }: Subject): string {
  if (subject === "asset") return "one asset";
  if (subject === "set") return `the set ${isolateBidi(set ?? "")}`;
  const parts = [...(kind === null ? [] : [kind]), ...(tag === null ? [] : [`tag ${isolateBidi(tag)}`])];
  return `the review queue${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
}

/** The page that the team sees the subject on. */
export function subjectPath({ subject, asset, project, set, kind, tag }: Subject): string {
  if (subject === "asset") return `/assets/${asset}`;
  if (subject === "set") return setPath(project, set ?? "");
  const filters = { project, status: "pending", ...(kind && { kind }), ...(tag && { query: tag }) };
  return `/assets?${new URLSearchParams(filters)}`;
}
