/**
 * Reviews many pending assets on one page: what is unchanged against the approved versions is folded, and the
 * rest is in groups by what changed. A person decides about each group, or about what they picked.
 */
import { type ComponentChildren, Fragment } from "preact";
import type { AnswersInput } from "../../library/checklists/schema.ts";
import { setPath } from "../../memory/set-ref.ts";
import { pluralize } from "../format.ts";
import { KeyList } from "../keys.tsx";
import { EmptyState, hasScope, MissingScope, PostForm } from "../layout.tsx";
import { ChecklistFields } from "../verdicts/checklist-fields.tsx";
import { filtersOf, type Page, urlWith, type View } from "../view.ts";
import { BulkGroup } from "./group.tsx";
import { loadGroups, type ShownGroups } from "./load-groups.ts";
import {
  approvedParameter,
  bulkFilters,
  bulkPath,
  decisionField,
  onlyParameter,
  rejectedParameter,
} from "./parameters.ts";

/** A review that was not saved for every asset. */
export interface SentBulkReview {
  messages: string[];
  picked: ReadonlySet<string>;
  note: string;
  checklist: AnswersInput | undefined;
}

const hints = [
  ["J K", "Next, previous group"],
  ["←→↑↓", "Move within the group"],
  ["X", "Select what is wrong"],
  ["A", "Approve the group, except what you selected"],
  ["R", "Reject what you selected in all groups, with one note"],
  ["U", "Undo, within 10 seconds"],
] as const;

export async function bulkReviewPage(view: View, sent?: SentBulkReview): Promise<Page> {
  const found = await loadGroups(view);
  const canReview = hasScope(view, "assets:review") && found.count > 0;
  const query = filtersOf(view.url, [...bulkFilters, onlyParameter]);
  const action = `${bulkPath}?${new URLSearchParams(query)}`;
  const body = (
    <>
      <p class="crumbs">
        <a href="/assets">Assets</a>
        <Crumbs filters={query} />
      </p>
      <div class="head">
        <h1>
          Review {found.count}
          {found.has_more && "+"} pending {found.count === 1 ? "file" : "files"}
        </h1>
        <span class="soft" id="bulk-left" aria-live="polite" />
      </div>
      <Saved view={view} />
      {sent && (
        <div class="notice bad" role="alert">
          {sent.messages.map((message) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      {found.count === 0 ? (
        <EmptyState title="No assets are waiting for review.">
          <a href="/assets">All assets</a>
        </EmptyState>
      ) : (
        <PostForm view={view} action={action} id="bulk-review" class="bulk-review">
          <div class="bulk-groups">
            {found.groups.map((group, at) => (
              <BulkGroup
                key={group.ids[0]}
                group={group}
                found={found}
                at={at}
                canReview={canReview}
                picked={sent?.picked ?? new Set()}
                url={view.url}
              />
            ))}
            <Rest found={found} view={view} />
          </div>
          <aside class="preview" id="preview" aria-label="Larger view" aria-live="polite">
            <p class="soft">Move to a file to see it large, beside the approved version.</p>
            <KeyList rows={hints} />
          </aside>
          {canReview && found.checklist && (
            <div class="bulk-checklist">
              <ChecklistFields state={{ checklist: found.checklist, own: null }} given={sent?.checklist} />
              <p class="soft">The answers hold for everything that you approve.</p>
            </div>
          )}
          {canReview && <ReviewBar note={sent?.note ?? ""} />}
        </PostForm>
      )}
      {!canReview && found.count > 0 && <MissingScope view={view} scope="assets:review" to="review them" />}
      <div class="toast" id="toast" role="status" hidden />
    </>
  );
  return {
    title: "Review many",
    navEntry: "assets",
    body,
    ...(found.count > 0 && { islands: ["review-many.js"] }),
    ...(sent && { status: 409 }),
  };
}

/** The filters as links to what they name. */
function Crumbs({ filters }: { filters: Record<string, string> }) {
  const { project, issue, task, pr, set, run, kind } = filters;
  const home = project && `/projects/${project}`;
  const links: [href: string | undefined, name: ComponentChildren][] = [
    [home, project],
    [home && issue && `${home}/issues/${issue}`, `#${issue}`],
    [home && task && `${home}/tasks/${encodeURIComponent(task)}`, task],
    [home && pr && `${home}/pulls/${pr}`, `#${pr}`],
    [project && set && setPath(project, set), <bdi key="set">{set}</bdi>],
    [run && `/runs/${run}`, "run"],
  ];
  return (
    <>
      {links.map(
        ([href, name]) =>
          href && (
            <Fragment key={href}>
              {" / "}
              <a href={href}>{name}</a>
            </Fragment>
          ),
      )}
      {kind && ` / ${kind}`}
    </>
  );
}

/** After a form without scripts. */
function Saved({ view: { url } }: { view: View }) {
  const counts = [approvedParameter, rejectedParameter].flatMap((name) => {
    const count = Number(url.searchParams.get(name));
    return count > 0 ? [`${count} ${name}`] : [];
  });
  if (counts.length === 0) return null;
  return (
    <p class="notice good" role="status">
      {counts.join(", ")}.
    </p>
  );
}

/** What this page leaves out. */
function Rest({ found: { groups, count, has_more, only }, view }: { found: ShownGroups; view: View }) {
  if (only !== null) return <a href={urlWith(view.url, { [onlyParameter]: null })}>Show all groups</a>;
  const decided = groups.reduce((sum, { ids }) => sum + ids.length, 0);
  if (decided === count && !has_more) return null;
  return (
    <p class="soft">
      {decided < count && `${pluralize(count - decided, "asset")} more follow when these are decided. `}
      {has_more && `More than ${count} are pending: the newest are shown.`}
    </p>
  );
}

/** Decides about what is selected, with one note for all. The script says how many. */
const ReviewBar = ({ note }: { note: string }) => (
  <section class="bulk" aria-label="Review what is selected">
    <p>
      <strong id="bulk-picked" aria-live="polite" />{" "}
      <span class="soft">A decision about a group leaves out what you selected.</span>
    </p>
    <label>
      Note{" "}
      <input name="note" maxLength={2000} value={note} placeholder="What to change (required to reject)" />
    </label>
    <p class="buttons">
      <button name={decisionField} value="approved" type="submit">
        <span data-picked="Approve">Approve selected</span>
      </button>
      <button class="danger" name={decisionField} value="rejected" type="submit" formNoValidate>
        <span data-picked="Reject">Reject selected</span>
      </button>
    </p>
  </section>
);
