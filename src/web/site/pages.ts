/** The pages by name: what each shows, and the query parameters that it has. */
import { linkParameter } from "../../core/auth/session/sign-in-link.ts";
import { listParameter, markParameter, partsParameter, showParameter } from "../annotations/list-pages.tsx";
import { drawnPage } from "../assets/drawn/drawn-page.tsx";
import { assetFilters } from "../assets/filters.tsx";
import { assetsPage } from "../assets/list.tsx";
import { bulkReviewPage } from "../bulk-review/bulk-review.tsx";
import { bulkParameters } from "../bulk-review/parameters.ts";
import { previewFragment } from "../bulk-review/preview.tsx";
import { chosenUrl, shownParameter, withParameter } from "../desk/compare/pick.tsx";
import { deskPage } from "../desk/desk.tsx";
import { rejectionFragment } from "../desk/review/rejection-card.tsx";
import { lineParameter } from "../desk/text/text-parts.ts";
import { docsPage } from "../docs/docs.tsx";
import { emailConfirmPage, emailUnsubscribePage } from "../email/link-pages.tsx";
import { feedPage, feedParameters, feedRows } from "../feed/feed.tsx";
import { viewParameters, viewsPage } from "../lists/saved-views.tsx";
import { decisionPage } from "../memory/decision.tsx";
import { memoryPage, memoryParameters } from "../memory/memory.tsx";
import { methodologyPage } from "../methodology.tsx";
import { modelPage } from "../models/model-page.tsx";
import { morePage } from "../more.tsx";
import { projectPage } from "../projects/project.tsx";
import { projectsPage } from "../projects/projects.tsx";
import { removalPage } from "../removals/removal-page.tsx";
import { takeBackPage, takeBackParameters } from "../removals/take-back-page.tsx";
import type { PageName } from "../routes.ts";
import { runListParameters, runsPage } from "../runs/list.tsx";
import { runPage } from "../runs/run.tsx";
import { searchPage, searchResults } from "../search/search.tsx";
import { auditPage, auditParameters } from "../settings/audit-log.tsx";
import { deploymentPage } from "../settings/deployment.tsx";
import { emailPage, emailParameters } from "../settings/email.tsx";
import { offboardPage, offboardParameters } from "../settings/offboard.tsx";
import { projectParameters, projectSettingsPage, projectsSettingsPage } from "../settings/projects.tsx";
import { tokenPage, tokenParameters } from "../settings/token.tsx";
import { tokenCommandParameters } from "../settings/token-command.tsx";
import { tokensPage } from "../settings/tokens.tsx";
import { webhookPage, webhookParameters } from "../settings/webhook.tsx";
import { webhooksPage } from "../settings/webhooks.tsx";
import { settingsPage, settingsParameters } from "../settings/you.tsx";
import { setParameter, shareListParameters, sharesPage } from "../shares/lists.tsx";
import { sharePage } from "../shares/share.tsx";
import { beginPage, finishPage, providerSignOutPage } from "../sign-in/provider.ts";
import { signInLinkPage, signInPage } from "../sign-in/sign-in-page.tsx";
import { taskListParameters, tasksPage } from "../tasks/list.tsx";
import { taskPage } from "../tasks/task.tsx";
import { inboxPage, todayPage, todayParameters } from "../today/today.tsx";
import { countedEventsPage, countedParameters } from "../usage/counted-events.tsx";
import { csvParameters, rejectedCsvParameters, rejectedUsageCsv, usageReportCsv } from "../usage/csv.ts";
import { usageParameters } from "../usage/filters.tsx";
import { usagePage } from "../usage/page.tsx";
import { usageCsv } from "../usage/usage.tsx";
import { variantSetParameters } from "../variant-sets/parameters.ts";
import { variantSetPage } from "../variant-sets/set.tsx";
import { reviewSettingsPage } from "../verdicts/review-settings.tsx";
import type { View } from "../view.ts";
import { checklistFragment, welcomePage } from "../welcome/checklist.tsx";
import type { Result } from "./page-response.ts";
import { seeOther } from "./see-other.ts";

interface PageRow {
  show(view: View): Result | Promise<Result>;
  /** A page names those of its URL that are none of these. */
  parameters: readonly string[];
}

const page = (show: PageRow["show"], ...parameters: string[]): PageRow => ({ show, parameters });

export const pages: Record<PageName, PageRow> = {
  today: page(todayPage, ...todayParameters),
  inbox: page(inboxPage, ...todayParameters),
  feed: page(feedPage, ...feedParameters),
  feedRows: page(feedRows, ...feedParameters),
  projects: page(projectsPage, "cursor"),
  project: page(projectPage, "by"),
  reviewSettings: page(reviewSettingsPage),
  issue: page(taskPage),
  pull: page(taskPage),
  task: page(taskPage),
  variantSet: page(variantSetPage, ...variantSetParameters),
  usageCsv: page(usageCsv, "since"),
  usage: page(usagePage, ...usageParameters),
  countedEvents: page(countedEventsPage, ...countedParameters),
  usageReportCsv: page(usageReportCsv, ...csvParameters),
  rejectedUsageCsv: page(rejectedUsageCsv, ...rejectedCsvParameters),
  tasks: page(tasksPage, ...taskListParameters),
  runs: page(runsPage, ...runListParameters),
  run: page(runPage, "project", "before"),
  assets: page(assetsPage, ...assetFilters, "as", "cursor", "reviewed"),
  picture: page(drawnPage),
  bulkReview: page(bulkReviewPage, ...bulkParameters),
  preview: page(previewFragment),
  asset: page(
    (view) => {
      const chosen = chosenUrl(view);
      return chosen === null ? deskPage(view) : seeOther(chosen);
    },
    ...assetFilters,
    withParameter,
    shownParameter,
    "mode",
    "reviewed",
    listParameter,
    markParameter,
    showParameter,
    partsParameter,
    lineParameter,
  ),
  model: page(modelPage),
  removal: page(removalPage),
  takeBack: page(takeBackPage, ...takeBackParameters),
  shares: page(sharesPage, ...shareListParameters, setParameter),
  share: page(sharePage, "cursor"),
  memory: page(memoryPage, ...memoryParameters),
  decision: page(decisionPage, "done", "cursor"),
  views: page(viewsPage, ...viewParameters),
  more: page(morePage),
  methodology: page(methodologyPage),
  settings: page(settingsPage, ...settingsParameters),
  projectsSettings: page(projectsSettingsPage, ...projectParameters),
  projectSettings: page(projectSettingsPage, ...projectParameters),
  tokens: page(tokensPage, ...tokenCommandParameters),
  token: page(tokenPage, ...tokenParameters),
  offboard: page(offboardPage, ...offboardParameters),
  webhooks: page(webhooksPage, "done"),
  webhook: page(webhookPage, ...webhookParameters),
  email: page(emailPage, ...emailParameters),
  audit: page(auditPage, ...auditParameters),
  deployment: page(deploymentPage),
  search: page(searchPage, "query", "jump"),
  emailConfirm: page(emailConfirmPage, "token"),
  emailUnsubscribe: page(emailUnsubscribePage, "token"),
  searchResults: page(searchResults, "query"),
  welcome: page(welcomePage),
  checklist: page(checklistFragment),
  rejectionCard: page(rejectionFragment),
  docs: page(docsPage),
  signIn: page(
    (view) => {
      const secret = view.url.searchParams.get(linkParameter);
      return secret === null ? signInPage(view, null) : signInLinkPage(view, secret);
    },
    "next",
    "left",
    linkParameter,
  ),
  beginSignIn: page(beginPage, "next"),
  finishSignIn: page(finishPage, "code", "state", "iss", "session_state", "error", "error_description"),
  providerSignOut: page(providerSignOutPage),
};
