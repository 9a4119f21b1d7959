/** The pages by name. */
import { linkParameter } from "../../core/auth/sign-in-link.ts";
import { drawnPage } from "../assets/drawn/drawn-page.tsx";
import { assetsPage } from "../assets/list.tsx";
import { bulkReviewPage } from "../bulk-review/bulk-review.tsx";
import { previewFragment } from "../bulk-review/preview.tsx";
import { chosenUrl } from "../desk/compare/pick.tsx";
import { deskPage } from "../desk/desk.tsx";
import { rejectionFragment } from "../desk/review/rejection-card.tsx";
import { docsPage } from "../docs/docs.tsx";
import { emailConfirmPage, emailUnsubscribePage } from "../email/link-pages.tsx";
import { feedPage, feedRows } from "../feed/feed.tsx";
import { viewsPage } from "../lists/saved-views.tsx";
import { decisionPage } from "../memory/decision.tsx";
import { memoryPage } from "../memory/memory.tsx";
import { methodologyPage } from "../methodology.tsx";
import { modelPage } from "../models/model-page.tsx";
import { morePage } from "../more.tsx";
import { projectPage } from "../projects/project.tsx";
import { projectsPage } from "../projects/projects.tsx";
import { removalPage } from "../removals/removal-page.tsx";
import { takeBackPage } from "../removals/take-back-page.tsx";
import type { PageName } from "../routes.ts";
import { runsPage } from "../runs/list.tsx";
import { runPage } from "../runs/run.tsx";
import { searchPage, searchResults } from "../search/search.tsx";
import { auditPage } from "../settings/audit-log.tsx";
import { deploymentPage } from "../settings/deployment.tsx";
import { emailPage } from "../settings/email.tsx";
import { offboardPage } from "../settings/offboard.tsx";
import { projectSettingsPage, projectsSettingsPage } from "../settings/projects.tsx";
import { tokenPage } from "../settings/token.tsx";
import { tokensPage } from "../settings/tokens.tsx";
import { webhookPage } from "../settings/webhook.tsx";
import { webhooksPage } from "../settings/webhooks.tsx";
import { settingsPage } from "../settings/you.tsx";
import { sharesPage } from "../shares/lists.tsx";
import { sharePage } from "../shares/share.tsx";
import { beginPage, finishPage, providerSignOutPage } from "../sign-in/provider.ts";
import { signInLinkPage, signInPage } from "../sign-in/sign-in-page.tsx";
import { tasksPage } from "../tasks/list.tsx";
import { taskPage } from "../tasks/task.tsx";
import { inboxPage, todayPage } from "../today/today.tsx";
import { countedEventsPage } from "../usage/counted-events.tsx";
import { rejectedUsageCsv, usageReportCsv } from "../usage/csv.ts";
import { usagePage } from "../usage/page.tsx";
import { usageCsv } from "../usage/usage.tsx";
import { variantSetPage } from "../variant-sets/set.tsx";
import { reviewSettingsPage } from "../verdicts/review-settings.tsx";
import type { View } from "../view.ts";
import { checklistFragment, welcomePage } from "../welcome/checklist.tsx";
import type { Result } from "./page-response.ts";
import { seeOther } from "./see-other.ts";

export const pageHandlers: Record<PageName, (view: View) => Result | Promise<Result>> = {
  today: todayPage,
  inbox: inboxPage,
  feed: feedPage,
  feedRows,
  projects: projectsPage,
  project: projectPage,
  reviewSettings: reviewSettingsPage,
  issue: taskPage,
  pull: taskPage,
  task: taskPage,
  variantSet: variantSetPage,
  usageCsv,
  usage: usagePage,
  countedEvents: countedEventsPage,
  usageReportCsv,
  rejectedUsageCsv,
  tasks: tasksPage,
  runs: runsPage,
  run: runPage,
  assets: assetsPage,
  picture: drawnPage,
  bulkReview: (view) => bulkReviewPage(view),
  preview: previewFragment,
  asset(view) {
    const chosen = chosenUrl(view);
    return chosen === null ? deskPage(view) : seeOther(chosen);
  },
  model: modelPage,
  removal: (view) => removalPage(view),
  takeBack: (view) => takeBackPage(view),
  shares: sharesPage,
  share: sharePage,
  memory: memoryPage,
  decision: decisionPage,
  views: (view) => viewsPage(view),
  more: morePage,
  methodology: methodologyPage,
  settings: (view) => settingsPage(view),
  projectsSettings: (view) => projectsSettingsPage(view),
  projectSettings: (view) => projectSettingsPage(view),
  tokens: (view) => tokensPage(view),
  token: (view) => tokenPage(view),
  offboard: (view) => offboardPage(view),
  webhooks: (view) => webhooksPage(view),
  webhook: (view) => webhookPage(view),
  email: (view) => emailPage(view),
  audit: auditPage,
  deployment: deploymentPage,
  search: searchPage,
  emailConfirm: emailConfirmPage,
  emailUnsubscribe: emailUnsubscribePage,
  searchResults,
  welcome: welcomePage,
  checklist: checklistFragment,
  rejectionCard: rejectionFragment,
  docs: docsPage,
  signIn(view) {
    const secret = view.url.searchParams.get(linkParameter);
    return secret === null ? signInPage(view, null) : signInLinkPage(view, secret);
  },
  beginSignIn: beginPage,
  finishSignIn: finishPage,
  providerSignOut: providerSignOutPage,
};
