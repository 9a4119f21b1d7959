/** Where the pages are. Their renderer is large, so it is loaded when the first of them is asked for. */

export const pageNames = {
  "/": "feed",
  "/web/feed-rows": "feedRows",
  "/projects": "projects",
  "/projects/:slug": "project",
  "/projects/:slug/usage.csv": "usageCsv",
  "/assets": "assets",
  "/assets/:id": "asset",
  "/methodology": "methodology",
  "/docs": "docs",
  "/docs/:page": "docs",
  "/docs/design": "design",
  "/sign-in": "signIn",
} as const;
export type PageName = (typeof pageNames)[keyof typeof pageNames];

/** Where a form with a file goes. */
export const filePath = "/assets/upload";

/** What other forms send to. */
export const actionNames = {
  "/sign-in": "signIn",
  "/sign-out": "signOut",
  "/assets/:id/review": "review",
  "/assets/:id/publish": "publish",
} as const;
export type ActionName = (typeof actionNames)[keyof typeof actionNames];
