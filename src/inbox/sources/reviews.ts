/** Reviews that wait for the caller, and rejections of what they made. */
import type { Asset } from "../../assets/schema.ts";
import { isAllowed } from "../../auth/authorization.ts";
import { readerOf } from "../../auth/reader.ts";
import { type Micros, toMicros } from "../../lib/time.ts";
import { namesOf } from "../../review-requests/reviewers.ts";
import { approvedByCaller, loadApprovals } from "../../verdicts/asset-verdicts.ts";
import { waitingText } from "../../verdicts/text.ts";
import { assetPath, type Candidate, candidatesMax, type Source } from "../candidate.ts";
import type { OpenRequest } from "../port.ts";
import type { Reason } from "../schema.ts";
import { groupBySet, type SetOfVariants, setItem } from "./variant-sets.ts";

/** Pending assets, for those who can review them; after a review request, only for the requested reviewers. */
export const pendingReviews: Source = async ({ data, config, now }, caller) => {
  if (!isAllowed(caller, "assets:read", config) || !isAllowed(caller, "assets:review", config)) return [];
  const pending = await data.assets(caller.projects, { status: "pending", limit: candidatesMax });
  const assets = pending.map(({ wire }) => JSON.parse(wire) as PendingAsset);
  const [requests, approvals, approved] = await Promise.all([
    data.openRequests(pending.map(({ id }) => id)),
    loadApprovals(data, assets),
    approvedByCaller(data, caller),
  ]);
  const requestOf = new Map(requests.map((request) => [request.asset, request]));
  const names = new Set(namesOf(caller));
  const shown = assets.filter(({ id }) => {
    const request = requestOf.get(id);
    return !approved.has(id) && (!request || isAsked(request, names));
  });
  // A request is for one asset, so it is an item of its own.
  const { single, sets } = groupBySet(shown.map((asset) => (requestOf.has(asset.id) ? alone(asset) : asset)));
  const itemOf = (asset: PendingAsset): Candidate => {
    const { id } = asset;
    const request = requestOf.get(id);
    const given = approvals.get(id);
    const from = asset.version > 1 ? `Version ${asset.version}, by` : "By";
    const wait = given && given.have > 0 ? `, ${waitingText(given)}` : "";
    return {
      ...{
        id: `review-${id}`,
        title: asset.title,
        detail: request?.question ?? `${from} ${asset.created_by}${wait}`,
      },
      ...{ path: assetPath(id, asset.project), project: asset.project },
      ...(request ? stateOf(request, now()) : { reason: "review", at: toMicros(asset.created_at) }),
    };
  };
  return [...single.map(itemOf), ...sets.map(pendingSet)];
};

type PendingAsset = Asset & { project: string };

const alone = (asset: PendingAsset): PendingAsset => ({ ...asset, set: null });

const pendingSet = (set: SetOfVariants<PendingAsset>): Candidate => ({
  ...setItem("review", set),
  reason: "review",
  detail: `${set.variants.length} variants to pick from, by ${set.variants[0]?.created_by}`,
  at: Math.max(...set.variants.map(({ created_at }) => toMicros(created_at))),
});

const isAsked = ({ reviewers }: OpenRequest, names: ReadonlySet<string>): boolean =>
  reviewers.length === 0 || reviewers.some((name) => names.has(name));

const stateOf = ({ due_at, created_at }: OpenRequest, now: Micros): { reason: Reason; at: Micros } =>
  due_at !== null && due_at <= now
    ? { reason: "review_overdue", at: due_at }
    : { reason: "review_requested", at: created_at };

/** Rejected assets that the caller made, until there is a newer version. */
export const rejections: Source = async ({ data, config }, caller) => {
  const author = readerOf(caller);
  if (author === null || !isAllowed(caller, "assets:read", config)) return [];
  const authors = [`human:${author}`, `token:${author}`];
  const rows = await data.rejectedAssets(authors, caller.projects, candidatesMax);
  const { single, sets } = groupBySet(rows);
  return [
    ...single.map(
      ({ id, title, project, review_note, reviewed_at }): Candidate => ({
        ...{ id: `rejected-${id}`, reason: "rejected", title, detail: review_note },
        ...{ path: assetPath(id, project), project, at: reviewed_at as Micros },
      }),
    ),
    ...sets.map((set): Candidate => {
      const [newest] = set.variants;
      const detail = `${set.variants.length} variants: ${newest?.review_note}`;
      return { ...setItem("rejected", set), reason: "rejected", detail, at: newest?.reviewed_at as Micros };
    }),
  ];
};
