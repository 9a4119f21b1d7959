import { ulid } from "ulid";
import type { Scope } from "../../../src/core/auth/scopes.ts";
import { readConfig } from "../../../src/core/config.ts";
import { emailLink } from "../../../src/integrations/email/links.ts";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import { type ActionName, emailLinks, type PageName } from "../../../src/web/routes.ts";
import type { TestRequest } from "../harness.ts";
import { file } from "../library.ts";

export type Needed = Scope | "public" | "any token" | "every scope";

/**
 * What a right request says: a path below the surface's base, and the rest. `fresh`: things that were made
 * for it alone.
 */
export interface Right extends TestRequest {
  path: string;
}
export interface Fresh {
  pending(): Promise<string>;
  approved(): Promise<string>;
  published(): Promise<string>;
  reserved(): Promise<PresignResponse>;
  /** The same each time: a token may have only so many uploads in parts that are not finished. */
  inParts(): Promise<PresignResponse>;
  /** A pending asset with the annotation 1. */
  annotated(): Promise<Pick<Annotation, "id" | "asset_id">>;
  /** The kind of a checklist of atlas. */
  checklist(): Promise<string>;
  decision(): Promise<number>;
  /** The id of a rejection's decision. */
  rejection(): Promise<number>;
  /** The id of a decision that an agent proposed. */
  proposal(): Promise<number>;
  budget(): Promise<number>;
  /** A run on issue 7 and pull request 7. */
  run(): Promise<string>;
  /** A run on the task PROJ-7 of a tracker. */
  keyedRun(): Promise<string>;
  /** The report of a brief that was fetched before its run. */
  cachedBrief(): Promise<Right>;
  /** An asset that a run made. */
  made(): Promise<string>;
  /** A webhook, which admins see. */
  webhook(): Promise<string>;
  share(): Promise<string>;
  /** The name of a token. */
  token(): Promise<string>;
  /** The id of a person. */
  person(): Promise<string>;
}

export const formWith = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file());
  return form;
};

/** A request to a webhook, or to what a POST to it does. */
const toWebhook = async (fresh: Fresh, action?: string): Promise<Right> => ({
  path: `/webhooks/${await fresh.webhook()}${action ?? ""}`,
  ...(action && { method: "POST" }),
});

export const requests: Record<string, (fresh: Fresh) => Promise<Right> | Right> = {
  getInfo: () => ({ path: "/info" }),
  search: () => ({ path: "/search?query=maps" }),
  getFeed: () => ({ path: "/feed?limit=1" }),
  streamFeed: () => ({ path: "/feed/stream" }),
  appendEvents: () => ({
    path: "/events",
    json: { events: [{ kind: "run.started", actor: "agent:codex", summary: "Run 7" }] },
  }),
  backfillRuns: () => ({
    path: "/runs/backfill",
    json: {
      runs: [{ agent: "codex", id: "r", project: "atlas", started_at: "2026-01-02T03:04:05Z", steps: [] }],
    },
  }),
  getToday: () => ({ path: "/today" }),
  markAsRead: () => ({ path: "/today/read", json: { until: "2026-01-02T03:04:05Z" } }),
  getInbox: () => ({ path: "/inbox" }),
  markInboxDone: () => ({ path: "/inbox/done", json: { ids: ["run-7"] } }),
  snoozeInbox: () => ({ path: "/inbox/snooze", json: { ids: ["run-7"], for: "hour" } }),
  listEmailDigests: () => ({ path: "/email-digests" }),
  addEmailDigest: () => ({ path: "/email-digests", json: { address: "a@example.com", period: "daily" } }),
  sendTestMail: () => ({ path: "/test-mails", json: { address: "a@example.com" } }),
  sendEmailDigest: () => ({ path: `/email-digests/${ulid()}/send`, method: "POST" }),
  removeEmailDigest: () => ({ path: `/email-digests/${ulid()}/remove`, method: "POST" }),
  listProjects: () => ({ path: "/projects" }),
  linkProject: () => ({ path: "/projects/atlas", method: "PUT", json: { repo: "acme/atlas" } }),
  getProject: () => ({ path: "/projects/atlas" }),
  getUsage: () => ({ path: "/projects/atlas/usage" }),
  listClaims: () => ({ path: "/projects/atlas/claims" }),
  claimWork: () => ({ path: "/projects/atlas/claims", json: { subjects: ["src/map/**"], force: true } }),
  listBudgets: () => ({ path: "/budgets" }),
  checkBudgets: () => ({ path: "/budgets/check?project=atlas" }),
  setBudget: () => ({
    path: "/budgets",
    method: "PUT",
    json: { project: "atlas", period: "month", amount: 0.01 + Math.ceil(Math.random() * 1e6) },
  }),
  removeBudget: async (fresh) => ({ path: `/budgets/${await fresh.budget()}/remove`, json: {} }),
  getRejectedUsage: () => ({ path: "/usage/rejected" }),
  getUsageReport: () => ({ path: "/usage?by=task" }),
  getToken: () => ({ path: "/token" }),
  createSignInLink: async (fresh) => ({
    path: `/tokens/${await fresh.token()}/sign-in-links`,
    method: "POST",
  }),
  onboardModel: () => ({
    path: "/models",
    method: "PUT",
    json: { id: "model-1", provider: "openai", lanes: [] },
  }),
  addGuidance: () => ({
    path: "/guidance",
    method: "PUT",
    json: { model: "model-1", source: "https://example.com/a", files: [{ file: "a.md", text: "# A\nB" }] },
  }),
  consolidate: () => ({ path: "/consolidate", method: "POST" }),
  listChecks: () => ({ path: "/checks" }),
  listSessions: () => ({ path: "/sessions" }),
  endSession: () => ({ path: "/sessions/0000000000000000/end", method: "POST" }),
  endOtherSessions: () => ({ path: "/sessions/end", method: "POST" }),
  listTokens: () => ({ path: "/tokens" }),
  getTokenActivity: async (fresh) => ({ path: `/tokens/${await fresh.token()}/activity` }),
  setTokenOwner: async (fresh) => ({ path: `/tokens/${await fresh.token()}/owner`, method: "PUT" }),
  setTokenReviewRole: async (fresh) => ({
    path: `/tokens/${await fresh.token()}/review-role`,
    method: "PUT",
  }),
  revokeToken: async (fresh) => ({ path: `/tokens/${await fresh.token()}/revoke`, method: "POST" }),
  revokeSignInLinks: () => ({ path: "/sign-in-links/revoke", method: "POST" }),
  listAudit: () => ({ path: "/audit" }),
  setUnmappedPolicy: () => ({ path: "/people", method: "PUT", json: { project: "atlas", keep: false } }),
  listPeople: () => ({ path: "/people" }),
  setPerson: () => ({ path: "/people/dana", method: "PUT", json: { team: "maps" } }),
  removePerson: async (fresh) => ({ path: `/people/${await fresh.person()}/remove`, method: "POST" }),
  recall: () => ({ path: "/recall?query=maps" }),
  brief: () => ({ path: "/projects/atlas/brief" }),
  listRuns: () => ({ path: "/runs" }),
  listTasks: () => ({ path: "/tasks" }),
  getTaskBoard: () => ({ path: "/tasks/board" }),
  addRunBrief: (fresh) => fresh.cachedBrief(),
  getRun: async (fresh) => ({ path: `/runs/${await fresh.run()}` }),
  listDecisions: () => ({ path: "/projects/atlas/decisions" }),
  listAllDecisions: () => ({ path: "/decisions" }),
  getDecision: async (fresh) => ({ path: `/decisions/${await fresh.decision()}` }),
  listDecisionUses: async (fresh) => ({ path: `/decisions/${await fresh.decision()}/briefs` }),
  rewordDecision: async (fresh) => ({
    path: `/decisions/${await fresh.rejection()}/reword`,
    json: { text: "Lighter" },
  }),
  setDecisionChecks: async (fresh) => ({
    path: `/decisions/${await fresh.decision()}/checks`,
    method: "PUT",
    json: { checks: [{ kind: "forbid", text: "#FF0000" }] },
  }),
  setDecisionAnchors: async (fresh) => ({
    path: `/decisions/${await fresh.decision()}/anchors`,
    method: "PUT",
    json: { anchors: [{ path: "src/price.ts" }] },
  }),
  reportAnchors: async (fresh) => ({
    path: "/projects/atlas/anchors",
    json: {
      at: "2026-03-02T12:00:00Z",
      anchors: [{ decision: await fresh.decision(), path: "src/price.ts", blob: null }],
    },
  }),
  listProjectChecks: () => ({ path: "/projects/atlas/checks" }),
  reportStop: async (fresh) => ({ path: `/decisions/${await fresh.decision()}/stops`, json: { key: "1" } }),
  confirmDecision: async (fresh) => ({
    path: `/decisions/${await fresh.proposal()}/confirm`,
    method: "POST",
  }),
  dropDecision: async (fresh) => ({ path: `/decisions/${await fresh.proposal()}/drop`, method: "POST" }),
  retireDecision: async (fresh) => ({ path: `/decisions/${await fresh.decision()}/retire`, json: {} }),
  listDigests: () => ({ path: "/projects/atlas/digests" }),
  listModels: () => ({ path: "/models" }),
  listPreferences: () => ({ path: "/preferences" }),
  prefer: () => ({
    path: "/preferences",
    method: "PUT",
    json: { key: `quotes-${crypto.randomUUID()}`, value: "double" },
  }),
  decide: () => ({
    path: "/decisions",
    json: { project: "atlas", text: `Use globes ${crypto.randomUUID()}` },
  }),
  getAssetRun: async (fresh) => ({ path: `/assets/${await fresh.made()}/run` }),
  listAssets: () => ({ path: "/assets" }),
  getAsset: async (fresh) => ({ path: `/assets/${await fresh.pending()}` }),
  uploadAsset: () => ({ path: "/assets", method: "POST", body: formWith({ project: "atlas" }) }),
  requestUpload: () => ({ path: "/assets/presign", json: { project: "atlas", filename: "note.txt" } }),
  requestUploadParts: async (fresh) => ({
    path: `/assets/${(await fresh.inParts()).id}/parts`,
    json: { size: 10 },
  }),
  requestUploadByType: () => ({
    path: "/assets",
    json: { presign: true, project: "atlas", filename: "note.txt" },
  }),
  finalizeAsset: async (fresh) => {
    const { id, finalize_body } = await fresh.reserved();
    return { path: `/assets/${id}/finalize`, json: finalize_body };
  },
  requestReview: async (fresh) => ({
    path: `/assets/${await fresh.pending()}/review-requests`,
    json: { question: "Is it too dark?" },
  }),
  listReviewRequests: () => ({ path: "/review-requests" }),
  getReview: async (fresh) => ({ path: `/assets/${await fresh.pending()}/review` }),
  getSetReview: async () => ({ path: "/assets/review?project=atlas&set=posters" }),
  reviewAsset: async (fresh) => ({
    path: `/assets/${await fresh.pending()}/review`,
    method: "PUT",
    json: { decision: "approved" },
  }),
  reviewSet: async (fresh) => ({
    path: "/assets/review",
    method: "PUT",
    json: {
      project: "atlas",
      set: "posters",
      variants: [{ id: await fresh.pending(), decision: "approved" }],
    },
  }),
  checkRepeat: () => ({ path: `/projects/atlas/repeats?sha256=${"0".repeat(64)}` }),
  getRepeatPolicy: () => ({ path: "/projects/atlas/repeat-policy" }),
  setRepeatPolicy: () => ({ path: "/projects/atlas/repeat-policy", method: "PUT", json: { refuse: false } }),
  listReviewPolicies: () => ({ path: "/projects/atlas/review-policies" }),
  setReviewPolicy: () => ({
    path: "/projects/atlas/review-policies/pdf",
    method: "PUT",
    json: { need: [{ role: "design", count: 1 }] },
  }),
  listChecklists: () => ({ path: "/projects/atlas/checklists" }),
  getChecklist: async (fresh) => ({ path: `/projects/atlas/checklists/${await fresh.checklist()}` }),
  setChecklist: () => ({
    path: "/projects/atlas/checklists/pdf",
    method: "PUT",
    json: { items: [{ text: `Sharp ${crypto.randomUUID()}` }] },
  }),
  listAnnotations: async (fresh) => ({ path: `/assets/${await fresh.pending()}/annotations` }),
  annotateAsset: async (fresh) => ({
    path: `/assets/${await fresh.pending()}/annotations`,
    json: { body: "The logo is cut off" },
  }),
  changeAnnotation: async (fresh) => ({
    path: `/annotations/${(await fresh.annotated()).id}`,
    json: { state: "honoured" },
  }),
  respondToAnnotations: async (fresh) => ({
    path: `/assets/${(await fresh.annotated()).asset_id}/annotations/respond`,
    json: { n: 1, reply: "It is cut off on purpose" },
  }),
  removeMetadata: async (fresh) => ({
    ...{ path: `/assets/${await fresh.pending()}/remove-metadata`, method: "POST" },
  }),
  publishAsset: async (fresh) => ({ path: `/assets/${await fresh.approved()}/publish`, method: "POST" }),
  previewRemoval: async (fresh) => ({ path: `/assets/${await fresh.pending()}/removal` }),
  unpublishAsset: async (fresh) => ({
    path: `/assets/${await fresh.published()}/unpublish`,
    json: { reason: "The map is wrong" },
  }),
  deleteAssetFiles: async (fresh) => ({
    path: `/assets/${await fresh.pending()}/delete-files`,
    json: { reason: "The map is wrong" },
  }),
  listRemovals: () => ({ path: "/removals" }),
  planRemoval: async (fresh) => ({
    path: `/removals/plan?kind=decision&subject=${await fresh.rejection()}`,
  }),
  exportRemoval: async (fresh) => ({
    path: `/removals/rows?kind=decision&subject=${await fresh.rejection()}`,
  }),
  takeBack: async (fresh) => ({
    path: "/removals",
    json: { kind: "decision", subject: String(await fresh.rejection()), reason: "It names a customer" },
  }),
  createShare: async (fresh) => ({
    path: `/assets/${await fresh.pending()}/shares`,
    json: { recipient: "Ana" },
  }),
  createProjectShare: () => ({ path: "/projects/atlas/shares", json: { recipient: "Ana" } }),
  listShares: () => ({ path: "/shares" }),
  getShare: async (fresh) => ({ path: `/shares/${await fresh.share()}` }),
  updateShare: async (fresh) => ({ path: `/shares/${await fresh.share()}`, json: { recipient: "Bo" } }),
  renewShare: async (fresh) => ({ path: `/shares/${await fresh.share()}/renew`, json: {} }),
  revokeShare: async (fresh) => ({ path: `/shares/${await fresh.share()}/revoke`, method: "POST" }),
  getShareLog: async (fresh) => ({ path: `/shares/${await fresh.share()}/log` }),
  createWebhook: () => ({ path: "/webhooks", json: { url: "https://192.31.7.1/in" } }),
  previewOffboarding: async (fresh) => ({ path: `/offboarding/${await fresh.token()}` }),
  offboard: async (fresh) => ({ path: `/offboarding/${await fresh.token()}`, method: "POST" }),
  listWebhooks: () => ({ path: "/webhooks" }),
  getWebhook: (fresh) => toWebhook(fresh),
  removeWebhook: async (fresh) => ({ ...(await toWebhook(fresh)), method: "DELETE" }),
  testWebhook: (fresh) => toWebhook(fresh, "/test"),
  pauseWebhook: (fresh) => toWebhook(fresh, "/pause"),
  resumeWebhook: (fresh) => toWebhook(fresh, "/resume"),
  rotateWebhookSecret: (fresh) => toWebhook(fresh, "/rotate"),
  replayWebhook: async (fresh) => ({ ...(await toWebhook(fresh, "/replay")), json: { from: 1 } }),
  listWebhookDeliveries: async (fresh) => ({ path: `${(await toWebhook(fresh)).path}/deliveries` }),
};

export const toolArguments: Record<
  string,
  (fresh: Fresh) => Promise<Record<string, unknown>> | Record<string, unknown>
> = {
  svc_get_info: () => ({}),
  svc_get_methodology: () => ({}),
  svc_get_feed: () => ({ limit: 1 }),
  svc_get_project: () => ({ slug: "atlas" }),
  svc_report_run: () => ({
    ...{ action: "start", project: "atlas", run: crypto.randomUUID(), summary: "Draw the coast" },
  }),
  svc_recall: () => ({ query: "maps" }),
  svc_brief: () => ({ project: "atlas", intent: "draw maps" }),
  svc_guidance: () => ({ model: "model-1" }),
  svc_feed: () => ({}),
  svc_project: () => ({ slug: "atlas" }),
  svc_claim: () => ({ project: "atlas", subjects: ["#12"], force: true }),
  svc_budgets: () => ({ project: "atlas" }),
  svc_decide: () => ({ project: "atlas", text: `Use globes ${crypto.randomUUID()}` }),
  svc_retire_decision: async (fresh) => ({ id: await fresh.decision() }),
  svc_prefer: () => ({ key: `quotes-${crypto.randomUUID()}`, value: "double" }),
  svc_runs: () => ({}),
  svc_run: async (fresh) => ({ id: await fresh.run() }),
  svc_asset_list: () => ({}),
  svc_asset_get: async (fresh) => ({ id: await fresh.pending() }),
  svc_request_review: async (fresh) => ({ id: await fresh.pending() }),
  svc_wait_for_review: async (fresh) => ({ ids: [await fresh.pending()], timeout_s: 0 }),
  svc_asset_annotate: async (fresh) => ({
    id: (await fresh.annotated()).asset_id,
    n: 1,
    reply: "On purpose",
  }),
  svc_asset_request_upload: () => ({ project: "atlas", filename: "note.txt" }),
  svc_asset_finalize: async (fresh) => {
    const { id, finalize_body } = await fresh.reserved();
    return { id, ...finalize_body };
  },
};

export const pageScopes: Record<PageName, Needed> = {
  ...{
    today: "feed:read",
    inbox: "public",
    feed: "feed:read",
    feedRows: "feed:read",
    projects: "feed:read",
    project: "feed:read",
    reviewSettings: "assets:read",
    run: "feed:read",
    tasks: "feed:read",
    runs: "feed:read",
    issue: "feed:read",
    pull: "feed:read",
    task: "feed:read",
    usageCsv: "feed:read",
    usage: "feed:read",
    countedEvents: "feed:read",
    usageReportCsv: "feed:read",
    rejectedUsageCsv: "feed:read",
  },
  ...{
    assets: "assets:read",
    asset: "assets:read",
    bulkReview: "assets:read",
    preview: "assets:read",
    model: "assets:read",
    removal: "assets:review",
    picture: "assets:read",
    variantSet: "assets:read",
    shares: "assets:review",
    share: "assets:review",
    views: "any token",
    more: "public",
    methodology: "public",
    settings: "public",
    ...{ projectsSettings: "every scope", projectSettings: "every scope" },
    ...{ tokens: "every scope", token: "every scope", audit: "every scope", deployment: "every scope" },
    webhooks: "webhooks:write",
    email: "webhooks:write",
    webhook: "webhooks:write",
    offboard: "every scope",
    takeBack: "every scope",
    docs: "public",
    search: "public",
    searchResults: "public",
    design: "public",
    signIn: "public",
    ...{ beginSignIn: "public", finishSignIn: "public", providerSignOut: "public" },
    emailConfirm: "public",
    emailUnsubscribe: "public",
  },
  ...{ memory: "memory:read", decision: "memory:read" },
  ...{ welcome: "every scope", checklist: "every scope", rejectionCard: "assets:read" },
};

/** `signIn` takes a token and `renewSignInLink` an expired session; `signOut` is open to every caller. */
export const formScopes: Record<
  Exclude<ActionName, "signIn" | "renewSignInLink" | "signOut">,
  { needs: Needed; fields: Record<string, string> }
> = {
  markAsRead: { needs: "feed:read", fields: { until: "2026-01-02T03:04:05Z" } },
  markInboxDone: { needs: "feed:read", fields: { item: "run-7" } },
  snoozeInbox: { needs: "feed:read", fields: { snooze: "hour run-7" } },
  review: { needs: "assets:review", fields: { decision: "approved" } },
  bulkReview: { needs: "assets:review", fields: { decision: "approved" } },
  reviewVariantSet: { needs: "assets:review", fields: { rest: "keep" } },
  requestReview: { needs: "assets:write", fields: { reviewers: "", due: "4", question: "" } },
  annotate: { needs: "assets:review", fields: { do: "add", body: "Too dark", weight: "must" } },
  publish: { needs: "assets:write", fields: {} },
  unpublish: { needs: "assets:review", fields: { reason: "The map is wrong" } },
  deleteFiles: { needs: "every scope", fields: { reason: "The map is wrong" } },
  createProjectShare: { needs: "assets:review", fields: { recipient: "Ana" } },
  createShare: { needs: "assets:review", fields: { recipient: "Ana" } },
  updateShare: { needs: "assets:review", fields: { recipient: "Bo" } },
  renewShare: { needs: "every scope", fields: {} },
  revokeShare: { needs: "assets:review", fields: {} },
  setReviewPolicy: { needs: "reviews:write", fields: { need: "design=1" } },
  setRepeatPolicy: { needs: "reviews:write", fields: { repeats: "accept" } },
  setChecklist: { needs: "reviews:write", fields: { items: "Sharp" } },
  removeMetadata: { needs: "assets:write", fields: {} },
  setPreference: { needs: "memory:write", fields: { key: "quotes", value: "double" } },
  recordDecision: { needs: "memory:write", fields: { project: "atlas", text: "Maps are SVG files" } },
  supersedeDecision: { needs: "memory:write", fields: { project: "atlas", text: "Maps are PNG files" } },
  retireDecision: { needs: "memory:write", fields: {} },
  rewordDecision: { needs: "assets:review", fields: { text: "Lighter" } },
  saveCheck: { needs: "assets:review", fields: { checks: "[]" } },
  setAnchors: { needs: "assets:review", fields: { files: "src/price.ts" } },
  confirmDecision: { needs: "assets:review", fields: {} },
  dropDecision: { needs: "assets:review", fields: {} },
  saveView: { needs: "any token", fields: { of: "/feed?kind=run.failed", name: "Failures" } },
  removeView: { needs: "any token", fields: { of: "/feed", name: "Failures" } },
  setBudget: { needs: "budgets:write", fields: { period: "day", amount: "7" } },
  removeBudget: { needs: "budgets:write", fields: {} },
  takeBack: { needs: "every scope", fields: { kind: "event", subject: "1", reason: "A secret" } },
  setTheme: { needs: "public", fields: { theme: "dark" } },
  endSession: { needs: "any token", fields: {} },
  endOtherSessions: { needs: "any token", fields: {} },
  addOwnDigest: { needs: "any token", fields: { address: "a@example.com", period: "daily", hour: "7" } },
  sendOwnDigest: { needs: "any token", fields: {} },
  removeOwnDigest: { needs: "any token", fields: {} },
  addDigest: { needs: "webhooks:write", fields: { address: "a@example.com", period: "daily", hour: "7" } },
  sendDigest: { needs: "webhooks:write", fields: {} },
  removeDigest: { needs: "webhooks:write", fields: {} },
  sendTestMail: { needs: "every scope", fields: { address: "a@example.com" } },
  linkProject: { needs: "every scope", fields: { slug: "atlas", repo: "acme/atlas", forge: "github" } },
  changeProject: { needs: "every scope", fields: { repo: "acme/atlas", forge: "github" } },
  revokeToken: { needs: "every scope", fields: {} },
  setTokenOwner: { needs: "every scope", fields: {} },
  setReviewRole: { needs: "every scope", fields: {} },
  revokeSignInLinks: { needs: "every scope", fields: {} },
  createSignInLink: { needs: "every scope", fields: {} },
  addWebhook: { needs: "webhooks:write", fields: { url: "https://192.31.7.1/in", format: "json" } },
  rotateWebhook: { needs: "webhooks:write", fields: {} },
  removeWebhook: { needs: "webhooks:write", fields: {} },
  offboard: { needs: "every scope", fields: {} },
  testWebhook: { needs: "webhooks:write", fields: {} },
  pauseWebhook: { needs: "webhooks:write", fields: {} },
  resumeWebhook: { needs: "webhooks:write", fields: {} },
  replayWebhook: { needs: "webhooks:write", fields: { from: "1" } },
};

const site = "http://svc.test";
/** The links of mails that the test app signs. */
const linkContext = { config: readConfig({ SVC_SITE_URL: site }), secret: "a signing secret" };

/** A path of a page or a form with its parameters: of a decision, or else of an asset. */
export async function pathFor(path: string, fresh: Fresh): Promise<string> {
  const purpose = emailLinks[path as keyof typeof emailLinks];
  if (purpose) return new URL(emailLink(linkContext, purpose, ulid())).href.slice(site.length);
  if (path.startsWith("/runs/")) return path.replace(":id", await fresh.run());
  if (/:(issue|pr)$/.test(path)) await fresh.run(); // which names both
  if (path.endsWith("/:task")) await fresh.keyedRun();
  if (path.startsWith("/usage/budgets/")) return path.replace(":id", String(await fresh.budget()));
  if (path.startsWith("/settings/sessions/")) return path.replace(":id", "0".repeat(16));
  if (path.startsWith("/settings/webhooks/")) return path.replace(":id", await fresh.webhook());
  if (/^\/settings\/(tokens|offboard)\//.test(path)) return path.replace(":name", await fresh.token());
  if (path.startsWith("/shares/")) return path.replace(":id", await fresh.share());
  if (path.endsWith("/reword")) return path.replace(":id", String(await fresh.rejection()));
  if (/\/(confirm|drop)$/.test(path)) return path.replace(":id", String(await fresh.proposal()));
  if (path.startsWith("/memory/")) return path.replace(":id", String(await fresh.decision()));
  const id = path.endsWith("/unpublish")
    ? await fresh.published()
    : path.endsWith("/publish")
      ? await fresh.approved()
      : await fresh.pending();
  return path
    .replace(":slug", "atlas")
    .replace(":kind", "pdf")
    .replace(":set", "posters")
    .replace(/:(issue|pr)$/, "7")
    .replace(/:task$/, "PROJ-7")
    .replace(":page", "api")
    .replace(":id", id);
}

/** Restricted routes that are not in the tables above. */
export const plainScopes: Record<string, Scope> = { "/metrics": "feed:read" };
