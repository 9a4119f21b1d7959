/**
 * The list of operations, in the order of the docs. HTTP, MCP, OpenAPI and the docs are generated from it.
 */

import { type DeprecationSchedule, isListed } from "../../core/deprecation.ts";
import { checkBudgets, listBudgets, removeBudget, setBudget } from "./activity/budgets.ts";
import { getFeed, postEvents, reportRun, streamEvents } from "./activity/feed.ts";
import { getInbox, markInboxDone, snoozeInbox } from "./activity/inbox.ts";
import { addRunBrief, getAssetRun, getRun, listRuns } from "./activity/runs.ts";
import { getToday, readToday } from "./activity/today.ts";
import { getRejectedUsage, getUsageReport } from "./activity/usage.ts";
import {
  finalizeAsset,
  getAsset,
  listAssets,
  publishAsset,
  removeMetadata,
  requestUpload,
  requestUploadByType,
  requestUploadParts,
  requestUploadTool,
  reviewAsset,
  uploadAsset,
  viewAsset,
} from "./assets.ts";
import { addEmailDigest, listEmailDigests, removeEmailDigest, sendEmailDigest } from "./email.ts";
import { getInfo, getMethodology } from "./info.ts";
import {
  decide,
  getAllDecisions,
  getDecision,
  getDecisions,
  getDecisionUses,
  retireDecision,
} from "./memory/decisions.ts";
import {
  brief,
  getDigests,
  getModels,
  getPreferences,
  guidance,
  prefer,
  readFeed,
  readProject,
  recall,
} from "./memory/memory.ts";
import { search } from "./memory/search.ts";
import type { HttpBinding, Operation, ToolBinding } from "./operation.ts";
import { getProject, getUsage, listProjects } from "./projects.ts";
import {
  annotateAsset,
  changeAnnotation,
  listAnnotations,
  respondToAnnotations,
} from "./review/annotations.ts";
import { getChecklist, listChecklists, setChecklist } from "./review/checklists.ts";
import { checkRepeat, getRepeatPolicy, setRepeatPolicy } from "./review/repeats.ts";
import { listReviewPolicies, setReviewPolicy } from "./review/review-policies.ts";
import {
  getReview,
  getSetReview,
  listReviewRequests,
  requestReview,
  reviewSet,
  waitForReview,
} from "./review/reviews.ts";
import { createShare, getShare, getShareLog, listShares, revokeShare, updateShare } from "./review/shares.ts";
import { createSignInLink, getToken } from "./token.ts";
import {
  createWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  pauseWebhook,
  removeWebhook,
  replayWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
} from "./webhooks.ts";

export const operations: readonly Operation[] = [
  getInfo,
  getMethodology,
  getToken,
  createSignInLink,
  search,
  getFeed,
  streamEvents,
  postEvents,
  reportRun,
  listRuns,
  getRun,
  addRunBrief,
  getAssetRun,
  getToday,
  readToday,
  getInbox,
  markInboxDone,
  snoozeInbox,
  listEmailDigests,
  addEmailDigest,
  sendEmailDigest,
  removeEmailDigest,
  listProjects,
  getProject,
  getUsage,
  getUsageReport,
  getRejectedUsage,
  listBudgets,
  checkBudgets,
  setBudget,
  removeBudget,
  recall,
  brief,
  guidance,
  readFeed,
  readProject,
  getDecisions,
  getAllDecisions,
  getDecision,
  getDecisionUses,
  decide,
  retireDecision,
  getPreferences,
  prefer,
  getDigests,
  getModels,
  listAssets,
  getAsset,
  viewAsset,
  uploadAsset,
  requestUpload,
  requestUploadParts,
  requestUploadByType,
  requestUploadTool,
  finalizeAsset,
  requestReview,
  listReviewRequests,
  getReview,
  getSetReview,
  waitForReview,
  reviewAsset,
  reviewSet,
  listAnnotations,
  annotateAsset,
  changeAnnotation,
  respondToAnnotations,
  checkRepeat,
  getRepeatPolicy,
  setRepeatPolicy,
  listReviewPolicies,
  setReviewPolicy,
  listChecklists,
  getChecklist,
  setChecklist,
  removeMetadata,
  publishAsset,
  createShare,
  listShares,
  getShare,
  updateShare,
  revokeShare,
  getShareLog,
  createWebhook,
  listWebhooks,
  getWebhook,
  removeWebhook,
  testWebhook,
  pauseWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  replayWebhook,
  listWebhookDeliveries,
];

/** Operations served over HTTP. */
export const httpOperations = operations.filter(
  (op): op is Operation & { http: HttpBinding } => op.http !== undefined,
);

/** Operations that are MCP tools. */
export const toolOperations = operations.filter(
  (op): op is Operation & { tool: ToolBinding } => op.tool !== undefined,
);

/** HTTP operations shown in OpenAPI and the docs: neither unlisted nor past their sunset. */
export const documentedOperations = (schedule: DeprecationSchedule) =>
  httpOperations.filter((op) => !op.http.unlisted && isListed(schedule, "operation", op.id));

/** Tools shown in `tools/list` and the docs: not past their sunset. */
export const documentedTools = (schedule: DeprecationSchedule) =>
  toolOperations.filter((op) => isListed(schedule, "tool", op.tool.name));
