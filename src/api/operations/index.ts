/**
 * The list of operations, in the order of the docs. HTTP, MCP, OpenAPI and the docs are generated from it.
 */

import * as sessions from "../../core/auth/session/operations.ts";
import { type DeprecationSchedule, isListed } from "../../core/deprecation.ts";
import type { HttpBinding, Operation, ToolBinding } from "../../core/operation.ts";
import * as core from "../../core/operations.ts";
import * as people from "../../core/people/operations.ts";
import * as budgets from "../../feed/operations/budgets.ts";
import * as claims from "../../feed/operations/claims.ts";
import * as feed from "../../feed/operations/feed.ts";
import * as projects from "../../feed/operations/projects.ts";
import * as tokens from "../../feed/operations/tokens.ts";
import * as backfill from "../../integrations/operations/backfill.ts";
import * as email from "../../integrations/operations/email.ts";
import * as offboarding from "../../integrations/operations/offboarding.ts";
import * as shareLinks from "../../integrations/operations/share-links.ts";
import * as webhooks from "../../integrations/operations/webhooks.ts";
import * as annotations from "../../library/operations/annotations.ts";
import * as assets from "../../library/operations/assets.ts";
import * as checklists from "../../library/operations/checklists.ts";
import * as removals from "../../library/operations/removals.ts";
import * as repeats from "../../library/operations/repeats.ts";
import * as reviewPolicies from "../../library/operations/review-policies.ts";
import * as reviews from "../../library/operations/reviews.ts";
import * as shares from "../../library/operations/shares.ts";
import * as memoryAdmin from "../../memory/admin-operations.ts";
import * as memory from "../../memory/operations.ts";
import * as inbox from "../../overview/operations/inbox.ts";
import * as overviewMemory from "../../overview/operations/memory.ts";
import * as overviewProjects from "../../overview/operations/projects.ts";
import * as runs from "../../overview/operations/runs.ts";
import * as doctor from "../doctor/operations.ts";

export const operations: readonly Operation[] = [
  core.getInfo,
  core.getMethodology,
  core.getToken,
  core.createSignInLink,
  overviewMemory.search,
  feed.getFeed,
  feed.streamEvents,
  feed.postEvents,
  feed.reportRun,
  backfill.backfillRuns,
  feed.listRuns,
  runs.getRun,
  runs.addRunBrief,
  runs.getAssetRun,
  runs.listTasks,
  runs.getTaskBoard,
  claims.listClaims,
  claims.claimWork,
  inbox.getToday,
  inbox.readToday,
  inbox.getInbox,
  inbox.markInboxDone,
  inbox.snoozeInbox,
  email.listEmailDigests,
  email.addEmailDigest,
  email.sendEmailDigest,
  email.removeEmailDigest,
  email.sendTestMail,
  projects.listProjects,
  projects.linkProject,
  overviewProjects.getProject,
  projects.getUsage,
  projects.getUsageReport,
  runs.getRejectedUsage,
  budgets.listBudgets,
  budgets.checkBudgets,
  budgets.setBudget,
  budgets.removeBudget,
  overviewMemory.recall,
  overviewMemory.brief,
  memory.guidance,
  feed.readFeed,
  overviewProjects.readProject,
  memory.getDecisions,
  memory.getAllDecisions,
  overviewMemory.getDecision,
  overviewMemory.getDecisionUses,
  memory.decide,
  memory.retireDecision,
  memory.rewordDecision,
  memory.confirmDecision,
  memory.dropDecision,
  memory.setDecisionChecks,
  memory.getProjectChecks,
  memory.reportAnchors,
  memory.reportStop,
  memory.setDecisionAnchors,
  memory.getPreferences,
  memory.prefer,
  memory.getDigests,
  memory.getModels,
  memoryAdmin.onboardModel,
  memoryAdmin.addGuidance,
  memoryAdmin.consolidate,
  assets.listAssets,
  assets.getAsset,
  assets.viewAsset,
  assets.uploadAsset,
  assets.requestUpload,
  assets.requestUploadParts,
  assets.requestUploadByType,
  assets.requestUploadTool,
  assets.finalizeAsset,
  reviews.requestReview,
  reviews.listReviewRequests,
  reviews.getReview,
  reviews.getSetReview,
  reviews.waitForReview,
  assets.reviewAsset,
  reviews.reviewSet,
  annotations.listAnnotations,
  annotations.annotateAsset,
  annotations.changeAnnotation,
  annotations.respondToAnnotations,
  repeats.checkRepeat,
  repeats.getRepeatPolicy,
  repeats.setRepeatPolicy,
  reviewPolicies.listReviewPolicies,
  reviewPolicies.setReviewPolicy,
  checklists.listChecklists,
  checklists.getChecklist,
  checklists.setChecklist,
  assets.removeMetadata,
  assets.publishAsset,
  removals.previewRemoval,
  removals.unpublishAsset,
  removals.deleteAssetFiles,
  removals.exportRemoval,
  removals.listRemovals,
  removals.planRemoval,
  removals.takeBack,
  shareLinks.createShare,
  shareLinks.createProjectShare,
  shares.listShares,
  shares.getShare,
  shares.updateShare,
  shares.renewShare,
  shares.revokeShare,
  shares.getShareLog,
  webhooks.createWebhook,
  webhooks.listWebhooks,
  webhooks.getWebhook,
  webhooks.removeWebhook,
  webhooks.testWebhook,
  webhooks.pauseWebhook,
  webhooks.resumeWebhook,
  webhooks.rotateWebhookSecret,
  webhooks.replayWebhook,
  webhooks.listWebhookDeliveries,
  people.listPeople,
  people.setPerson,
  people.removePerson,
  offboarding.previewOffboarding,
  offboarding.offboard,
  people.setUnmappedPolicy,
  sessions.listSessions,
  sessions.endSession,
  sessions.endOtherSessions,
  tokens.listTokens,
  tokens.getTokenActivity,
  tokens.setTokenOwner,
  tokens.setTokenReviewRole,
  tokens.revokeToken,
  core.revokeSignInLinks,
  core.listAudit,
  doctor.listChecks,
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
