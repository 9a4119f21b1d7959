/** What a brief says now, beside what the brief of a run said. */

import { listRuns } from "../../feed/operations/feed.ts";
import type { Run, RunPage } from "../../feed/runs/schema.ts";
import { type BriefPart, type ParsedBrief, parseBrief } from "../../overview/brief/parse.ts";
import { getRun } from "../../overview/operations/runs.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { formatDate } from "../format.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, type View } from "../view.ts";
import type { LineChange } from "./brief-lines.tsx";

/** Runs that are offered: the newest of the task, or of the project. */
const runsMax = 50;

/** The newest runs that were given a brief. */
export async function loadBriefedRuns(
  view: View,
  project: string,
  of: { issue: number | undefined; task: string | undefined },
): Promise<Run[]> {
  if (!hasScope(view, "feed:read")) return [];
  const { runs } = await callOperation<RunPage>(view, listRuns, { project, ...of, limit: runsMax });
  return runs.filter(({ brief }) => brief !== null);
}

/** The last brief of a run whose text is kept. */
export async function loadBriefOf(view: View, id: string, project: string) {
  const { briefs } = await callOperation<RunDetail>(view, getRun, { id, project });
  return briefs.findLast(({ text }) => text !== null) ?? null;
}

/** All lines of two briefs, by part, and those that only one of them has. */
export function compareBriefs(
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

export const RunPicker = ({ view, runs, project, chosen }: PickerProps) =>
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
