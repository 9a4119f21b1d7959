/** The project list. */

import { placeName } from "../../core/forges/schema.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { Project, ProjectList } from "../../feed/projects/schema.ts";
import { loadDailyUsage } from "../../overview/projects/daily-usage.ts";
import type { DailyUsageRow } from "../../overview/rows.ts";
import { Sparkline } from "../charts/charts.tsx";
import { formatCost } from "../format.ts";
import { EmptyState, maySetUp } from "../layout.tsx";
import { openIssuesUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { countedUrl } from "../usage/counted-events.tsx";
import { Fact, lastDays } from "../usage/usage.tsx";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";

export async function projectsPage(view: View): Promise<Page> {
  const { projects, next_cursor } = await callOperation<ProjectList>(view, listProjects, {
    ...filtersOf(view.url, ["cursor"]),
    limit: 50,
  });
  const days = lastDays(view.ctx);
  const slugs = projects.map(({ slug }) => slug);
  const usage = await loadDailyUsage(view.ctx, slugs, days.length);
  const body = (
    <>
      <div class="head">
        <h1>Projects</h1>
      </div>
      {projects.length === 0 ? (
        <EmptyState title="No projects yet.">
          {maySetUp(view) ? (
            <p>
              Link one with <code>svc project link atlas --repo owner/name</code>, or see{" "}
              <a href="/welcome">Get started</a>.
            </p>
          ) : (
            <p>Ask your admin to link one.</p>
          )}
        </EmptyState>
      ) : (
        <ul class="cards">
          {projects.map((project) => (
            <Card key={project.slug} project={project} usage={usage.get(project.slug) ?? []} days={days} />
          ))}
        </ul>
      )}
      {next_cursor && (
        <p class="older">
          <a class="button" href={urlWith(view.url, { cursor: next_cursor })}>
            More projects
          </a>
        </p>
      )}
    </>
  );
  return { title: "Projects", navEntry: "projects", body };
}

function Card({ project, usage, days }: { project: Project; usage: DailyUsageRow[]; days: string[] }) {
  const sum = (field: "runs" | "failures" | "merges" | "cost_equiv") =>
    usage.reduce((all, row) => all + row[field], 0);
  const [runs, failures] = [sum("runs"), sum("failures")];
  const { slug } = project;
  const range = { from: days[0] as string, to: days.at(-1) as string, project: slug };
  return (
    <li class="card">
      <div>
        <h2>
          <a href={`/projects/${project.slug}`}>{project.slug}</a>
        </h2>
        <p class="soft">{placeName(project)}</p>
      </div>
      {project.summary && <p>{project.summary}</p>}
      <Sparkline usage={usage} days={days} />
      <dl class="facts-grid">
        <Fact
          name="Runs"
          value={runs ? `${runs}, ${failures} failed` : "none"}
          isBad={runs > 0 && failures / runs > 0.25}
          href={countedUrl("runs", range)}
        />
        <Fact name="Cost" value={formatCost(sum("cost_equiv"))} href={`/usage?project=${slug}&by=task`} />
        <Fact name="Merged" value={String(sum("merges"))} href={countedUrl("merges", range)} />
        <Fact name="Open issues" value={String(project.openIssues)} href={openIssuesUrl(slug)} />
        <Fact name="Decisions" value={String(project.decisionsCount)} href={`/memory?project=${slug}`} />
        <Fact
          name="Last active"
          value={project.lastActivity ? <Time ts={project.lastActivity} /> : "never"}
        />
      </dl>
    </li>
  );
}
