/** @jsxImportSource preact */
/** The inbox: what the visitor should act on or know, each with a link to do so, done and snooze. */

import { kindsWith } from "../../feed/kinds.ts";
import { getFeed } from "../../feed/operations/feed.ts";
import type { FeedPage } from "../../feed/schema.ts";
import { countMax } from "../../library/review-queue/review-queue.ts";
import {
  groupNames,
  groups,
  type Inbox,
  type InboxItem,
  type Reason,
  reasons,
} from "../../overview/inbox/schema.ts";
import { getInbox, markInboxDone, snoozeInbox } from "../../overview/operations/inbox.ts";
import { pluralize } from "../format.ts";
import { Icon, type IconName, type Tone } from "../icons/icons.tsx";
import { CsrfField, EmptyState, LiveStatus } from "../layout.tsx";
import { Time } from "../time.tsx";
import { countText } from "../today/section.tsx";
import { callOperation, type Page, type View } from "../view.ts";

const styles: Record<Reason, [IconName, Tone]> = {
  review: ["eye", "info"],
  review_requested: ["eye", "warn"],
  review_overdue: ["clock", "bad"],
  rejected: ["person", "warn"],
  run_failed: ["cross", "bad"],
  preview_failed: ["cross", "bad"],
  run_lost: ["clock", "warn"],
  budget: ["coins", "warn"],
  webhook_paused: ["cross", "bad"],
};

export async function inboxPage(view: View): Promise<Page> {
  const [inbox, newest] = await Promise.all([
    callOperation<Inbox>(view, getInbox),
    callOperation<FeedPage>(view, getFeed, { limit: 1 }),
  ]);
  const body = (
    <div id="inbox" data-newest={newest.events[0]?.ts ?? ""} data-kinds={kindsWith("inbox").join()}>
      <div class="head">
        <h1>Inbox</h1>
        <LiveStatus />
        {canMark(view) && <NotifyButton />}
      </div>
      <Undo view={view} />
      <Items view={view} inbox={inbox} />
    </div>
  );
  return {
    title: "Inbox",
    navEntry: "inbox",
    body,
    attention: inbox.count,
    inboxCount: inbox.count,
    islands: ["inbox.js"],
  };
}

const canMark = ({ visitor, ctx }: View): boolean => visitor.signedIn && !ctx.config.mock;

/** Scripts show it where the browser has notifications. They are never asked for without a click. */
const NotifyButton = () => (
  <div class="since" id="notify" hidden>
    <span class="soft" id="notify-text" role="status" />
    <button type="button" id="notify-button">
      Notify me in this browser
    </button>
  </div>
);

/** After an item was marked: says so, and puts it back. */
function Undo({ view }: { view: View }) {
  const id = view.url.searchParams.get("marked");
  if (id === null || !canMark(view)) return null;
  const until = view.url.searchParams.get("until");
  return (
    <form class="notice good undo" method="post" action="/inbox/done">
      <CsrfField token={view.visitor.csrf} />
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="undo" value="1" />
      <span role="status">
        {until === null ? (
          "Marked as done."
        ) : (
          <>
            Snoozed until <Time ts={until} as="short" />.
          </>
        )}
      </span>
      <button type="submit" class="plain">
        Undo
      </button>
    </form>
  );
}

const Items = ({ view, inbox }: { view: View; inbox: Inbox }) => (
  <section id="inbox-items" data-live>
    <NeededItems inbox={inbox} view={view} />
    <p class="soft">
      {inbox.count >= countMax && `These are the first ${countMax}. `}
      {inbox.snoozed > 0 && `Snoozed: ${countText(inbox.snoozed)}.`}
    </p>
  </section>
);

/** What needs the visitor, by group, in the order of the list. */
export const NeededItems = ({ inbox: { items, counts, repaired }, view, shownMax }: NeededItemsProps) => (
  <>
    {groupNames.map((name) => {
      const group = items.filter((item) => item.group === name);
      return (
        group.length > 0 && (
          <>
            <h2>
              {groups[name]} <span class="count">{countText(counts[name])}</span>
            </h2>
            <ol class="items panel inbox-items">
              {group.slice(0, shownMax).map((item) => (
                <Item key={item.id} view={view} item={item} />
              ))}
            </ol>
          </>
        )
      );
    })}
    {items.length === 0 && (
      <EmptyState title="Nothing needs you.">
        <p>Reviews, rejected work, failed runs, and spent budgets appear here.</p>
      </EmptyState>
    )}
    {repaired > 0 && (
      <p class="soft">{pluralize(repaired, "failure")} of the last 30 days repaired, so not listed.</p>
    )}
  </>
);

interface NeededItemsProps {
  inbox: Inbox;
  /** Items of each group that are listed: all by default. */
  shownMax?: number;
  /** With forms that mark an item as done or snooze it. */
  view?: View;
}

function Item({ view, item }: { view: View | undefined; item: InboxItem }) {
  const reason = item.reason as Reason;
  const [icon, tone] = styles[reason];
  return (
    <li>
      <span class={`item-icon ${tone}`}>
        <Icon name={icon} />
      </span>
      <div>
        <a href={pathOf(item)} data-item>
          <bdi>{item.title}</bdi>
        </a>
        <p class="soft">
          {reasons[reason].title} · <Time ts={item.at} as="short" />
          {item.due_at && (
            <>
              {" "}
              · due <Time ts={item.due_at} as="short" />
            </>
          )}
          {item.project && (
            <>
              {" · "}
              <a href={`/projects/${item.project}`}>{item.project}</a>
            </>
          )}
        </p>
        {item.detail && (
          <p class="inbox-detail">
            <bdi>{item.detail}</bdi>
          </p>
        )}
      </div>
      <div class="inbox-actions">
        <a class="button" href={pathOf(item)}>
          {item.action}
          <span class="visually-hidden">: {item.title}</span>
        </a>
        {view && canMark(view) && <MarkForm view={view} item={item} />}
      </div>
    </li>
  );
}

/** The page of an item on this site. */
const pathOf = ({ url }: InboxItem): string => {
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
};

const lengths = [
  ["hour", "1 hour"],
  ["tomorrow", "Tomorrow, 9:00"],
  ["next_week", "Monday, 9:00"],
] as const;

const MarkForm = ({ view, item }: { view: View; item: InboxItem }) => (
  <form method="post" action="/inbox/done">
    <CsrfField token={view.visitor.csrf} />
    <input type="hidden" name="id" value={item.id} />
    <input type="hidden" name="time_zone" value="" />
    <button type="submit">
      Done<span class="visually-hidden">: {item.title}</span>
    </button>
    <details class="snooze" data-key={item.id}>
      <summary class="button">
        Snooze<span class="visually-hidden">: {item.title}</span>
      </summary>
      <div class="snooze-lengths panel">
        {lengths.map(([value, label]) => (
          <button key={value} type="submit" formAction="/inbox/snooze" name="for" value={value}>
            {label}
          </button>
        ))}
      </div>
    </details>
  </form>
);

/** Marks the item of a form as done, or puts it back. @returns where to go next */
export async function submitDone(view: View, form: ReadonlyMap<string, string>): Promise<string> {
  const ids = [form.get("id")];
  const undo = form.get("undo") !== undefined;
  await callOperation(view, markInboxDone, { ids, done: !undo });
  return undo ? "/inbox" : `/inbox?${new URLSearchParams({ marked: String(ids[0]) })}`;
}

/** Snoozes the item of a form. @returns where to go next */
export async function submitSnooze(view: View, form: ReadonlyMap<string, string>): Promise<string> {
  const id = form.get("id");
  const { until } = await callOperation<{ until: string }>(view, snoozeInbox, {
    ids: [id],
    for: form.get("for"),
    time_zone: form.get("time_zone"),
  });
  return `/inbox?${new URLSearchParams({ marked: String(id), until })}`;
}
