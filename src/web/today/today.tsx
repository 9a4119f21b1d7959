/** @jsxImportSource preact */
/** The home page: what needs the visitor, and what happened since they last looked. */

import { authorize } from "../../core/auth/authorization.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { BudgetCheck } from "../../feed/budgets/schema.ts";
import { budgetLine } from "../../feed/budgets/text.ts";
import { checkBudgets } from "../../feed/operations/budgets.ts";
import { getFeed } from "../../feed/operations/feed.ts";
import type { FeedPage } from "../../feed/schema.ts";
import { getToday, readToday } from "../../overview/operations/inbox.ts";
import { loadSetup, type Setup } from "../../overview/projects/setup.ts";
import type { Today } from "../../overview/today/schema.ts";
import { loadStack, type Stack } from "../../overview/today/today.ts";
import { BarChart } from "../charts/charts.tsx";
import { feedParameters } from "../feed/feed.tsx";
import { formatCost } from "../format.ts";
import { NeededItems } from "../inbox/inbox.tsx";
import { CsrfField, EmptyState, LiveStatus, maySetUp } from "../layout.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { Checklist, RemainingSteps } from "../welcome/checklist.tsx";
import { Decisions } from "./decisions.tsx";
import { FinishedRuns, RunningRuns } from "./runs.tsx";
import { countText } from "./section.tsx";

export async function todayPage(view: View): Promise<Page | Response> {
  if (hasFeedParameter(view.url)) return redirectToFeed(view.url);
  const [today, newest, budgets] = await Promise.all([
    loadVisitorsStack(view),
    callOperation<FeedPage>(view, getFeed, { limit: 50 }),
    callOperation<BudgetCheck>(view, checkBudgets),
  ]);
  const setup = await loadSetupIfNew(view, newest);
  const isEmpty = newest.events.length === 0;
  const body = (
    <div id="today" data-newest={today.until}>
      <div class="head">
        <h1>Today</h1>
        <LiveStatus />
        {!isEmpty && <SinceLastLook view={view} today={today} />}
      </div>
      {setup && !setup.hasReview && <Checklist view={view} setup={setup} />}
      {setup?.hasReview && <RemainingSteps view={view} setup={setup} />}
      <BudgetLine found={budgets} />
      {!isEmpty && <Sections today={today} now={view.ctx.now()} />}
      {isEmpty && !setup && <NoEvents view={view} />}
    </div>
  );
  return {
    title: "Today",
    navEntry: "today",
    body,
    attention: today.needs.count,
    inboxCount: today.needs.count,
    islands: ["today.js"],
  };
}

async function loadVisitorsStack({ ctx, visitor: { caller } }: View): Promise<Stack> {
  authorize(caller, getToday.scope, ctx.config);
  return loadStack(ctx, caller);
}

/** Marks everything on the page as read. @returns where to go next */
export async function submitRead(view: View, form: Map<string, string>): Promise<string> {
  await callOperation(view, readToday, { until: form.get("until") });
  return "/";
}

/** Whether a URL is of the time when the feed was the home page. */
const hasFeedParameter = ({ searchParams }: URL): boolean =>
  feedParameters.some((name) => searchParams.has(name));

const redirectToFeed = ({ search }: URL): Response =>
  new Response(null, { status: 301, headers: { location: `/feed${search}`, "cache-control": "no-store" } });

/**
 * The setup of a new deployment, to show the checklist, or after the first review what is left of it: until
 * there is more than a page of events. Null later, and for visitors who are not admins.
 */
async function loadSetupIfNew({ ctx, visitor }: View, page: FeedPage): Promise<Setup | null> {
  const isNew = page.next_before === null;
  return isNew && isAdmin(visitor.caller) && !ctx.config.mock ? loadSetup(ctx) : null;
}

/** The time of the last look, and a button that sets it to the newest event of this page. */
const SinceLastLook = ({ view: { visitor, ctx }, today }: { view: View; today: Stack }) => (
  <form id="today-since" class="since" method="post" action="/today/read" data-live>
    <span class="soft">
      Since <Time ts={today.since} as="short" />
    </span>
    {visitor.signedIn && !ctx.config.mock && (
      <>
        <CsrfField token={visitor.csrf} />
        <input type="hidden" name="until" value={today.until} />
        <button type="submit">Mark all as read</button>
      </>
    )}
  </form>
);

/** Of each group; the inbox lists all of them. */
const neededMax = 20;

const Sections = ({ today, now }: { today: Stack; now: Micros }) => (
  <>
    <Facts today={today} />
    <section id="today-needs" class="today-section" data-live>
      <NeededItems inbox={today.needs} shownMax={neededMax} />
      <p class="soft">
        <a href="/inbox">All of it, to mark as done or snooze, in the inbox</a>
      </p>
    </section>
    <div class="today-columns">
      <div>
        <RunningRuns running={today.running} now={now} />
        <FinishedRuns today={today} />
      </div>
      <div>
        {today.decisions && <Decisions found={today.decisions} />}
        <Spend spend={today.spend} />
      </div>
    </div>
  </>
);

const Facts = ({ today: { needs, running, finished, decisions, spend } }: { today: Stack }) => (
  <dl class="facts-grid wide panel" id="today-facts" data-live>
    <Fact name="Needs you" value={countText(needs.count)} isBad={needs.counts.broken > 0} />
    <Fact name="In flight" value={countText(running.count)} />
    <Fact name="Finished" value={countText(finished.count)} />
    {decisions && <Fact name="Decisions" value={countText(decisions.count)} />}
    <Fact name="Spent today" value={formatCost(spend.today)} />
  </dl>
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

/** A line on Today about the budget that is closest to its end, from 80% on. */
const percentMin = 80;

function BudgetLine({ found: { budgets } }: { found: BudgetCheck }) {
  const [first, ...others] = budgets.filter(({ percent }) => percent >= percentMin);
  return (
    <div id="today-budgets" data-live>
      {first && (
        <p class={first.percent >= 100 ? "notice" : "notice warning"}>
          {budgetLine(first)} {others.length > 0 && `${others.length} more from 80% on. `}
          <a href="/usage#budgets">All budgets</a>
        </p>
      )}
    </div>
  );
}

/** What was spent today, against the two weeks before. */
const Spend = ({ spend: { today, usual, days } }: { spend: Today["spend"] }) => (
  <section id="today-spend" class="today-section" data-live>
    <div class="head">
      <h2>Spend</h2>
    </div>
    <p class="spend-today">
      {formatCost(today)} so far today. The median of the 14 days before is {formatCost(usual)}.
    </p>
    <BarChart
      title="Cost"
      days={days.map(({ day }) => day)}
      series={[{ name: "Cost", values: days.map(({ cost_equiv }) => cost_equiv) }]}
      show={formatCost}
    />
  </section>
);
