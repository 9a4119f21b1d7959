/** @jsxImportSource preact */
/** The pages by name, the form handlers, the error page, and the response headers of all of them. */

import type { Asset } from "../assets/schema.ts";
import { actionOf } from "../audit/action.ts";
import type { Caller } from "../auth/caller.ts";
import { signIn, signOut } from "../auth/session.ts";
import { linkParameter, signInWithLink } from "../auth/sign-in-link.ts";
import type { LinkPurpose } from "../email/links.ts";
import { countInbox } from "../inbox/inbox.ts";
import { paths } from "../info.ts";
import { prefersType } from "../lib/http/accept.ts";
import { gzipFor } from "../lib/http/compression.ts";
import type { FormPart } from "../lib/http/file-form.ts";
import { uploadAsset } from "../operations/assets.ts";
import { Problem } from "../problem.ts";
import { submitAnnotation } from "./annotations/submit-annotation.ts";
import { assetsPage } from "./assets/list.tsx";
import { contentSecurityPolicy } from "./content-security-policy.ts";
import { deskPage } from "./desk/desk.tsx";
import { submitMetadataRemoval } from "./desk/provenance.tsx";
import { submitPublish } from "./desk/review/review-panel.tsx";
import { submitReview } from "./desk/review/submit-review.ts";
import { submitReviewRequest } from "./desk/review/submit-review-request.ts";
import { docsPage } from "./docs/docs.tsx";
import { emailConfirmPage, emailUnsubscribePage, submitEmailLink } from "./email/link-pages.tsx";
import { problemPage } from "./error-page.tsx";
import { feedPage, feedRows } from "./feed/feed.tsx";
import { inboxPage, submitDone, submitSnooze } from "./inbox/inbox.tsx";
import { hasScope, renderPage } from "./layout.tsx";
import { decisionPage } from "./memory/decision.tsx";
import { memoryPage } from "./memory/memory.tsx";
import { submitDecision, submitRetirement } from "./memory/submit-decision.ts";
import { methodologyPage } from "./methodology.tsx";
import { unknownParameters } from "./page-parameters.ts";
import { projectPage } from "./projects/project.tsx";
import { projectsPage } from "./projects/projects.tsx";
import type { ActionName, PageName } from "./routes.ts";
import { runPage } from "./runs/run.tsx";
import { searchPage, searchResults } from "./search/search.tsx";
import { settingsPage } from "./settings/settings.tsx";
import { submitPause, submitReplay, submitResume, submitTest } from "./settings/submit-webhook.ts";
import { webhookPage } from "./settings/webhook.tsx";
import { sharesPage } from "./shares/list.tsx";
import { sharePage } from "./shares/share.tsx";
import { submitNewShare, submitShareRevocation, submitShareUpdate } from "./shares/submit.tsx";
import { invalidLink, localPath, signInLinkPage, signInPage } from "./sign-in.tsx";
import { staticFileResponse } from "./static-files.ts";
import { designPage } from "./style-guide.tsx";
import { taskPage } from "./tasks/task.tsx";
import { submitRead, todayPage } from "./today/today.tsx";
import { rejectedUsageCsv, usageReportCsv } from "./usage/csv.ts";
import { usagePage } from "./usage/page.tsx";
import { submitBudget, submitBudgetRemoval } from "./usage/submit-budget.ts";
import { usageCsv } from "./usage/usage.tsx";
import { reviewSettingsPage } from "./verdicts/review-settings.tsx";
import { submitChecklist, submitPolicy } from "./verdicts/submit-settings.ts";
import { callOperationWithParts, type Markup, type Page, type View } from "./view.ts";
import { checklistFragment, welcomePage } from "./welcome/checklist.tsx";

/** A page, an HTML fragment, or a complete response such as a CSV download. */
type Result = Page | string | Response;

const pages: Record<PageName, (view: View) => Result | Promise<Result>> = {
  today: todayPage,
  inbox: inboxPage,
  feed: feedPage,
  feedRows,
  projects: projectsPage,
  project: projectPage,
  reviewSettings: (view) => reviewSettingsPage(view),
  issue: taskPage,
  pull: taskPage,
  usageCsv,
  usage: (view) => usagePage(view),
  usageReportCsv,
  rejectedUsageCsv,
  run: runPage,
  assets: assetsPage,
  asset: (view) => deskPage(view),
  shares: sharesPage,
  share: (view) => sharePage(view),
  memory: (view) => memoryPage(view),
  decision: (view) => decisionPage(view),
  methodology: methodologyPage,
  settings: settingsPage,
  webhook: (view) => webhookPage(view),
  search: searchPage,
  emailConfirm: emailConfirmPage,
  emailUnsubscribe: emailUnsubscribePage,
  searchResults,
  welcome: welcomePage,
  checklist: checklistFragment,
  docs: docsPage,
  design: designPage,
  signIn(view) {
    const secret = view.url.searchParams.get(linkParameter);
    return secret === null ? signInPage(view, null) : signInLinkPage(view, secret);
  },
};

const invalidToken = "This token is not valid. It may have been revoked or have expired.";

type Admit = (isValid: boolean) => Promise<void>;

const actions: Record<
  ActionName,
  (view: View, form: Map<string, string>, admit: Admit) => Promise<Page | Response>
> = {
  async signIn(view, form, admit) {
    const { ctx, visitor } = view;
    const options = { before: visitor.caller.session, admit };
    const secret = form.get(linkParameter);
    const signed =
      secret === undefined
        ? await signIn(ctx, form.get("token")?.trim() ?? "", options)
        : await signInWithLink(ctx, secret, options);
    if (!signed) {
      const why = secret === undefined ? invalidToken : invalidLink;
      ctx.audit.recordRefusal(actionOf(visitor.caller, "signIn"), new Problem(401, why));
      return signInPage(view, why, 401);
    }
    // A link is audited in the transaction that uses it.
    if (secret === undefined) ctx.audit.recordAction(sessionAction(signed.caller, "signIn"));
    return seeOther(localPath(view.url.searchParams.get("next")), { "set-cookie": signed.cookie });
  },
  markAsRead: async (view, form) => seeOther(await submitRead(view, form)),
  markInboxDone: async (view, form) => seeOther(await submitDone(view, form)),
  snoozeInbox: async (view, form) => seeOther(await submitSnooze(view, form)),
  review: async (view, form) => pageOrRedirect(await submitReview(view, form)),
  annotate: async (view, form) => pageOrRedirect(await submitAnnotation(view, form)),
  requestReview: async (view, form) => pageOrRedirect(await submitReviewRequest(view, form)),
  recordDecision: async (view, form) => pageOrRedirect(await submitDecision(view, form)),
  supersedeDecision: async (view, form) => pageOrRedirect(await submitDecision(view, form)),
  retireDecision: async (view) => pageOrRedirect(await submitRetirement(view)),
  setBudget: async (view, form) => pageOrRedirect(await submitBudget(view, form)),
  removeBudget: async (view) => seeOther(await submitBudgetRemoval(view)),
  setReviewPolicy: async (view, form) => pageOrRedirect(await submitPolicy(view, form)),
  setChecklist: async (view, form) => pageOrRedirect(await submitChecklist(view, form)),
  publish: async (view) => seeOther(await submitPublish(view)),
  createShare: submitNewShare,
  updateShare: async (view, form) => pageOrRedirect(await submitShareUpdate(view, form)),
  revokeShare: async (view) => seeOther(await submitShareRevocation(view)),
  removeMetadata: async (view) => seeOther(await submitMetadataRemoval(view)),
  testWebhook: async (view) => seeOther(await submitTest(view)),
  pauseWebhook: async (view) => seeOther(await submitPause(view)),
  resumeWebhook: async (view) => seeOther(await submitResume(view)),
  replayWebhook: async (view, form) => pageOrRedirect(await submitReplay(view, form)),
  async signOut({ ctx, visitor }) {
    if (visitor.signedIn) ctx.audit.recordAction(sessionAction(visitor.caller, "signOut"));
    return seeOther("/", { "set-cookie": await signOut(ctx, visitor.caller) });
  },
};

/** The audit action of a signed-in session; its client address is left out. */
const sessionAction = (caller: Caller, what: string) =>
  actionOf({ ...caller, source: { via: "session" } }, what);

const seeOther = (location: string, headers: Record<string, string> = {}) =>
  new Response(null, { status: 303, headers: { ...headers, location, "cache-control": "no-store" } });

/** @param result the URL to redirect to, or a page that shows the form again */
const pageOrRedirect = (result: string | Page): Page | Response =>
  typeof result === "string" ? seeOther(result) : result;

export const showPage = (name: PageName, view: View, request: Request) =>
  respond(view, request, async () => {
    const result = await pages[name](view);
    if (typeof result === "string" || result instanceof Response) return result;
    const inboxCount = await countForNavigation(view);
    return { inboxCount, ...result, unknownParameters: unknownParameters(name, view.url) };
  });

/** How many items are in the inbox of a visitor who is signed in, and may read the feed. */
const countForNavigation = async (view: View): Promise<number> =>
  view.visitor.signedIn && hasScope(view, "feed:read") ? countInbox(view.ctx, view.visitor.caller) : 0;

export const submitForm = (
  name: ActionName,
  view: View,
  request: Request,
  form: Map<string, string>,
  admit: Admit,
) => respond(view, request, () => actions[name](view, form, admit));

/** A button of a page behind a link in a mail, or a mail client that unsubscribes. */
export const submitLink = (view: View, request: Request, purpose: LinkPurpose) =>
  respond(view, request, () => submitEmailLink(view, purpose));

/** Uploads a file, then redirects to the review page of the new asset. */
export const submitFile = (view: View, request: Request, parts: AsyncIterable<FormPart>) =>
  respond(view, request, async () =>
    seeOther(`/assets/${(await callOperationWithParts<Asset>(view, uploadAsset, parts)).id}`),
  );

export { staticFileResponse };

async function respond(
  view: View,
  request: Request,
  work: () => Result | Promise<Result>,
): Promise<Response> {
  try {
    const result = await work();
    if (result instanceof Response) return result;
    return typeof result === "string" ? html(view, request, result) : pageResponse(view, request, result);
  } catch (error) {
    return errorPage(view, request, error);
  }
}

/** Renders a problem as an error page. Any other error is thrown again. */
export function errorPage(view: View, request: Request, error: unknown): Response {
  if (!(error instanceof Problem)) throw error;
  const response = pageResponse(view, request, problemPage(view, error));
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value);
  return response;
}

function pageResponse(view: View, request: Request, page: Page): Response {
  const plain =
    page.markdown !== undefined && prefersType(request.headers.get("accept"), "text/markdown", "text/html");
  const response = plain
    ? new Response(page.markdown?.text, {
        headers: { "content-type": "text/markdown; charset=utf-8", "x-content-type-options": "nosniff" },
      })
    : html(view, request, renderPage(view, page), page);
  if (page.markdown) {
    response.headers.append("vary", "Accept");
    response.headers.append("link", `<${page.markdown.path}>; rel="alternate"; type="text/markdown"`);
  }
  return response;
}

/** The Link header of the home page (RFC 8288): where clients find the API, the docs, and the catalogs. */
const discoveryLinks = [
  [paths.apiCatalog, "api-catalog", "application/linkset+json"],
  [paths.openapi, "service-desc", "application/json"],
  [paths.docs, "service-doc", "text/html"],
  [paths.llms, "describedby", "text/plain"],
  [paths.aiCatalog, "ai-catalog", "application/ai-catalog+json"],
]
  .map(([path, relation, type]) => `<${path}>; rel="${relation}"; type="${type}"`)
  .join(", ");

function html(
  view: View,
  request: Request,
  text: string | Markup,
  { status = 200, connectOrigins = [], cookie }: Partial<Page> = {},
): Response {
  const { body, encoding } = text.length > 1024 ? gzipFor(request, text) : { body: text, encoding: {} };
  return new Response(body, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(view.ctx.config, connectOrigins),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      vary: "Accept-Encoding, Cookie",
      ...(view.url.pathname === "/" && { link: discoveryLinks }),
      ...(cookie && { "set-cookie": cookie }),
      ...encoding,
    },
  });
}
