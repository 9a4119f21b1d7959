/** The project page: usage and cost, decisions, models, recent events. */

import { isAdmin } from "../../core/auth/permissions.ts";
import { placeName } from "../../core/forges/schema.ts";
import { repositoryUrl } from "../../feed/forges/task-url.ts";
import { getUsage } from "../../feed/operations/projects.ts";
import type { UsageList } from "../../feed/projects/schema.ts";
import type { Model } from "../../memory/schema.ts";
import { loadLines } from "../../overview/feed/lines.ts";
import { getProject } from "../../overview/operations/projects.ts";
import type { ProjectDetail } from "../../overview/projects/schema.ts";
import { BarChart } from "../charts/charts.tsx";
import { LineList } from "../feed/grouped.tsx";
import { formatCost, formatCount } from "../format.ts";
import { hasScope, LiveStatus, maySetUp } from "../layout.tsx";
import { briefUrl } from "../memory/brief.tsx";
import { DecisionList } from "../memory/decision-list.tsx";
import { NoDecisions } from "../memory/decisions.tsx";
import { openIssuesUrl } from "../runs/links.tsx";
import { countedUrl } from "../usage/counted-events.tsx";
import { dimensions, Fact, lastDays, seriesOf, totalsOf } from "../usage/usage.tsx";
import { callOperation, type Page, readFor, urlWith, type View } from "../view.ts";
import { reportBody, uploadBody } from "../welcome/steps.tsx";

import { loadProjectAssets, ProjectAssetsSection } from "./assets.tsx";
import { ModelStatus } from "./model-status.tsx";

/** Recent runs and events. */
const linesMax = 20;
/** The newest; the memory page has all. */
const decisionsMax = 30;

export async function projectPage(view: View): Promise<Page> {
  const slug = view.params.slug ?? "";
  const [project, { usage }, assets] = await Promise.all([
    callOperation<ProjectDetail>(view, getProject, { slug }),
    callOperation<UsageList>(view, getUsage, { slug }),
    loadProjectAssets(view, slug),
  ]);
  const { lines } = await readFor(
    view,
    loadLines(view.ctx, { project: slug, limit: linesMax }, view.visitor.caller),
  );
  const by = view.url.searchParams.get("by") === "lane" ? "lane" : "model";
  const days = lastDays(view.ctx);
  const range = { from: days[0] as string, to: days.at(-1) as string, project: slug };
  const { runs, failures, merges, spent, tokens } = totalsOf(usage);
  const runsOn = (day: string) =>
    `/usage?${new URLSearchParams({ project: slug, by: "run", from: day, to: day })}`;
  const hasHints = isAdmin(view.visitor.caller) && isUnused(project);
  const body = (
    <div id="project" data-slug={project.slug} data-newest={project.events[0]?.ts}>
      <div class="head">
        <h1>{project.slug}</h1>
        <a href={repositoryUrl(view.ctx.config, project)} rel="noreferrer">
          {placeName(project)}
        </a>
        {project.stack && <span class="chip">{project.stack}</span>}
        {project.lanes.map((lane) => (
          <span class="chip" key={lane}>
            {lane}
          </span>
        ))}
        <LiveStatus />
      </div>
      {project.summary && <p class="lede">{project.summary}</p>}
      {hasHints && <ProjectHints view={view} project={project} />}
      <dl class="facts-grid wide panel" id="project-facts" data-live>
        <Fact name="Open issues" value={String(project.openIssues)} href={openIssuesUrl(slug)} />
        <Fact name="Runs, 30 days" value={String(runs)} href={countedUrl("runs", range)} />
        <Fact
          name="Failed"
          value={runs ? `${failures} (${Math.round((failures / runs) * 100)}%)` : "0"}
          isBad={runs > 0 && failures / runs > 0.25}
          href={countedUrl("failures", range)}
        />
        <Fact name="Merged" value={String(merges)} href={countedUrl("merges", range)} />
        <Fact name="Tokens" value={formatCount(tokens)} href={`/usage?project=${slug}&by=model`} />
        <Fact name="Cost" value={formatCost(spent)} href={`/usage?project=${slug}&by=task`} />
        <Fact name="Events summarized" value={`${project.digest.digested} of ${project.digest.total}`} />
      </dl>
      {project.check_cmd && (
        <p class="check">
          <span class="soft">Check changes with</span> <code>{project.check_cmd}</code>
        </p>
      )}
      {project.branch_pattern && (
        <p class="check">
          <span class="soft">Task of a branch by</span> <code>{project.branch_pattern}</code>
        </p>
      )}
      {project.task_url && (
        <p class="check">
          <span class="soft">Tasks are at</span> <code>{project.task_url}</code>
        </p>
      )}
      {assets && <ProjectAssetsSection assets={assets} project={project.slug} view={view} />}
      <section id="project-usage" data-live>
        <div class="head">
          <h2>Usage and cost</h2>
          {usage.some(({ lane }) => lane !== null) && (
            <nav class="tabs" aria-label="Break down by">
              {(["model", "lane"] as const).map((dimension) => (
                <a
                  key={dimension}
                  href={urlWith(view.url, { by: dimension })}
                  aria-current={by === dimension ? "true" : undefined}
                >
                  by {dimensions[dimension]}
                </a>
              ))}
            </nav>
          )}
          <a class="button" href={`/projects/${project.slug}/usage.csv`} download>
            Download CSV
          </a>
        </div>
        <div class="charts">
          <BarChart
            title="Cost"
            days={days}
            series={seriesOf(usage, days, by, (row) => row.cost_equiv)}
            show={formatCost}
            hrefOf={runsOn}
          />
          <BarChart
            title="Tokens"
            days={days}
            series={seriesOf(usage, days, by, (row) => row.tokens_in + row.tokens_out)}
            show={formatCount}
            hrefOf={runsOn}
          />
        </div>
      </section>
      <div class="columns">
        <section id="project-decisions" data-live>
          <div class="head">
            <h2>Decisions</h2>
            <a href={`/memory?project=${project.slug}`}>All decisions</a>
            {hasScope(view, "memory:read") && <a href={briefUrl(project.slug, null)}>Brief</a>}
          </div>
          {project.decisions.length === 0 ? (
            <NoDecisions project={project.slug} isFirst />
          ) : (
            <DecisionList decisions={project.decisions.slice(0, decisionsMax)} />
          )}
        </section>
        {project.models.length > 0 && (
          <section id="project-models" data-live>
            <h2>Models</h2>
            <Models models={project.models} />
          </section>
        )}
      </div>
      <section id="project-events" data-live>
        <div class="head">
          <h2>Recent runs and events</h2>
          <a href={`/feed?project=${project.slug}`}>All events</a>
        </div>
        <LineList lines={lines} projects={[project]} config={view.ctx.config} />
      </section>
    </div>
  );
  return {
    title: project.slug,
    navEntry: "projects",
    body,
    islands: ["project-page.js", ...(hasHints ? (["copy.js"] as const) : [])],
  };
}

function Models({ models }: { models: Model[] }) {
  return (
    <ul class="models">
      {models.map((model) => (
        <li key={model.id}>
          <code>{model.id}</code> <ModelStatus model={model} />
        </li>
      ))}
    </ul>
  );
}

/** Whether the project has no events except its own link. */
const isUnused = ({ events }: ProjectDetail): boolean =>
  events.every(({ kind }) => kind === "project.linked");

function ProjectHints({ view, project }: { view: View; project: ProjectDetail }) {
  const setup = { project, pendingAsset: null };
  return (
    <section class="hints">
      <h2>Next steps</h2>
      <p class="soft">
        Nothing has happened in {project.slug} yet.{" "}
        {maySetUp(view) && (
          <>
            <a href="/welcome">Get started</a> has all steps.
          </>
        )}
      </p>
      <div class="hint-list">
        <div class="step-body">
          <h3>Report a run</h3>
          {reportBody(view, setup)}
        </div>
        <div class="step-body">
          <h3>Upload an asset</h3>
          {uploadBody(view, setup)}
        </div>
      </div>
    </section>
  );
}
