/** @jsxImportSource preact */
/** The page of a task: its attempts side by side, the runs that made them, and what else happened. */
import { EventList } from "../feed/event-rows.tsx";
import { EmptyState, LiveStatus, MissingScope } from "../layout.tsx";
import { ForgeLink } from "../runs/links.tsx";
import type { Page, View } from "../view.ts";
import { Attempts } from "./attempts.tsx";
import { CompareAttempts } from "./compare-attempts.tsx";
import { loadTaskPage, runsMax, type ShownTask } from "./load-task.ts";
import { TaskRuns } from "./runs.tsx";
import { TaskSets, withoutSets } from "./sets.tsx";
import { storyOf } from "./story.ts";

export async function taskPage(view: View): Promise<Page> {
  const shown = await loadTaskPage(view);
  const { project, of, task, chains, events, newest } = shown;
  const number = of.issue !== null ? { issue: of.issue } : { pr: of.pr };
  const filters = JSON.stringify({ project: project.slug, ...number });
  const body = (
    <div data-filters={filters} data-newest={newest}>
      <p class="soft crumbs">
        <a href={`/projects/${project.slug}`}>{project.slug}</a>
        <span>{task.name}</span>
        <ForgeLink to={task.onForge} of={task.name} />
        <OtherTask shown={shown} />
      </p>
      <div class="head">
        <h1>
          <bdi>{task.title ?? task.name}</bdi>
        </h1>
        <LiveStatus />
      </div>
      <p class="lede" id="task-story" data-live>
        {storyOf(shown)}
      </p>
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
  return { title: task.title ?? task.name, navEntry: "projects", body, islands: ["run.js"] };
}

type TaskNumber = { issue: number } | { pr: number | null };

const queryOf = (values: Record<string, string | number | null>): URLSearchParams =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));

const eventsUrl = (project: string, number: TaskNumber): string =>
  `/feed?${queryOf({ project, ...number, view: "events" })}`;

const contactSheetUrl = (project: string, number: TaskNumber): string =>
  `/assets?${queryOf({ project, ...number, as: "sheet" })}`;

/** The pull requests of an issue, or the issue of a pull request. */
function OtherTask({ shown: { project, of, pullRequests, issueOfPr } }: { shown: ShownTask }) {
  const path = `/projects/${project.slug}`;
  if (of.issue === null)
    return issueOfPr === null ? null : <a href={`${path}/issues/${issueOfPr}`}>issue #{issueOfPr}</a>;
  return pullRequests.map((pr) => (
    <a key={pr} href={`${path}/pulls/${pr}`}>
      pull request #{pr}
    </a>
  ));
}
