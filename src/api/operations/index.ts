/**
 * The list of operations, in the order of the docs. HTTP, MCP, OpenAPI and the docs are generated from it.
 */

import { endOtherSessions, endSession, listSessions } from "../../core/auth/session-operations.ts";
import { type DeprecationSchedule, isListed } from "../../core/deprecation.ts";
import type { HttpBinding, Operation, ToolBinding } from "../../core/operation.ts";
import {
  createSignInLink,
  getInfo,
  getMethodology,
  getToken,
  listAudit,
  revokeSignInLinks,
} from "../../core/operations.ts";
import { listPeople, removePerson, setPerson, setUnmappedPolicy } from "../../core/people/operations.ts";
import { checkBudgets, listBudgets, removeBudget, setBudget } from "../../feed/operations/budgets.ts";
import { claimWork, listClaims } from "../../feed/operations/claims.ts";
import {
  getFeed,
  listRuns,
  postEvents,
  readFeed,
  reportRun,
  streamEvents,
} from "../../feed/operations/feed.ts";
import { getUsage, getUsageReport, linkProject, listProjects } from "../../feed/operations/projects.ts";
import {
  getTokenActivity,
  listTokens,
  revokeToken,
  setTokenOwner,
  setTokenReviewRole,
} from "../../feed/operations/tokens.ts";
import { backfillRuns } from "../../integrations/operations/backfill.ts";
import {
  addEmailDigest,
  listEmailDigests,
  removeEmailDigest,
  sendEmailDigest,
  sendTestMail,
} from "../../integrations/operations/email.ts";
import { offboard, previewOffboarding } from "../../integrations/operations/offboarding.ts";
import { createProjectShare, createShare } from "../../integrations/operations/share-links.ts";
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
} from "../../integrations/operations/webhooks.ts";
import {
  annotateAsset,
  changeAnnotation,
  listAnnotations,
  respondToAnnotations,
} from "../../library/operations/annotations.ts";
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
} from "../../library/operations/assets.ts";
import { getChecklist, listChecklists, setChecklist } from "../../library/operations/checklists.ts";
import {
  deleteAssetFiles,
  exportRemoval,
  listRemovals,
  planRemoval,
  previewRemoval,
  takeBack,
  unpublishAsset,
} from "../../library/operations/removals.ts";
import { checkRepeat, getRepeatPolicy, setRepeatPolicy } from "../../library/operations/repeats.ts";
import { listReviewPolicies, setReviewPolicy } from "../../library/operations/review-policies.ts";
import {
  getReview,
  getSetReview,
  listReviewRequests,
  requestReview,
  reviewSet,
  waitForReview,
} from "../../library/operations/reviews.ts";
import {
  getShare,
  getShareLog,
  listShares,
  renewShare,
  revokeShare,
  updateShare,
} from "../../library/operations/shares.ts";
import { addGuidance, consolidate, onboardModel } from "../../memory/admin-operations.ts";
import {
  confirmDecision,
  decide,
  dropDecision,
  getAllDecisions,
  getDecisions,
  getDigests,
  getModels,
  getPreferences,
  getProjectChecks,
  guidance,
  prefer,
  reportAnchors,
  reportStop,
  retireDecision,
  rewordDecision,
  setDecisionAnchors,
  setDecisionChecks,
} from "../../memory/operations.ts";
import {
  getInbox,
  getToday,
  markInboxDone,
  readToday,
  snoozeInbox,
} from "../../overview/operations/inbox.ts";
import { brief, getDecision, getDecisionUses, recall, search } from "../../overview/operations/memory.ts";
import { getProject, readProject } from "../../overview/operations/projects.ts";
import {
  addRunBrief,
  getAssetRun,
  getRejectedUsage,
  getRun,
  getTaskBoard,
  listTasks,
} from "../../overview/operations/runs.ts";
import { listChecks } from "../doctor/operations.ts";

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
  backfillRuns,
  listRuns,
  getRun,
  addRunBrief,
  getAssetRun,
  listTasks,
  getTaskBoard,
  listClaims,
  claimWork,
  getToday,
  readToday,
  getInbox,
  markInboxDone,
  snoozeInbox,
  listEmailDigests,
  addEmailDigest,
  sendEmailDigest,
  removeEmailDigest,
  sendTestMail,
  listProjects,
  linkProject,
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
  rewordDecision,
  confirmDecision,
  dropDecision,
  setDecisionChecks,
  getProjectChecks,
  reportAnchors,
  reportStop,
  setDecisionAnchors,
  getPreferences,
  prefer,
  getDigests,
  getModels,
  onboardModel,
  addGuidance,
  consolidate,
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
  previewRemoval,
  unpublishAsset,
  deleteAssetFiles,
  exportRemoval,
  listRemovals,
  planRemoval,
  takeBack,
  createShare,
  createProjectShare,
  listShares,
  getShare,
  updateShare,
  renewShare,
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
  listPeople,
  setPerson,
  removePerson,
  previewOffboarding,
  offboard,
  setUnmappedPolicy,
  listSessions,
  endSession,
  endOtherSessions,
  listTokens,
  getTokenActivity,
  setTokenOwner,
  setTokenReviewRole,
  revokeToken,
  revokeSignInLinks,
  listAudit,
  listChecks,
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
