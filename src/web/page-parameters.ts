/** The query parameters of each page. A page names those it does not know. */
import { linkParameter } from "../core/auth/sign-in-link.ts";
import { listParameter, markParameter, partsParameter, showParameter } from "./annotations/list-pages.tsx";
import { assetFilters } from "./assets/filters.tsx";
import { bulkParameters } from "./bulk-review/parameters.ts";
import { shownParameter, withParameter } from "./desk/compare/pick.tsx";
import { lineParameter } from "./desk/text/text-parts.ts";
import { feedParameters } from "./feed/feed.tsx";
import { viewParameters } from "./lists/saved-views.tsx";
import { memoryParameters } from "./memory/memory.tsx";
import { takeBackParameters } from "./removals/take-back-page.tsx";
import type { PageName } from "./routes.ts";
import { runListParameters } from "./runs/list.tsx";
import { auditParameters } from "./settings/audit-log.tsx";
import { emailParameters } from "./settings/email.tsx";
import { offboardParameters } from "./settings/offboard.tsx";
import { projectParameters } from "./settings/projects.tsx";
import { tokenParameters } from "./settings/token.tsx";
import { tokenCommandParameters } from "./settings/token-command.tsx";
import { webhookParameters } from "./settings/webhook.tsx";
import { settingsParameters } from "./settings/you.tsx";
import { setParameter, shareListParameters } from "./shares/lists.tsx";
import { taskListParameters } from "./tasks/list.tsx";
import { todayParameters } from "./today/today.tsx";
import { countedParameters } from "./usage/counted-events.tsx";
import { csvParameters, rejectedCsvParameters } from "./usage/csv.ts";
import { usageParameters } from "./usage/filters.tsx";
import { variantSetParameters } from "./variant-sets/parameters.ts";

const parameters: Record<PageName, readonly string[]> = {
  today: todayParameters,
  inbox: todayParameters,
  feed: feedParameters,
  feedRows: feedParameters,
  projects: ["cursor"],
  reviewSettings: [],
  project: ["by"],
  issue: [],
  pull: [],
  task: [],
  variantSet: variantSetParameters,
  usageCsv: ["since"],
  usage: usageParameters,
  countedEvents: countedParameters,
  usageReportCsv: csvParameters,
  rejectedUsageCsv: rejectedCsvParameters,
  tasks: taskListParameters,
  runs: runListParameters,
  run: ["project", "before"],
  assets: [...assetFilters, "as", "cursor", "reviewed"],
  bulkReview: bulkParameters,
  preview: [],
  model: [],
  removal: [],
  picture: [],
  shares: [...shareListParameters, setParameter],
  share: ["cursor"],
  asset: [
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
  ],
  memory: memoryParameters,
  decision: ["done", "cursor"],
  views: viewParameters,
  more: [],
  methodology: [],
  settings: settingsParameters,
  projectsSettings: projectParameters,
  projectSettings: projectParameters,
  tokens: tokenCommandParameters,
  token: tokenParameters,
  webhooks: ["done"],
  email: emailParameters,
  audit: auditParameters,
  deployment: [],
  offboard: offboardParameters,
  takeBack: takeBackParameters,
  webhook: webhookParameters,
  search: ["query", "jump"],
  searchResults: ["query"],
  checklist: [],
  rejectionCard: [],
  welcome: [],
  docs: [],
  emailConfirm: ["token"],
  emailUnsubscribe: ["token"],
  signIn: ["next", "left", linkParameter],
  beginSignIn: ["next"],
  finishSignIn: ["code", "state", "iss", "session_state", "error", "error_description"],
  providerSignOut: [],
};

/** Returns the names of the parameters that the page does not know. */
export const unknownParameters = (name: PageName, { searchParams }: URL): string[] =>
  [...new Set(searchParams.keys())].filter((parameter) => !parameters[name].includes(parameter));
