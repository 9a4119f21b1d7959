/** The digests of the memory page: what svc remembers of each day of a project, with what came of it. */

import { getFeed } from "../../feed/operations/feed.ts";
import type { Event, FeedPage } from "../../feed/schema.ts";
import { taskTitle } from "../../feed/tasks/task-title.ts";
import type { Digest, DigestList } from "../../memory/list-schemas.ts";
import { getDigests } from "../../memory/operations.ts";
import { formatCost, formatCount, formatLongDate, pluralize } from "../format.ts";
import { Icon } from "../icons/icons.tsx";
import { EmptyState, hasScope } from "../layout.tsx";
import { taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, urlWith, type View } from "../view.ts";

const daysPerPage = 14;
/** Events that are read for the days of a page, and those that a day shows. */
const eventsMax = 200;
const shownMax = 6;

const kinds = ["decision.captured", "pr.merged", "run.failed"] as const;

export async function digestsSection(view: View, project: string | undefined) {
  if (project === undefined) return <EmptyState title="No projects yet." />;
  const { digests, next_before } = await callOperation<DigestList>(view, getDigests, {
    slug: project,
    limit: daysPerPage,
    ...filtersOf(view.url, ["before"]),
  });
  if (digests.length === 0)
    return (
      <EmptyState title="No digests yet.">
        <p>
          <code>svc consolidate</code> makes them. Run it once a day, for example from cron.
        </p>
      </EmptyState>
    );
  const [events, [summary]] = hasScope(view, "feed:read")
    ? await Promise.all([loadEvents(view, project, digests), loadSummaries(view, project)])
    : [[], []];
  const byDay = Map.groupBy(events, ({ ts }) => ts.slice(0, "2026-01-02".length));
  return (
    <section>
      <h2>Days of {project}</h2>
      <p class="soft">
        Briefs carry the newest days.{" "}
        {summary && (
          <>
            {summary.summary} <Time ts={summary.ts} />.
          </>
        )}
      </p>
      <ol class="digest-days">
        {digests.map((digest) => (
          <Day key={digest.day} digest={digest} events={byDay.get(digest.day) ?? []} />
        ))}
      </ol>
      {next_before && (
        <p class="older">
          <a class="button" href={urlWith(view.url, { before: next_before })} rel="next">
            Older days
          </a>
        </p>
      )}
    </section>
  );
}

/** What was decided, merged, or failed on these days, the newest first. */
async function loadEvents(view: View, project: string, digests: readonly Digest[]): Promise<Event[]> {
  const [newest, oldest] = [digests[0]?.day, digests.at(-1)?.day];
  const { events } = await callOperation<FeedPage>(view, getFeed, {
    project,
    kind: kinds,
    after: `${oldest}T00:00:00Z`,
    before: `${newest}T23:59:59.999999Z`,
    limit: eventsMax,
  });
  return events;
}

async function loadSummaries(view: View, project: string): Promise<Event[]> {
  const query = { project, kind: "memory.consolidated", limit: 1 };
  return (await callOperation<FeedPage>(view, getFeed, query)).events;
}

function Day({ digest, events }: { digest: Digest; events: readonly Event[] }) {
  const { day, runs, failures, merges, tokens_in, tokens_out, cost_equiv } = digest;
  const facts = [
    pluralize(runs, "run"),
    failures > 0 && `${failures} failed`,
    merges > 0 && `${merges} merged`,
    tokens_in + tokens_out > 0 && `${formatCount(tokens_in + tokens_out)} tokens`,
    cost_equiv > 0 && formatCost(cost_equiv),
  ];
  return (
    <li>
      <h3>{formatLongDate(day)}</h3>
      <p class="soft">{facts.filter(Boolean).join(" · ")}</p>
      <ul>
        {events.slice(0, shownMax).map((event) => (
          <Line key={event.id} event={event} />
        ))}
      </ul>
      {events.length > shownMax && <p class="soft">And {events.length - shownMax} more.</p>}
    </li>
  );
}

const shown = {
  "decision.captured": ["flag", "warn", "Decided"],
  "pr.merged": ["merge", "good", "Merged"],
  "run.failed": ["cross", "bad", "Failed"],
} as const;

function Line({ event }: { event: Event }) {
  const [icon, tone, verb] = shown[event.kind as (typeof kinds)[number]];
  const href = taskUrl(event);
  const text = event.kind === "pr.merged" ? taskTitle(event.summary) : event.summary;
  return (
    <li>
      <span class={tone}>
        <Icon name={icon} />
      </span>{" "}
      {verb}:{" "}
      {href ? (
        <a href={href}>
          <bdi>{text}</bdi>
        </a>
      ) : (
        <bdi>{text}</bdi>
      )}
    </li>
  );
}
