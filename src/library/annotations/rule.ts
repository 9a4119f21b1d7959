/** What adding, changing and answering annotations have in common. */

import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { badRequest, notFound } from "../../core/problem.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import type { AnnotationRow } from "./rows.ts";
import type { Origin } from "./schema.ts";

/** Annotations and replies of a version: the desk draws them all. */
export const perVersionMax = 1000;

export const noAnnotation = (id: string) => notFound(`No annotation with id '${id}'.`);

/** Whether the caller may see an annotation of a project that it may read: drafts are their author's alone. */
export const isVisible = ({ state, reader }: AnnotationRow, caller: Caller): boolean =>
  state !== "draft" || reader === readerOf(caller);

/** @throws {Problem} 400 for a text of spaces and invisible characters */
export function requireText(body: string, field: "body" | "reply" = "body"): void {
  if (!cleanLine(body, body.length * 3)) throw badRequest(`${field} is blank. Say what to change.`);
}

const originsOfCalls: Partial<Record<NonNullable<Caller["source"]>["via"], Origin>> = {
  session: "web",
  mcp: "mcp",
  stdio: "mcp",
  cli: "cli",
  share: "share",
};

/** Where the caller's annotation comes from. */
export const originOf = ({ source }: Pick<Caller, "source">): Origin =>
  (source && originsOfCalls[source.via]) ?? "api";

/** @throws {Problem} 400 if the version has too many annotations @returns the highest number in its chain */
export async function requireRoom(
  writes: LibraryWrites,
  asset: Pick<AssetRow, "id" | "root_id">,
): Promise<number> {
  const { count, n } = await writes.annotationCounts({ asset_id: asset.id, chain: asset.root_id });
  if (count >= perVersionMax)
    throw badRequest(`Version is full: it has ${perVersionMax} annotations and replies, the most that fit.`);
  return n;
}

/** The summary of an event is one line of at most this many bytes. */
const summaryBytesMax = 900;

/** Appends an event about annotations of an asset. @param text what was done, before the asset's title */
export async function appendAnnotationEvent(
  { config }: Pick<LibraryContext, "config">,
  writes: LibraryWrites,
  kind: "asset.commented" | "asset.addressed",
  asset: AssetRow,
  actor: string,
  { before, after = "" }: { before: string; after?: string },
): Promise<void> {
  const summary = `${before} ${isolateBidi(asset.title)}, version ${asset.version}${after}`;
  await writes.append([assetEvent(config, kind, asset, actor, cleanLine(summary, summaryBytesMax))]);
}
