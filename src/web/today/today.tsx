/** The home page: one stack of what needs the visitor, then what happened since they last looked. */

import { authorize } from "../../core/auth/authorization.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import type { BudgetCheck } from "../../feed/budgets/schema.ts";
import { kindsWith } from "../../feed/kinds.ts";
import { checkBudgets } from "../../feed/operations/budgets.ts";
import { getFeed } from "../../feed/operations/feed.ts";
import type { FeedPage } from "../../feed/schema.ts";
import type { CompiledQuery } from "../../overview/inbox/inbox.ts";
import { inboxViews } from "../../overview/inbox/schema.ts";
import { getToday, readToday } from "../../overview/operations/inbox.ts";
import { loadSetup, type Setup } from "../../overview/projects/setup.ts";
import { loadStack, type Stack } from "../../overview/today/today.ts";
import { loadReviewed, ReviewedNotice } from "../assets/asset.tsx";
import { feedParameters } from "../feed/feed.tsx";
import { countText } from "../format.ts";
import { EmptyState, hasScope, LiveStatus, maySetUp } from "../layout.tsx";
import { callOperation, type Page, readFor, urlWith, type View } from "../view.ts";
import { Checklist, RemainingSteps } from "../welcome/checklist.tsx";
import { EndOfStack, Happened } from "./happened.tsx";
import { loadOpened } from "./load-opened.ts";
import { OpenedItem } from "./opened-item.tsx";
import { todayWithoutFeed } from "./reviews-only.tsx";
import { canMark, itemsMax, NeededItems, UndoNotice } from "./stack.tsx";

export const todayParameters = ["view", "item", "all", "marked", "until", "reviewed"];

type InboxView = (typeof inboxViews)[number];

export async function todayPage(view: View): Promise<Page | Response> {
  if (hasFeedParameter(view.url)) return redirectTo(`/feed${view.url.search}`);
  if (!hasScope(view, "feed:read")) return todayWithoutFeed(view);
  const named = inboxViews.find((one) => one === view.url.searchParams.get("view")) ?? "open";
  const [stack, newest, budgets, reviewed] = await Promise.all([
    loadVisitorsStack(view, { view: named, itemsMax: itemsMax(view.url) }),
    callOperation<FeedPage>(view, getFeed, { limit: 50 }),
    callOperation<BudgetCheck>(view, checkBudgets),
    loadReviewed(view),
  ]);
  const [setup, opened] = await Promise.all([
    loadSetupIfNew(view, newest),
    named === "open" ? loadOpened(view, stack.needs.items) : null,
  ]);
  const isEmpty = newest.events.length === 0 && stack.needs.items.length === 0;
  const { count } = stack.needs;
  const body = (
    <div id="today" data-newest={stack.until} data-kinds={kindsWith("inbox").join()}>
      <div class="head">
        <h1>Today</h1>
        {!isEmpty && canMark(view) && <Views view={view} stack={stack} shown={named} />}
        <LiveStatus />
        {!isEmpty && canMark(view) && <NotifyButton />}
      </div>
      {setup && !setup.hasReview && <Checklist view={view} setup={setup} />}
      {setup?.hasReview && <RemainingSteps view={view} setup={setup} />}
      <div id="today-notice">
        <UndoNotice view={view} />
        <ReviewedNotice reviewed={reviewed} />
      </div>
      {!isEmpty && (
        <div class="stack-columns">
          <div class="stack-list">
            <NeededItems view={view} inbox={stack.needs} total={stack.listed} shown={named} />
            {named === "open" && (
              <>
                <Happened stack={stack} now={view.ctx.now()} />
                <EndOfStack view={view} stack={stack} budgets={budgets} />
              </>
            )}
          </div>
          {named === "open" && <OpenedItem view={view} opened={opened} />}
        </div>
      )}
      {isEmpty && !setup && <NoEvents view={view} />}
      <div class="toast" id="toast" role="status" hidden />
    </div>
  );
  return {
    title: "Today",
    navEntry: "today",
    body,
    attention: count,
    inboxCount: count,
    firstScript: "unsent-reviews.js",
    islands: ["today-stack.js", "copy.js"],
  };
}

async function loadVisitorsStack(view: View, query: Omit<CompiledQuery, "since">): Promise<Stack> {
  const { ctx, visitor } = view;
  authorize(visitor.caller, getToday.scope, ctx.config);
  return readFor(view, loadStack(ctx, visitor.caller, query));
}

/** The inbox was a page of its own. */
export const inboxPage = ({ url: { search } }: View): Response => redirectTo(`/${search}`);

/** Marks everything on the page as read. @returns where to go next */
export async function submitRead(view: View, form: Map<string, string>): Promise<string> {
  await callOperation(view, readToday, { until: form.get("until") });
  return "/";
}

/** Whether a URL is of the time when the feed was the home page. */
const hasFeedParameter = ({ searchParams }: URL): boolean =>
  feedParameters.some((name) => name !== "view" && searchParams.has(name));

const redirectTo = (location: string): Response =>
  new Response(null, { status: 301, headers: { location, "cache-control": "no-store" } });

/**
 * The setup of a new deployment, to show the checklist, or after the first review what is left of it: until
 * there is more than a page of events. Null later, and for visitors who are not admins.
 */
async function loadSetupIfNew({ ctx, visitor }: View, page: FeedPage): Promise<Setup | null> {
  const isNew = page.next_before === null;
  return isNew && isAdmin(visitor.caller) && !ctx.config.mock ? loadSetup(ctx) : null;
}

const viewNames: Record<InboxView, string> = { open: "Needs you", done: "Done", snoozed: "Snoozed" };

const Views = ({ view, stack: { needs }, shown }: { view: View; stack: Stack; shown: InboxView }) => (
  <nav class="tabs" aria-label="Items" id="today-views" data-live>
    {inboxViews.map((name) => {
      const count = name === "open" ? needs.count : needs[name];
      return (
        <a
          key={name}
          href={urlWith(view.url, { view: name === "open" ? null : name, item: null, ...withoutNotices })}
          aria-current={name === shown ? "true" : undefined}
        >
          {viewNames[name]} {count > 0 && <span class="count">{countText(count)}</span>}
        </a>
      );
    })}
  </nav>
);

const withoutNotices = { marked: null, until: null, reviewed: null };

/** Scripts show it where the browser has notifications. They are never asked for without a click. */
const NotifyButton = () => (
  <div class="notify" id="notify" hidden>
    <span class="soft" id="notify-text" role="status" />
    <button type="button" class="plain" id="notify-button">
      Notify me in this browser
    </button>
  </div>
);

const NoEvents = ({ view }: { view: View }) => (
  <EmptyState title="No events yet.">
    {maySetUp(view) ? (
      <p>
        To set up svc, <a href="/welcome">get started</a>.
      </p>
    ) : (
      <p>What needs you appears here.</p>
    )}
  </EmptyState>
);
