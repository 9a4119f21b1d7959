/** Reviews that wait for the caller: assets, sets, and what they were asked for. */
import { actorOf } from "../../../core/auth/actor.ts";
import { actorLabel } from "../../../core/auth/actor-name.ts";
import { isAllowed } from "../../../core/auth/authorization.ts";
import type { Caller } from "../../../core/auth/caller.ts";
import { formatDate } from "../../../core/lib/quantities.ts";
import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import { fromMicros, type Micros } from "../../../core/lib/time.ts";
import { type Asset, assetKinds } from "../../../library/assets/schema.ts";
import { repeatText } from "../../../library/repeats/text.ts";
import { loadPendingSets, projectsMax } from "../../../library/review-queue/items.ts";
import { variantsText } from "../../../library/review-queue/text.ts";
import { namesOf } from "../../../library/review-requests/request.ts";
import type {
  AssetDetails,
  ListedReviewRequest,
  PendingAssetsRow,
  PendingSetRow,
} from "../../../library/rows.ts";
import { variantsMax } from "../../../library/variant-sets/limits.ts";
import { approvedByCaller, loadApprovals } from "../../../library/verdicts/approvals.ts";
import type { Approvals } from "../../../library/verdicts/schema.ts";
import { waitingText } from "../../../library/verdicts/text.ts";
import { isMaker, principalOf, reviewRoleOf } from "../../../library/verdicts/verdict.ts";
import type { OverviewContext } from "../../context.ts";
import { assetPath, type Candidate, candidatesMax, type Source, setItem } from "../candidate.ts";

/** The newest assets of a project that can have an item of their own. */
const listedMax = 50;

/** Pending assets, for those who can review them; after a review request, only for the requested reviewers. */
export const pendingReviews: Source = async (ctx, caller) => {
  const { data, config } = ctx;
  if (!isAllowed(caller, "assets:read", config) || !isAllowed(caller, "assets:review", config)) return [];
  const { queues, sets, requests, governed } = await loadPending(ctx, caller);
  const requestOf = new Map(requests.filter(({ set }) => set === null).map((one) => [one.asset, one]));
  const newestOf = (list: "listed" | "listedRepeats") =>
    queues
      .flatMap(({ project, ...queue }) => queue[list].map((asset) => ({ ...asset, project })))
      .sort((a, b) => b.created_at - a.created_at)
      .slice(0, candidatesMax);
  const repeats = newestOf("listedRepeats");
  const others = [...newestOf("listed"), ...repeats].filter(({ id }) => !requestOf.has(id));
  const needed = [
    ...requestOf.keys(),
    ...others.filter(({ project }) => governed.has(project)).map(({ id }) => id),
  ];
  const [found, repeated] = await Promise.all([
    data.assetDetails([...needed, ...sets.map(({ listed }) => listed[0].id)]),
    data.assetsById(repeats.map(({ id }) => id)),
  ]);
  const assets = new Map(found.map((asset) => [asset.id, asset]));
  const repeatOf = new Map(repeated.map(({ id, wire }) => [id, (JSON.parse(wire) as Asset).repeats]));
  const approvals = await loadApprovals(data, found);
  const waiting = [...requestOf.keys()].flatMap((id) => assets.get(id) ?? []);
  const single = [...waiting, ...others].map((asset): Candidate => {
    const request = requestOf.get(asset.id);
    const details = assets.get(asset.id);
    const given = approvals.get(asset.id);
    const isNamed = request !== undefined && request.reviewers.length > 0;
    const repeat = repeatOf.get(asset.id);
    return {
      ...assetItem(ctx, asset, { request, given, repeat }),
      ...(request && stateOf(request, ctx.now())),
      isForOthers:
        !isNamed && given !== undefined && details !== undefined && !canApprove(caller, details, given),
    };
  });
  const ofSets = sets.map((set) => {
    const ofSet = requests.filter((one) => one.set === set.set && one.project === set.project);
    return pendingSet(ctx, set, assets.get(set.listed[0].id), ofSet);
  });
  return [...single, ...ofSets, ...queues.map(foldingItem)];
};

/** Whether an approval of the caller is one that the policy still asks for. */
function canApprove(caller: Caller, asset: AssetDetails, { missing }: Approvals): boolean {
  const maker = { principal: principalOf(caller), reviewer: actorOf(caller, undefined) };
  const role = reviewRoleOf(caller);
  return !isMaker(asset, maker) && (missing.length === 0 || missing.some((one) => one.role === role));
}

async function loadPending(ctx: OverviewContext, caller: Caller) {
  const { data } = ctx;
  const approved = await approvedByCaller(ctx, caller);
  const names = namesOf(caller);
  const filter = { without: [...approved.keys()], askedOf: names };
  const limits = { projects: projectsMax, count: variantsMax, listed: listedMax };
  const [queues, sets, requests] = await Promise.all([
    data.pendingAssets(caller.projects, { ...filter, ...limits, order: "newest first" }),
    loadPendingSets(data, caller.projects, filter),
    data.reviewRequests(caller.projects, { of: names, limit: candidatesMax }),
  ]);
  const slugs = queues.map(({ project }) => project);
  const policies = slugs.length > 0 ? await data.reviewPolicies(slugs, slugs.length * assetKinds.length) : [];
  return {
    queues,
    sets,
    requests: requests.filter(({ asset }) => !approved.has(asset)),
    /** Projects with a review policy, which may ask for reviews of others. */
    governed: new Set(policies.map(({ project }) => project)),
  };
}

interface Review {
  request: ListedReviewRequest | undefined;
  given: Approvals | undefined;
  repeat: Asset["repeats"] | undefined;
}

function assetItem(
  { config }: OverviewContext,
  { id, project, created_at }: Pick<AssetDetails, "id" | "project" | "created_at">,
  { request, given, repeat }: Review,
): Candidate {
  const wait = given && given.have > 0 ? `, ${waitingText(given)}` : "";
  return {
    id: `review-${id}`,
    reason: "review",
    title: "",
    detail: null,
    path: assetPath(id, project),
    project,
    at: created_at,
    asset: id,
    canFold: true,
    ...(repeat && { isRepeat: true }),
    describe(asset) {
      const { title, version, created_by, issue, task, pr } = asset;
      const from = version > 1 ? `Version ${version}, by` : "By";
      const maker = `${from} ${isolateBidi(actorLabel(created_by, config))}${wait}`;
      const detail = repeat ? repeatText(repeat) : (request?.question ?? maker);
      return { title, detail, issue, task, pr, thumb: asset };
    },
  };
}

/** @param requests the requests for its variants, the one due first at the front */
function pendingSet(
  { config, now }: OverviewContext,
  set: PendingSetRow,
  first: AssetDetails | undefined,
  [request]: ListedReviewRequest[],
): Candidate {
  const maker = first ? `, by ${isolateBidi(actorLabel(first.created_by, config))}` : "";
  const detail = `${variantsText(set.count)} to pick from${maker}`;
  return {
    ...setItem("review", set),
    ...(first && { issue: first.issue, task: first.task, pr: first.pr, asset: first.id, thumb: first }),
    isGroup: true,
    detail: request?.question ?? detail,
    ...(request ? stateOf(request, now()) : { reason: "review", at: set.newest }),
  };
}

/** What stands for the assets of a project that have no item of their own. */
const foldingItem = ({ project, count, since }: PendingAssetsRow): Candidate => ({
  id: `review-rest-${project}`,
  reason: "review",
  title: "",
  project,
  at: since,
  folds: count,
  detail: `The oldest waits since ${formatDate(fromMicros(since))}`,
  path: `/assets?${new URLSearchParams({ status: "pending", project, order: "oldest" })}`,
});

/** @param folds how many assets have no item of their own */
export const foldTitle = (folds: number): string => (folds === 1 ? "1 more asset" : `${folds} more assets`);

function stateOf(
  { due_at: due, created_at }: ListedReviewRequest,
  now: Micros,
): Pick<Candidate, "reason" | "at" | "due"> {
  return due !== null && due <= now
    ? { reason: "review_overdue", at: due, due }
    : { reason: "review_requested", at: created_at, due };
}
