/** The page of a task: its attempts side by side, the runs that made them, and what else happened. */

import type { Config } from "../../core/config.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { listWithAnd } from "../../core/lib/strings/word-list.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import type { Attempt, AttemptChain } from "../../overview/tasks/attempts.ts";
import { ComparePicker, choiceLabel } from "../desk/compare/pick.tsx";
import { EventList } from "../feed/event-rows.tsx";
import { capitalize, formatCost, pluralize } from "../format.ts";
import { EmptyState, hasScope, LiveStatus, MissingScope } from "../layout.tsx";
import { briefUrl } from "../memory/brief.tsx";
import { ForgeLink, type TaskOf, taskFilter, taskOnForge, taskUrl } from "../runs/links.tsx";
import type { Page, View } from "../view.ts";
import { Attempts } from "./attempts.tsx";
import { TaskClaim } from "./claims.tsx";
import { TaskFilm } from "./film.tsx";
import { loadTaskPage, runsMax, type ShownTask } from "./load-task.ts";
import { countChanges } from "./requested-changes.ts";
import { TaskRuns } from "./runs.tsx";
import { newestOf, TaskSets, withoutSets } from "./sets.tsx";
import { Stage } from "./stage.tsx";

/** A pull request of an issue, or of a task of a tracker, leads to its page, which is that of both. */
export async function taskPage(view: View): Promise<Page | Response> {
  const shown = await loadTaskPage(view);
  const { project, of, task, chains, events, newest, listed, taskOfPr } = shown;
  if (taskOfPr)
    return Response.redirect(taskUrl({ ...taskOfPr, pr: null, project: project.slug }) ?? "", 302);
  const number = taskFilter(of);
  const filters = JSON.stringify({ project: project.slug, ...number });
  const body = (
    <div data-filters={filters} data-newest={newest}>
      <p class="soft crumbs">
        <a href={`/projects/${project.slug}`}>{project.slug}</a>
        <span>{task.name}</span>
        <ForgeLink to={task.onForge} of={task.name} />
        <PullRequests shown={shown} config={view.ctx.config} />
      </p>
      <div class="head">
        <h1>
          <bdi>{task.title ?? capitalize(task.name)}</bdi>
        </h1>
        <Stage stage={listed.stage} />
        {hasScope(view, "memory:read") && <a href={briefUrl(project.slug, of)}>Task brief</a>}
        <LiveStatus />
      </div>
      <button
        type="button"
        hidden
        data-command={`Copy the brief of ${task.name}`}
        data-brief={`/projects/${project.slug}/brief${isPull(of) ? "" : `?${queryOf(number)}`}`}
      />
      <p class="lede" id="task-story" data-live>
        {storyOf(shown)}
      </p>
      <TaskClaim claim={shown.claim} />
      <TaskFilm shown={shown} />
      <section id="task-attempts" data-live>
        <div class="head">
          <h2>Attempts</h2>
          {chains && chains.length > 0 && <a href={contactSheetUrl(project.slug, number)}>Contact sheet</a>}
        </div>
        {chains === null ? (
          <MissingScope view={view} scope="assets:read" to="see its assets" />
        ) : chains.length === 0 ? (
          <EmptyState title="No assets for this task yet." />
        ) : (
          <>
            <CompareAttempts chains={withoutSets(chains)} />
            <TaskSets shown={shown} />
            {withoutSets(chains).map((chain) => (
              <Attempts key={chain.attempts[0]?.asset.id} chain={chain} changes={shown.changes} />
            ))}
          </>
        )}
      </section>
      <section id="task-runs" data-live>
        <div class="head">
          <h2>Runs</h2>
          {shown.hasMoreRuns && <span class="soft">The newest {runsMax}</span>}
        </div>
        <TaskRuns shown={shown} />
      </section>
      <section id="task-events" data-live>
        <div class="head">
          <h2>What else happened</h2>
          <a href={eventsUrl(project.slug, number)}>All events</a>
        </div>
        {events.length === 0 ? (
          <p class="soft">No other events.</p>
        ) : (
          <EventList events={events} projects={[project]} config={view.ctx.config} />
        )}
      </section>
    </div>
  );
  return { title: task.title ?? task.name, navEntry: "tasks", body, islands: ["run.js"] };
}

type TaskFilter = ReturnType<typeof taskFilter>;

const isPull = ({ issue, task }: TaskOf): boolean => (issue ?? task ?? null) === null;

const queryOf = (values: Record<string, string | number>): URLSearchParams =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));

const eventsUrl = (project: string, number: TaskFilter): string =>
  `/feed?${queryOf({ project, ...number, view: "events" })}`;

const contactSheetUrl = (project: string, number: TaskFilter): string =>
  `/assets?${queryOf({ project, ...number, as: "sheet" })}`;

/** The pull requests of the task, each with its state, on its forge. */
function PullRequests({ shown: { project, of, listed }, config }: { shown: ShownTask; config: Config }) {
  if (isPull(of)) return null;
  return listed.pulls.map(({ number, state }) => (
    <span key={number}>
      pull request #{number}
      {state && `, ${state}`}{" "}
      <ForgeLink
        to={taskOnForge(config, project, { issue: null, pr: number })}
        of={`pull request #${number}`}
      />
    </span>
  ));
}

/** Starts with the newest attempt and the newest one of another run. */
function CompareAttempts({ chains }: { chains: AttemptChain[] }) {
  const newest = chains
    .flatMap(({ attempts }) => attempts)
    .toSorted((a, b) => (a.asset.created_at > b.asset.created_at ? -1 : 1));
  const [right, ...others] = newest;
  const left = others.find(({ run }) => run?.id !== right?.run?.id) ?? others[0];
  if (!right || !left) return null;
  const groups = chains.map(({ title, attempts }) => ({
    label: isolateBidi(title),
    options: attempts.toReversed().map(({ asset }) => ({ id: asset.id, label: choiceLabel(asset) })),
  }));
  return (
    <ComparePicker
      action={`/assets/${right.asset.id}`}
      groups={groups}
      left={left.asset.id}
      right={right.asset.id}
    />
  );
}

/**
 * A task in one or two sentences: 3 versions, 2 rejected. $4.10 in 6 runs, $1.20 of it for rejected
 * versions. A variant set counts once: 1 version and 1 variant set, 2 waiting for review.
 */
function storyOf({ runs, hasMoreRuns, chains, changes, cost }: ShownTask): string {
  const versions = withoutSets(chains ?? []).flatMap(({ attempts }) => attempts);
  const sets = verdictsOfSets(chains ?? []);
  const verdicts = [...versions.map(({ verdict }) => verdict), ...sets];
  const results = (["rejected", "pending", "approved", "published"] as const).flatMap((verdict) => {
    const count = verdicts.filter((one) => one === verdict).length;
    return count > 0 ? [`${count} ${verdict === "pending" ? "waiting for review" : verdict}`] : [];
  });
  const things = [
    ...(versions.length > 0 ? [pluralize(versions.length, "version")] : []),
    ...(sets.length > 0 ? [pluralize(sets.length, "variant set")] : []),
  ];
  const made = things.length === 0 ? [] : [`${[listWithAnd(things), ...results].join(", ")}.`];
  const counted = `${hasMoreRuns ? "the newest " : ""}${pluralize(runs.length, "run")}`;
  const spent =
    (cost.total > 0 ? `${formatCost(cost.total)} in ${counted}` : counted) +
    (cost.rejected > 0 ? `, ${formatCost(cost.rejected)} of it for rejected versions.` : ".");
  const { all, honored, ignored } = countChanges(chains ?? [], changes);
  const requested =
    all === 0 ? [] : [`${pluralize(all, "change")} requested, ${honored} honored, ${ignored} ignored.`];
  return [...made, ...requested, ...(runs.length > 0 ? [spent] : [])].join(" ");
}

/** A set waits as long as one of its variants does, and is rejected only if all of them are. */
function verdictsOfSets(chains: AttemptChain[]): Attempt["verdict"][] {
  const order = ["pending", "published", "approved", "rejected"] as const;
  return groupBySet(chains.flatMap(newestOf)).sets.map(
    ({ variants }) => order.find((verdict) => variants.some(({ status }) => status === verdict)) ?? "pending",
  );
}
