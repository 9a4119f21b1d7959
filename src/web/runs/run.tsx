/** The page of a run: how it went, what it was told, what it made, and what reviewers answered. */
import { isOpen, type Run } from "../../feed/runs/schema.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDuration, pluralize } from "../format.ts";
import { LiveStatus } from "../layout.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import type { Page, View } from "../view.ts";
import { RunFiles } from "./files.tsx";
import { RunGrowth } from "./growth.tsx";
import { ForgeLink, runUrl, taskName, taskOnForge, taskUrl } from "./links.tsx";
import { loadRun, projectsOfRun, type ShownRun } from "./load-run.ts";
import { RunMade } from "./made.tsx";
import { RunMemory } from "./run-memory.tsx";
import { SessionPlace } from "./session.tsx";
import { RunStatus, runFacts } from "./status.tsx";
import { RunTimeline } from "./timeline.tsx";

export async function runPage(view: View): Promise<Page> {
  const projects = await projectsOfRun(view);
  if (projects.length > 1) return choicePage(view, projects);
  const shown = await loadRun(view);
  const { run, page } = shown;
  const body = (
    <div id="run" data-filters={JSON.stringify(shown.filters)} data-newest={run.last_event_at}>
      <RunHead view={view} shown={shown} />
      <div id="run-session" data-live>
        {shown.session && <SessionPlace session={shown.session} />}
      </div>
      <RunFacts run={run} now={view.ctx.now() / 1000} />
      <div class="columns run-columns">
        <div>
          <RunGrowth shown={shown} />
          <RunTimeline view={view} shown={shown} />
        </div>
        <div>
          <RunMade view={view} shown={shown} />
          <RunFiles run={shown.run} />
          <RunMemory shown={shown} />
          <RelatedRuns shown={shown} />
        </div>
      </div>
    </div>
  );
  return {
    title: run.title,
    navEntry: "tasks",
    body,
    ...(page.isNewest && { islands: ["run.js", "copy.js"] }),
  };
}

function RunHead({ view, shown: { run, project, page } }: { view: View; shown: ShownRun }) {
  const task = taskName(run);
  const attempt = (to: RunDetail["previous"], rel: "prev" | "next") =>
    to && (
      <a class="button" href={runUrl({ id: to.id, project: run.project })} rel={rel}>
        {rel === "prev" ? "Previous attempt" : "Next attempt"} <RunStatus status={to.status} />
      </a>
    );
  return (
    <>
      <p class="soft crumbs">
        <a href="/runs">Runs</a>
        <a href={`/projects/${run.project}`}>{run.project}</a>
        {task && (
          <>
            <a href={taskUrl(run) ?? ""}>{task}</a>
            <ForgeLink to={project && taskOnForge(view.ctx.config, project, run)} of={task} />
          </>
        )}
        <span>
          Run <code>{run.id}</code>
        </span>
      </p>
      <div class="head" id="run-head" data-live>
        <h1>
          <bdi>{run.title}</bdi>
        </h1>
        <RunStatus status={run.status} />
        {page.isNewest && isOpen(run.status) && <LiveStatus />}
        {(run.previous || run.next) && (
          <nav class="buttons attempts" aria-label="Attempts">
            {attempt(run.previous, "prev")}
            {attempt(run.next, "next")}
          </nav>
        )}
      </div>
      <p class="soft" id="run-summary" data-live>
        {run.summary !== run.title && <bdi>{run.summary}</bdi>}
      </p>
    </>
  );
}

/** @param now in milliseconds */
function RunFacts({ run, now }: { run: RunDetail; now: number }) {
  const sinceStart = Math.max(0, now - Date.parse(run.started_at));
  const duration =
    run.duration_ms !== null
      ? formatDuration(run.duration_ms)
      : isOpen(run.status)
        ? `${formatDuration(Math.round(sinceStart))} so far`
        : "unknown";
  return (
    <dl class="facts-grid wide panel" id="run-facts" data-live>
      <Fact name="Cost" value={formatCost(run.cost_equiv)} />
      <Fact name="Duration" value={duration} />
      <Fact name="Steps" value={formatCount(run.steps)} />
      <Fact name="Tokens" value={`${formatCount(run.tokens_in)} in, ${formatCount(run.tokens_out)} out`} />
      {run.cache_read + run.cache_write > 0 && (
        <Fact
          name="Cache"
          value={`${formatCount(run.cache_read)} read, ${formatCount(run.cache_write)} written`}
        />
      )}
      <Fact
        name={run.models.length > 1 ? "Models" : "Model"}
        value={run.models.join(", ") || "not reported"}
      />
      <Fact name="Agent" value={<Actor of={run.actor} />} />
      {run.lane && <Fact name="Workstream" value={run.lane} />}
      <Fact name="Started" value={<Time ts={run.started_at} />} />
    </dl>
  );
}

/** Several projects have a run of this id. */
const choicePage = (view: View, projects: string[]): Page => ({
  title: "Choose a run",
  navEntry: "feed",
  body: (
    <div class="narrow">
      <h1>{pluralize(projects.length, "project")} have this run</h1>
      <p>
        The run id <code>{view.params.id}</code> is unique within a project only. Choose the project:
      </p>
      <p class="buttons">
        {projects.map((project) => (
          <a key={project} class="button" href={runUrl({ id: view.params.id ?? "", project })}>
            {project}
          </a>
        ))}
      </p>
    </div>
  ),
});

/** The run that started this one, and those that it started. */
function RelatedRuns({ shown: { run } }: { shown: ShownRun }) {
  if (!run.parent && run.children.length === 0) return null;
  return (
    <section id="run-related" data-live>
      <h2>Other runs</h2>
      {run.parent && (
        <p>
          Started by <a href={runUrl({ id: run.parent, project: run.project })}>run {run.parent}</a>
        </p>
      )}
      {run.children.length > 0 && (
        <>
          <h3>Started by this run</h3>
          <RunList runs={run.children} />
        </>
      )}
    </section>
  );
}

/** Runs, each as a link with its status and facts. */
const RunList = ({ runs }: { runs: Run[] }) => (
  <ul class="plain-list runs">
    {runs.map((run) => (
      <li key={run.id}>
        <RunStatus status={run.status} />{" "}
        <a href={runUrl(run)}>
          <bdi>{run.title}</bdi>
        </a>{" "}
        <span class="soft">
          {[run.summary === run.title ? "" : run.summary, runFacts(run)].filter(Boolean).join(" · ")}
        </span>
      </li>
    ))}
  </ul>
);
