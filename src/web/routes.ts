/** The routes of the pages. They are apart from the renderer, which is large and loaded on first use. */

export const pageNames = {
  "/": "today",
  "/inbox": "inbox",
  "/feed": "feed",
  "/web/feed-rows": "feedRows",
  "/projects": "projects",
  "/projects/:slug": "project",
  "/projects/:slug/review": "reviewSettings",
  "/projects/:slug/issues/:issue": "issue",
  "/projects/:slug/pulls/:pr": "pull",
  "/projects/:slug/sets/:set": "variantSet",
  "/projects/:slug/usage.csv": "usageCsv",
  "/tasks": "tasks",
  "/runs": "runs",
  "/runs/:id": "run",
  "/assets": "assets",
  "/assets/:id": "asset",
  "/assets/:id/model": "model",
  "/shares": "shares",
  "/shares/:id": "share",
  "/memory": "memory",
  "/memory/decisions/:id": "decision",
  "/usage": "usage",
  "/usage.csv": "usageReportCsv",
  "/usage/rejected.csv": "rejectedUsageCsv",
  "/more": "more",
  "/methodology": "methodology",
  "/docs": "docs",
  "/docs/:page": "docs",
  "/search": "search",
  "/web/search-results": "searchResults",
  "/settings": "settings",
  "/settings/webhooks/:id": "webhook",
  "/welcome": "welcome",
  "/web/checklist": "checklist",
  "/web/rejections/:id": "rejectionCard",
  "/sign-in": "signIn",
  "/email/confirm": "emailConfirm",
  "/email/unsubscribe": "emailUnsubscribe",
} as const;
export type PageName = (typeof pageNames)[keyof typeof pageNames];

/** The path that upload forms are posted to. */
export const uploadPath = "/assets/upload";

/** The paths of links in mails. A POST needs no session: the token in the URL is the permission. */
export const emailLinks = { "/email/confirm": "confirm", "/email/unsubscribe": "unsubscribe" } as const;

/** The paths that other forms are posted to. */
export const actionNames = {
  "/today/read": "markAsRead",
  "/inbox/done": "markInboxDone",
  "/inbox/snooze": "snoozeInbox",
  "/usage/budgets": "setBudget",
  "/usage/budgets/:id/remove": "removeBudget",
  "/sign-in": "signIn",
  "/sign-in/renew": "renewSignInLink",
  "/sign-out": "signOut",
  "/assets/:id/review": "review",
  "/projects/:slug/sets/:set/review": "reviewVariantSet",
  "/assets/:id/review-requests": "requestReview",
  "/assets/:id/annotations": "annotate",
  "/assets/:id/publish": "publish",
  "/assets/:id/shares": "createShare",
  "/shares/:id": "updateShare",
  "/shares/:id/revoke": "revokeShare",
  "/projects/:slug/review-policies/:kind": "setReviewPolicy",
  "/projects/:slug/checklists/:kind": "setChecklist",
  "/projects/:slug/repeat-policy": "setRepeatPolicy",
  "/assets/:id/remove-metadata": "removeMetadata",
  "/memory/decisions": "recordDecision",
  "/memory/decisions/:id/supersede": "supersedeDecision",
  "/memory/decisions/:id/retire": "retireDecision",
  "/settings/tokens/:name/sign-in-link": "createSignInLink",
  "/settings/webhooks/:id/test": "testWebhook",
  "/settings/webhooks/:id/pause": "pauseWebhook",
  "/settings/webhooks/:id/resume": "resumeWebhook",
  "/settings/webhooks/:id/replay": "replayWebhook",
} as const;
export type ActionName = (typeof actionNames)[keyof typeof actionNames];
