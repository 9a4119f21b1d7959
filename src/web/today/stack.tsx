/** What needs the visitor, in the order of the list: to open, mark as done or snooze, alone or together. */

import { countMax } from "../../library/review-queue/items.ts";
import {
  groupNames,
  groups,
  type Inbox,
  type InboxItem,
  type inboxViews,
  type Reason,
  reasons,
} from "../../overview/inbox/schema.ts";
import { drawnPath } from "../assets/asset.tsx";
import { countText, pluralize } from "../format.ts";
import { Icon, type IconName, type Tone } from "../icons/icons.tsx";
import { EmptyState, hasScope, PostForm } from "../layout.tsx";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";
import { pickName, viewQuery } from "./submit-marks.ts";

export const reasonStyles: Record<Reason, [IconName, Tone]> = {
  run_waiting: ["person", "warn"],
  review: ["eye", "info"],
  decision_proposed: ["flag", "info"],
  decision_ended: ["flag", "warn"],
  files_gone: ["flag", "warn"],
  review_requested: ["eye", "warn"],
  review_overdue: ["clock", "bad"],
  rejected: ["person", "warn"],
  run_failed: ["cross", "bad"],
  preview_failed: ["cross", "bad"],
  run_lost: ["clock", "warn"],
  budget: ["coins", "warn"],
  webhook_paused: ["cross", "bad"],
  note_read: ["book", "info"],
  note_followed: ["forward", "info"],
  note_honored: ["check", "good"],
};

export const canMark = ({ visitor, ctx }: View): boolean => visitor.signedIn && !ctx.config.mock;

type InboxView = (typeof inboxViews)[number];

/** Items that a page lists at first; the others are one click away. */
const listedMax = 25;

const isWhole = ({ searchParams }: URL): boolean => searchParams.has("all");

/** How many items the page at a URL needs: an item that it names may be any. */
export const itemsMax = (url: URL): number | undefined =>
  isWhole(url) || url.searchParams.has("item") ? undefined : listedMax;

interface NeededItemsProps {
  view: View;
  /** It may have only the first items. */
  inbox: Inbox;
  /** How many there are. */
  total: number;
  shown: InboxView;
}

/** One form for all marks, so that several items can be selected. */
export function NeededItems({ view, inbox, total, shown }: NeededItemsProps) {
  const { items } = inbox;
  const listed = isWhole(view.url) ? items : items.slice(0, listedMax);
  return (
    <PostForm view={view} id="today-needs" action={`/inbox/done${viewQuery(view)}`} data-live>
      <input type="hidden" name="time_zone" value="" />
      {(shown === "open" ? inbox.count : total) === 0 && <Nothing shown={shown} />}
      {shown === "open"
        ? groupNames.map((name) => (
            <Group
              key={name}
              view={view}
              title={groups[name]}
              count={inbox.counts[name]}
              items={listed.filter(({ group }) => group === name)}
            />
          ))
        : listed.length > 0 && <List view={view} items={listed} isMarked />}
      {listed.length < total && (
        <p class="soft">
          {listed.length} of {countText(total)} are listed.{" "}
          <a href={shown === "open" ? "/?all" : `/?view=${shown}&all`}>List all of them</a>
        </p>
      )}
      {inbox.count >= countMax && isWhole(view.url) && <p class="soft">These are the first {countMax}.</p>}
      {canMark(view) && total > 0 && <BulkBar isMarked={shown !== "open"} />}
    </PostForm>
  );
}

interface GroupProps {
  view: View;
  title: string;
  count: number;
  items: InboxItem[];
}

const Group = ({ view, title, count, items }: GroupProps) =>
  items.length > 0 && (
    <>
      <h2>
        {title} <span class="count">{countText(count)}</span>
      </h2>
      <List view={view} items={items} />
    </>
  );

const List = ({ view, items, isMarked }: { view: View; items: InboxItem[]; isMarked?: boolean }) => (
  <ol class="items panel inbox-items">
    {items.map((item) => (
      <Item key={item.id} view={view} item={item} isMarked={isMarked ?? false} />
    ))}
  </ol>
);

const Nothing = ({ shown }: { shown: InboxView }) =>
  shown === "open" ? (
    <EmptyState title="Nothing needs you.">
      <p>Reviews, rejected work, failed runs, and spent budgets appear here.</p>
    </EmptyState>
  ) : (
    <EmptyState title={shown === "done" ? "Nothing is marked as done." : "Nothing is snoozed."}>
      <p>An item that you mark stays here until it is dealt with.</p>
    </EmptyState>
  );

function Item({ view, item, isMarked }: { view: View; item: InboxItem; isMarked: boolean }) {
  const [icon, tone] = reasonStyles[item.reason as Reason];
  const drawn = item.asset !== null && hasScope(view, "assets:read") ? drawnPath({ id: item.asset }) : null;
  const picture = item.thumb_url ?? drawn;
  return (
    <li data-id={item.id} data-asset={item.asset ?? undefined}>
      {canMark(view) && (
        <input type="checkbox" name={pickName + item.id} aria-label={`Select ${item.title}`} />
      )}
      <a class={`item-look ${tone}`} href={`/?item=${item.id}`} tabIndex={-1}>
        <span class="visually-hidden">Open beside the list: {item.title}</span>
        {picture ? <img src={picture} alt="" loading="lazy" /> : <Icon name={icon} />}
      </a>
      <div>
        <a href={pathOf(item)} data-item>
          <bdi>{item.title}</bdi>
        </a>
        <p class="soft">
          <ReasonLine item={item} />
        </p>
        {item.detail && (
          <p class="inbox-detail">
            <bdi>{item.detail}</bdi>
          </p>
        )}
      </div>
      {canMark(view) && (
        <div class="inbox-actions">{isMarked ? <PutBack item={item} /> : <MarkButtons item={item} />}</div>
      )}
    </li>
  );
}

/** Why it is here, when, and when it is due. */
export const ReasonLine = ({ item: { reason, at, due_at, project, until } }: { item: InboxItem }) => (
  <>
    {due_at && (
      <>
        <strong class={reason === "review_overdue" ? "bad" : "warn"}>
          Due <Time ts={due_at} />
        </strong>
        {" · "}
      </>
    )}
    {until && (
      <>
        Until <Time ts={until} as="exact" />
        {" · "}
      </>
    )}
    {/* The heading of its group, or its detail, says these. */}
    {reason !== "review" && reason !== "run_waiting" && `${reasons[reason as Reason].title} · `}
    <Time ts={at} />
    {project && (
      <>
        {" · "}
        <a href={`/projects/${project}`}>{project}</a>
      </>
    )}
  </>
);

/** The page of an item on this site. */
export const pathOf = ({ url }: Pick<InboxItem, "url">): string => {
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
};

const lengths = [
  ["hour", "1 hour"],
  ["tomorrow", "Tomorrow, 9:00"],
  ["next_week", "Monday, 9:00"],
] as const;

const MarkButtons = ({ item: { id, title } }: { item: InboxItem }) => (
  <>
    <button type="submit" name="item" value={id} data-done data-command="Mark as done">
      Done<span class="visually-hidden">: {title}</span>
    </button>
    <Snooze of={id} title={title} />
  </>
);

/** @param of the id of an item, or empty for those that are selected */
const Snooze = ({ of, title }: { of: string; title: string }) => (
  <details class="snooze" data-key={of}>
    <summary class="button">
      Snooze<span class="visually-hidden">: {title}</span>
    </summary>
    <div class="snooze-lengths panel">
      {lengths.map(([value, label]) => (
        <button
          key={value}
          type="submit"
          formAction="/inbox/snooze"
          name="snooze"
          value={`${value} ${of}`.trim()}
        >
          {label}
        </button>
      ))}
    </div>
  </details>
);

const PutBack = ({ item: { id, title } }: { item: InboxItem }) => (
  <button type="submit" name="undo" value={id} data-done>
    Put back<span class="visually-hidden">: {title}</span>
  </button>
);

/** Shown while items are selected. */
const BulkBar = ({ isMarked }: { isMarked: boolean }) => (
  <div class="stack-bulk">
    <span id="selected" role="status">
      With the selected items:
    </span>
    {isMarked ? (
      <button type="submit" name="undo" value="">
        Put back
      </button>
    ) : (
      <>
        <button type="submit">Done</button>
        <Snooze of="" title="the selected items" />
      </>
    )}
  </div>
);

/** After items were marked: says so, and puts them back. */
export function UndoNotice({ view }: { view: View }) {
  const marked = view.url.searchParams.get("marked");
  if (marked === null || !canMark(view)) return null;
  const until = view.url.searchParams.get("until");
  const count = marked.split(",").length;
  const several = count > 1 ? `${pluralize(count, "item")}: ` : "";
  return (
    <PostForm view={view} class="notice good undo" action="/inbox/done">
      <span role="status">
        {several}
        {until === null ? (
          "Marked as done."
        ) : (
          <>
            Snoozed until <Time ts={until} as="exact" />.
          </>
        )}
      </span>
      <button type="submit" class="plain" name="undo" value={marked} aria-keyshortcuts="U">
        Undo
      </button>
    </PostForm>
  );
}
