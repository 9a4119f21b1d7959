/** The variants of a set are one notice: forty uploads are not forty messages. */
import { type Micros, minuteMicros, secondMicros, toMicros } from "../../../../core/lib/time.ts";
import type { Event } from "../../../../feed/schema.ts";
import { assetIdOf } from "../../../../library/assets/page-url.ts";
import { loadPendingSets } from "../../../../library/review-queue/items.ts";
import { variantsText } from "../../../../library/review-queue/text.ts";
import type { AssetDetails, PendingSetRow } from "../../../../library/rows.ts";
import { setKey } from "../../../../library/variant-sets/group.ts";
import { setPath } from "../../../../memory/set-ref.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { isRejection } from "./asset-notices.ts";
import { cleanTitle, type Notice } from "./notice.ts";

/** A set is told of when nothing was uploaded to it for this long. */
const settledMicros = 10 * secondMicros;
/** A set that never settles waits no longer. */
const longestMicros = 5 * minuteMicros;

/** Events that are the same thing for each variant. */
export interface SetEvents {
  set: string;
  project: string;
  /** In the order of the log. */
  events: [Event, ...Event[]];
  /** Null if no variant is pending. */
  pending: PendingSetRow | null;
  /** Whether the newest pending variant is among them. */
  hasNewest: boolean;
}

const kinds = new Set([
  "asset.uploaded",
  "asset.reviewed",
  "review.requested",
  "review.overdue",
  "review.given",
]);

/** The events about variants, by their ids. */
export async function loadSetEvents(
  { data }: Pick<IntegrationsContext, "data">,
  events: readonly Event[],
): Promise<ReadonlyMap<number, SetEvents>> {
  const ids = new Map(
    events.flatMap((event) => {
      const id = kinds.has(event.kind) ? assetIdOf(event.url) : null;
      return id === null ? [] : [[event.id, id] as const];
    }),
  );
  const project = events[0]?.project;
  if (ids.size === 0 || !project) return new Map();
  const found = await data.assetDetails([...new Set(ids.values())]);
  const variants = new Map(
    found.flatMap((asset) => (asset.set === null ? [] : [[asset.id, asset] as const])),
  );
  if (variants.size === 0) return new Map();
  const waiting = await loadPendingSets(data, [project], {});
  const groups = Map.groupBy(events, (event) => {
    const asset = variants.get(ids.get(event.id) ?? "");
    return asset ? `${event.kind} ${isRejection(event)} ${setKey(asset.project, asset.set ?? "")}` : null;
  });
  groups.delete(null);
  return new Map(
    [...groups.values()].flatMap((events) => {
      const assets = events.map((event) => variants.get(ids.get(event.id) ?? "") as AssetDetails);
      const group = toGroup(events as [Event, ...Event[]], assets, waiting);
      return events.map((event) => [event.id, group] as const);
    }),
  );
}

function toGroup(
  events: [Event, ...Event[]],
  assets: readonly AssetDetails[],
  waiting: readonly PendingSetRow[],
): SetEvents {
  // safe because: an event is in a group by the set of its asset
  const { project, set } = assets[0] as AssetDetails & { set: string };
  const pending = waiting.find((one) => one.project === project && one.set === set) ?? null;
  return {
    set,
    project,
    events,
    pending,
    hasNewest: assets.some((one) => one.created_at === pending?.newest),
  };
}

/**
 * Until when an event waits, as more of its set may come; 0 if it does not.
 * @param wait how long it waits as an event of its run
 */
export function settledAt({ events: [first], pending }: SetEvents, event: Event, wait: Micros): Micros {
  if (event.kind === "asset.uploaded") {
    const settled = Math.min((pending?.newest ?? 0) + settledMicros, toMicros(first.ts) + longestMicros);
    return wait > settledMicros ? Math.max(settled, toMicros(event.ts) + wait) : settled;
  }
  return event.kind === "review.requested" ? toMicros(event.ts) + settledMicros : 0;
}

/**
 * Whether another event tells it: the last one of the set speaks for all. Of uploads, the newest pending
 * variant does, which may be in a later message.
 */
export const isToldByAnother = ({ events, hasNewest }: SetEvents, event: Event): boolean =>
  event !== events.at(-1) || (event.kind === "asset.uploaded" && !hasNewest);

/** @param notice of the event that speaks for the set */
export function setNotice(
  { config }: Pick<IntegrationsContext, "config">,
  group: SetEvents,
  notice: Notice,
): Notice {
  const { set, project, events, pending } = group;
  const isUpload = events[0].kind === "asset.uploaded";
  const count = isUpload ? (pending?.count ?? 0) : events.length;
  if (count < 2) return notice;
  const [verb] = notice.title.split(": ", 1);
  return {
    ...notice,
    title: cleanTitle(`${verb}: ${set}, ${variantsText(count)}`),
    link: { label: "Open the variant set", url: config.siteUrl + setPath(project, set) },
  };
}
