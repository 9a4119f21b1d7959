/** Linked projects: the list with its form, and the page of one. */
import { type ForgeName, forges, placeName } from "../../core/forges/schema.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { Project, ProjectList } from "../../feed/projects/schema.ts";
import { getProject } from "../../overview/operations/projects.ts";
import type { ProjectDetail } from "../../overview/projects/schema.ts";
import { EmptyState, hasScope } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { callOperation, type Form, type Page, type View } from "../view.ts";
import { ProjectForm } from "./project-form.tsx";
import { type Outcome, requireAdminVisitor, settingsFrame } from "./sections.tsx";

export const projectParameters = ["done"];

const results: Record<string, string> = {
  linked: "Linked. Connect its forge next, so that its events arrive: see Deployment for incoming webhooks.",
  saved: "Saved.",
};

/** The projects to choose from; none for a visitor who may not read them. */
export async function projectSlugs(view: View): Promise<string[]> {
  if (!hasScope(view, "feed:read")) return [];
  const { projects } = await callOperation<ProjectList>(view, listProjects);
  return projects.map(({ slug }) => slug).toSorted();
}

/** @throws {Problem} 401 or 403 unless the visitor is an admin */
export async function projectsSettingsPage(view: View, outcome?: Outcome, given?: Form): Promise<Page> {
  requireAdminVisitor(view);
  const { projects } = await callOperation<ProjectList>(view, listProjects);
  return settingsFrame(view, "projects", {
    outcome,
    children: (
      <>
        <section>
          {projects.length === 0 ? (
            <EmptyState title="No projects yet.">
              <p>A project is a repository whose events, runs, assets, and memory belong together.</p>
            </EmptyState>
          ) : (
            <Table label="Projects" columns={columns} rows={projects} keyOf={({ slug }) => slug} />
          )}
        </section>
        <section id="link">
          <h2>Link a project</h2>
          <ProjectForm view={view} action="/settings/projects" given={given ?? new Map()} isNew />
        </section>
      </>
    ),
  });
}

const columns: readonly Column<Project>[] = [
  { label: "Project", isName: true, cell: ({ slug }) => <a href={`/settings/projects/${slug}`}>{slug}</a> },
  { label: "Repository", class: "wraps", cell: placeName },
  { label: "Review", cell: ({ slug }) => <a href={`/projects/${slug}/review`}>Policies and checklists</a> },
  { label: "Budgets", cell: ({ slug }) => <a href={`/usage?project=${slug}#budgets`}>Budgets</a> },
];

/** @throws {Problem} 401 or 403 unless the visitor is an admin, 404 without such a project */
export async function projectSettingsPage(view: View, outcome?: Outcome, given?: Form): Promise<Page> {
  requireAdminVisitor(view);
  const { slug = "" } = view.params;
  const project = await callOperation<ProjectDetail>(view, getProject, { slug });
  const done = results[view.url.searchParams.get("done") ?? ""];
  return settingsFrame(view, "projects", {
    title: slug,
    beside: <a href={`/projects/${slug}`}>Open the project</a>,
    outcome: outcome ?? (done ? { text: done, isGood: true } : undefined),
    children: (
      <>
        <section>
          <ProjectForm
            view={view}
            action={`/settings/projects/${slug}`}
            given={given ?? fieldsOf(project)}
            isNew={false}
          />
        </section>
        <section>
          <h2>Rules</h2>
          <ul class="plain-links">
            <li>
              <a href={`/projects/${slug}/review`}>Review policies, checklists, and repeats</a>
            </li>
            <li>
              <a href={`/usage?project=${slug}#budgets`}>Budgets</a>
            </li>
            <li>
              <a href={`/memory?project=${slug}&view=preferences`}>Preferences</a>
            </li>
          </ul>
        </section>
      </>
    ),
  });
}

function fieldsOf(project: ProjectDetail): Form {
  const { repo, forge, host, stack, summary, check_cmd, branch_pattern, task_url, lanes } = project;
  const ownHost = host === forges[forge as ForgeName]?.host ? "" : host;
  const fields = {
    repo,
    forge,
    host: ownHost,
    stack,
    summary,
    check_cmd,
    branch_pattern,
    task_url,
    lanes: lanes.join(", "),
  };
  return new Map(Object.entries(fields).map(([name, value]) => [name, value ?? ""]));
}
