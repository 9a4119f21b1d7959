/** @jsxImportSource preact */
/** Projects: all of them at a glance, one in full. */

import { hostOf } from "../assets/library.ts";
import type { Decision, Model } from "../memory/schema.ts";
import { getProject, getUsage, listProjects } from "../operations/projects.ts";
import type { Project, ProjectDetail, ProjectList, Usage, UsageList } from "../projects/schema.ts";
import { BarChart, type Series } from "./charts.tsx";
import { Row } from "./feed.tsx";
import { Icon } from "./icons.tsx";
import { Empty } from "./layout.tsx";
import { cost, short, shortDay } from "./numbers.ts";
import { addressWith, ask, filtersOf, type Page, type View } from "./view.ts";

export async function projectsPage(view: View): Promise<Page> {
  const { projects, next_cursor } = await ask<ProjectList>(view, listProjects, { ...filtersOf(view.url, ["cursor"]), limit: 50 });
  const usage = await Promise.all(projects.map((one) => ask<UsageList>(view, getUsage, { slug: one.slug })));
  const body = (
    <>
      <div class="head">
        <h1>Projects</h1>
      </div>
      {projects.length === 0 ? (
        <Empty title="No project is linked yet.">
          <p>
            <code>svc project link atlas --repo owner/name</code>
          </p>
        </Empty>
      ) : (
        <ul class="cards">
          {projects.map((one, at) => (
            <Card key={one.slug} project={one} usage={usage[at]?.usage ?? []} />
          ))}
        </ul>
      )}
      {next_cursor && (
        <p class="older">
          <a href={addressWith(view.url, { cursor: next_cursor })}>More projects</a>
        </p>
      )}
    </>
  );
  return { title: "Projects", place: "projects", body };
}

function Card({ project, usage }: { project: Project; usage: Usage[] }) {
  const { runs, failures, spent } = sumsOf(usage);
  return (
    <li class="card">
      <h2>
        <a href={`/projects/${project.slug}`}>{project.slug}</a> <span class="soft">{project.repo}</span>
      </h2>
      {project.summary && <p>{project.summary}</p>}
      <dl class="facts-grid">
        <Fact name="Open issues" value={String(project.openIssues)} />
        <Fact name="Decisions" value={String(project.decisionsCount)} />
        <Fact
          name="Runs, 30 days"
          value={runs ? `${runs}, ${failures} failed` : "none"}
          tone={runs > 0 && failures / runs > 0.25 ? "bad" : undefined}
        />
        <Fact name="Cost, 30 days" value={cost(spent)} />
        <Fact name="Last active" value={project.lastActivity ? shortDay(project.lastActivity) : "never"} />
        <Fact name="In memory" value={`${project.digest.digested} of ${project.digest.total} events`} />
      </dl>
    </li>
  );
}

const Fact = ({ name, value, tone }: { name: string; value: string; tone?: string | undefined }) => (
  <div>
    <dt>{name}</dt>
    <dd class={tone}>{value}</dd>
  </div>
);

function sumsOf(usage: Usage[]) {
  const sum = (field: "runs" | "failures" | "merges" | "cost_equiv" | "tokens_in" | "tokens_out") =>
    usage.reduce((all, row) => all + row[field], 0);
  return {
    runs: sum("runs"),
    failures: sum("failures"),
    merges: sum("merges"),
    spent: sum("cost_equiv"),
    tokens: sum("tokens_in") + sum("tokens_out"),
  };
}

export async function projectPage(view: View): Promise<Page> {
  const slug = view.params.slug ?? "";
  const [project, { usage }] = await Promise.all([
    ask<ProjectDetail>(view, getProject, { slug }),
    ask<UsageList>(view, getUsage, { slug }),
  ]);
  const by = view.url.searchParams.get("by") === "lane" ? "lane" : "model";
  const days = lastDays(view.ctx.now() / 1000, 30);
  const { runs, failures, merges, spent, tokens } = sumsOf(usage);
  const body = (
    <>
      <div class="head">
        <h1>{project.slug}</h1>
        <a href={`${hostOf(view.ctx.config.githubApiUrl)}/${project.repo}`} rel="noreferrer">
          {project.repo}
        </a>
        {project.stack && <span class="chip">{project.stack}</span>}
        {project.lanes.map((lane) => (
          <span class="chip" key={lane}>
            {lane}
          </span>
        ))}
      </div>
      {project.summary && <p class="lede">{project.summary}</p>}
      <dl class="facts-grid wide">
        <Fact name="Open issues" value={String(project.openIssues)} />
        <Fact name="Runs, 30 days" value={String(runs)} />
        <Fact
          name="Failed"
          value={runs ? `${failures}, ${Math.round((failures / runs) * 100)} %` : "0"}
          tone={runs > 0 && failures / runs > 0.25 ? "bad" : undefined}
        />
        <Fact name="Merged" value={String(merges)} />
        <Fact name="Tokens" value={short(tokens)} />
        <Fact name="Cost" value={cost(spent)} />
        <Fact name="In memory" value={`${project.digest.digested} of ${project.digest.total}`} />
      </dl>
      {project.check_cmd && (
        <p class="check">
          <span class="soft">Check a change with</span> <code>{project.check_cmd}</code>
        </p>
      )}
      <section>
        <div class="head">
          <h2>What it used</h2>
          <nav class="tabs" aria-label="Break down by">
            {(["model", "lane"] as const).map((one) => (
              <a key={one} href={addressWith(view.url, { by: one })} aria-current={by === one ? "true" : undefined}>
                by {one}
              </a>
            ))}
          </nav>
          <a href={`/projects/${project.slug}/usage.csv`} download>
            CSV
          </a>
        </div>
        <div class="charts">
          <BarChart title="Cost" days={days} series={seriesOf(usage, days, by, (row) => row.cost_equiv)} show={cost} />
          <BarChart title="Tokens" days={days} series={seriesOf(usage, days, by, (row) => row.tokens_in + row.tokens_out)} show={short} />
        </div>
      </section>
      <div class="columns">
        <section>
          <h2>Decisions</h2>
          {project.decisions.length === 0 ? <Empty title="Nothing was decided yet." /> : <Decisions decisions={project.decisions} />}
        </section>
        <section>
          <h2>Models</h2>
          {project.models.length === 0 ? <Empty title="No model is onboarded." /> : <Models models={project.models} />}
        </section>
      </div>
      <section>
        <div class="head">
          <h2>Recent events</h2>
          <a href={`/?project=${project.slug}`}>All events</a>
        </div>
        <ol class="events">
          {project.events.map((event) => (
            <Row key={event.id} event={event} />
          ))}
        </ol>
      </section>
    </>
  );
  return { title: project.slug, place: "projects", body };
}

function Decisions({ decisions }: { decisions: Decision[] }) {
  return (
    <ol class="decisions">
      {decisions.map((one) => (
        <li key={one.id} class={one.source === "review" ? "from-review" : undefined}>
          <p class="decision">{one.text}</p>
          <p class="soft">
            <Icon name={one.source === "review" ? "person" : "flag"} /> {shortDay(one.valid_from)} · {one.source}
            {one.source_ref && <SourceRef reference={one.source_ref} isAsset={one.source === "review"} />}
          </p>
        </li>
      ))}
    </ol>
  );
}

function SourceRef({ reference, isAsset }: { reference: string; isAsset: boolean }) {
  const href = isAsset ? `/assets/${encodeURIComponent(reference)}` : reference.startsWith("https://") ? reference : null;
  return <> · {href ? <a href={href}>{isAsset ? "the rejected asset" : reference}</a> : reference}</>;
}

function Models({ models }: { models: Model[] }) {
  return (
    <ul class="models">
      {models.map((one) => (
        <li key={one.id}>
          <code>{one.id}</code>{" "}
          <span class={one.status === "ready" ? "good" : one.status === "stale" ? "warn" : "quiet"}>{one.status}</span>
          <p class="soft">
            {one.provider} · {one.guidance_count} sections, {one.skill_count} skills
            {one.status === "pending" ? "" : ` · refreshed ${one.stale_days} days ago`}
          </p>
        </li>
      ))}
    </ul>
  );
}

const lastDays = (nowMs: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => new Date(nowMs - (count - 1 - at) * 86_400_000).toISOString().slice(0, 10));

const seriesMax = 4;

/** The largest few by name, the rest as one. */
function seriesOf(usage: Usage[], days: string[], by: "model" | "lane", value: (row: Usage) => number): Series[] {
  const groups = [...Map.groupBy(usage, (row) => row[by] ?? `no ${by}`)]
    .map(([name, rows]) => ({ name, rows, total: rows.reduce((sum, row) => sum + value(row), 0) }))
    .filter((group) => group.total > 0)
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  const rest = groups.splice(seriesMax).flatMap((group) => group.rows);
  if (rest.length > 0) groups.push({ name: "others", rows: rest, total: 0 });
  return groups.map(({ name, rows }) => ({
    name,
    values: days.map((day) => rows.filter((row) => row.day === day).reduce((sum, row) => sum + value(row), 0)),
  }));
}

/** The same numbers for a spreadsheet; a text that a spreadsheet could take for a formula is quoted as text. */
export async function usageCsv(view: View): Promise<Response> {
  const { usage } = await ask<UsageList>(view, getUsage, { slug: view.params.slug ?? "", since: view.url.searchParams.get("since") });
  const fields = [
    "day",
    "lane",
    "model",
    "runs",
    "failures",
    "merges",
    "tokens_in",
    "tokens_out",
    "cache_read",
    "cache_write",
    "cost_equiv",
  ] as const;
  const cell = (value: string | number | null) =>
    typeof value === "string" ? `"${value.replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"` : (value ?? "");
  const lines = [fields.join(","), ...usage.map((row) => fields.map((field) => cell(row[field])).join(","))];
  return new Response(`${lines.join("\r\n")}\r\n`, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="usage.csv"',
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
