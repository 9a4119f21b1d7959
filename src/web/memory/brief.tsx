/** The brief of the memory page: what an agent that starts a task now reads, in lines for people and as given. */
import { authorize } from "../../core/auth/authorization.ts";
import { badRequest } from "../../core/problem.ts";
import { isTaskKey, shownKey } from "../../core/task-key.ts";
import { listRuns } from "../../feed/operations/feed.ts";
import type { Run, RunPage } from "../../feed/runs/schema.ts";
import { compileBrief } from "../../overview/brief/brief.ts";
import { type BriefPart, type ParsedBrief, parseBrief } from "../../overview/brief/parse.ts";
import { loadBriefSources } from "../../overview/brief/sources.ts";
import { brief as briefOperation } from "../../overview/operations/memory.ts";
import { getRun } from "../../overview/operations/runs.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { formatCount, formatDate, pluralize } from "../format.ts";
import { EmptyState, hasScope } from "../layout.tsx";
import { runUrl, type TaskOf, taskName } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, readFor, urlWith, type View } from "../view.ts";
import { BriefLines, type LineChange } from "./brief-lines.tsx";

interface BriefOptions {
  /** A run, to compare with its brief. */
  run?: string;
  /** What the agent is asked to do. */
  intent?: string;
}

/** The URL of the brief of a project, or of one of its tasks. */
export const briefUrl = (
  project: string,
  of: Pick<TaskOf, "issue" | "task"> | null,
  { run, intent }: BriefOptions = {},
): string =>
  `/memory?${new URLSearchParams({
    view: "brief",
    project,
    ...(of?.issue && { issue: String(of.issue) }),
    ...(of?.task && { task: of.task }),
    ...(intent && { intent }),
    ...(run && { with: run }),
  })}`;

export async function briefSection(view: View, project: string | undefined) {
  if (project === undefined) return <EmptyState title="No projects yet." />;
  const { ctx, visitor, url } = view;
  const { intent, with: run, ...filters } = filtersOf(url, ["intent", "issue", "task", "with"]);
  const issue = issueOf(filters.issue);
  const task = keyOf(filters.task);
  const name = taskName({ issue: issue ?? null, task: task ?? null, pr: null });
  authorize(visitor.caller, briefOperation.scope, ctx.config);
  const query = { project, ...(intent && { intent }), ...(issue && { issue }), ...(task && { task }) };
  const [{ brief, decisions }, runs, given] = await Promise.all([
    readFor(view, compileBrief(ctx, query, visitor.caller)),
    loadBriefedRuns(view, project, { issue, task }),
    run === undefined ? null : loadBriefOf(view, run, project),
  ]);
  const now = parseBrief(brief.text);
  const compared = given?.text ? compareBriefs(given.text, now) : { brief: now, changes: new Map() };
  const ids = [...decisions, ...(given?.decisions ?? [])];
  const sources = await readFor(view, loadBriefSources(ctx, [compared.brief], ids, visitor.caller));
  return (
    <section>
      <div class="head">
        <h2>
          Brief for {project}
          {name && `, ${name}`}
        </h2>
        <button type="button" class="button" data-copies="brief-text" hidden>
          Copy as given
        </button>
      </div>
      <p class="soft">
        What an agent reads before it starts, with <code>svc_brief</code> or <code>svc brief</code>:{" "}
        {formatCount(brief.chars)} characters.
      </p>
      <RunPicker view={view} runs={runs} project={project} chosen={run} />
      {run !== undefined && (
        <p class={given?.text ? "notice good" : "notice"} role="status">
          {given?.text ? (
            <>
              Against the brief that <a href={runUrl({ id: run, project })}>this run</a> got{" "}
              <Time ts={given.at} as="exact" />: {countChanges(compared.changes)}.{" "}
            </>
          ) : (
            "The text of this run's brief is not kept. "
          )}
          <a href={urlWith(url, { with: null })}>Stop comparing</a>
        </p>
      )}
      <BriefLines brief={compared.brief} sources={sources} project={project} changes={compared.changes} />
      <AsGiven text={brief.text} id="brief-text" />
    </section>
  );
}

function issueOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw badRequest(`issue: '${text}' is not the number of an issue.`);
  return Number(text);
}

function keyOf(text: string | undefined): string | undefined {
  if (text === undefined || isTaskKey(text)) return text && shownKey(text);
  throw badRequest(`task: '${text}' is not the key of a task, such as PROJ-123.`);
}

function countChanges(changes: ReadonlyMap<string, string>): string {
  const count = (of: string) => [...changes.values()].filter((change) => change === of).length;
  const [added, removed] = [count("added"), count("removed")];
  return added + removed === 0 ? "the same" : `${pluralize(added, "new line")}, ${removed} gone`;
}

/** The text with its fences and ids, folded. */
export const AsGiven = ({ text, id }: { text: string; id?: string }) => (
  <details class="as-given">
    <summary>As given to the agent</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
    <pre class="brief" id={id} tabIndex={0}>
      {text}
    </pre>
  </details>
);

/** Runs that are offered: the newest of the task, or of the project. */
const runsMax = 50;

/** The newest runs that were given a brief. */
async function loadBriefedRuns(
  view: View,
  project: string,
  of: { issue: number | undefined; task: string | undefined },
): Promise<Run[]> {
  if (!hasScope(view, "feed:read")) return [];
  const { runs } = await callOperation<RunPage>(view, listRuns, { project, ...of, limit: runsMax });
  return runs.filter(({ brief }) => brief !== null);
}

/** The last brief of a run whose text is kept. */
async function loadBriefOf(view: View, id: string, project: string) {
  const { briefs } = await callOperation<RunDetail>(view, getRun, { id, project });
  return briefs.findLast(({ text }) => text !== null) ?? null;
}

/** All lines of two briefs, by part, and those that only one of them has. */
function compareBriefs(
  before: string,
  now: ParsedBrief,
): { brief: ParsedBrief; changes: Map<string, LineChange> } {
  const old = parseBrief(before);
  const keys = (brief: ParsedBrief) =>
    new Set(brief.parts.flatMap(({ lines }) => lines.map(({ key }) => key)));
  const [oldKeys, newKeys] = [keys(old), keys(now)];
  const changes = new Map<string, LineChange>([
    ...[...newKeys.difference(oldKeys)].map((key): [string, LineChange] => [key, "added"]),
    ...[...oldKeys.difference(newKeys)].map((key): [string, LineChange] => [key, "removed"]),
  ]);
  const titles = new Set([...now.parts, ...old.parts].map(({ title }) => title));
  const linesOf = ({ parts }: ParsedBrief, title: string) =>
    parts.find((part) => part.title === title)?.lines ?? [];
  const parts = [...titles].map(
    (title): BriefPart => ({
      title,
      lines: [
        ...linesOf(now, title),
        ...linesOf(old, title).filter(({ key }) => changes.get(key) === "removed"),
      ],
    }),
  );
  return { brief: { parts: parts.filter(({ lines }) => lines.length > 0), omitted: now.omitted }, changes };
}

interface PickerProps {
  view: View;
  runs: readonly Run[];
  project: string;
  chosen: string | undefined;
}

const RunPicker = ({ view, runs, project, chosen }: PickerProps) =>
  runs.length > 0 && (
    <form class="compare-brief" method="get" action="/memory">
      <input type="hidden" name="view" value="brief" />
      <input type="hidden" name="project" value={project} />
      {["intent", "issue", "task"].map((name) => {
        const value = view.url.searchParams.get(name);
        return value && <input key={name} type="hidden" name={name} value={value} />;
      })}
      <label>
        Compare with the brief of{" "}
        <select name="with">
          {runs.map((run) => (
            <option key={run.id} value={run.id} selected={run.id === chosen}>
              {formatDate(run.started_at)}: {run.title}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Compare</button>
    </form>
  );
