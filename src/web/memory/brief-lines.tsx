/** The lines of a brief as people read them: each leads to its decision and asset, and says why it is in. */

import type { BriefLine, BriefPart, ParsedBrief } from "../../overview/brief/parse.ts";
import type { BriefAsset, BriefSources } from "../../overview/brief/sources.ts";
import { Actor } from "../actor.tsx";
import { taskName, taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { decisionUrl } from "./decision-list.tsx";

/** Whether a line is only in the newer of two briefs, or only in the older one. */
export type LineChange = "added" | "removed";

interface Props {
  brief: ParsedBrief;
  sources: BriefSources;
  project: string;
  /** By the keys of lines, against another brief. */
  changes?: ReadonlyMap<string, LineChange>;
}

export const BriefLines = ({ brief: { parts, omitted }, ...props }: Props) => (
  <div class="brief-lines">
    {parts.map((part) => (
      <section key={part.title}>
        <h3>{part.title}</h3>
        <ul>
          {part.lines.map((line) => (
            <Line
              key={line.key}
              line={line}
              part={part}
              isRanked={parts.some(({ title }) => title === "Other decisions")}
              {...props}
            />
          ))}
        </ul>
      </section>
    ))}
    {omitted.length > 0 && (
      <section>
        <h3>Left out for length</h3>
        <ul>
          {omitted.map((text) => (
            <li key={text} class="soft">
              {text.replace(/: svc_\w+ \{.*$/, "")}
            </li>
          ))}
        </ul>
      </section>
    )}
  </div>
);

interface LineProps extends Omit<Props, "brief"> {
  line: BriefLine;
  part: BriefPart;
  /** Whether decisions without words of the task are apart from the others. */
  isRanked: boolean;
}

const signs: Record<LineChange, string> = { added: "New", removed: "Gone" };

function Line({ line, part, isRanked, sources, project, changes }: LineProps) {
  const decision = sources.decisionOf(line);
  const asset = sources.assetOf(line);
  const change = changes?.get(line.key);
  const named = { project, issue: line.issue, task: line.task, pr: null };
  const task = taskName(named) === null ? null : named;
  const reason = reasonOf(part, line, isRanked);
  return (
    <li class={change}>
      <p>
        {change && <strong class="change">{signs[change]}</strong>}{" "}
        <bdi>{asset ? withoutTitle(line.text, asset) : line.text}</bdi>
      </p>
      <p class="soft">
        {[
          decision && <a href={decisionUrl(decision)}>Decision {decision.id}</a>,
          asset && (
            <a href={`/assets/${asset.id}`}>
              <bdi>{asset.title}</bdi>, version {asset.version}
            </a>
          ),
          task && <a href={taskUrl(task) ?? ""}>{taskName(task)}</a>,
          ...line.notes,
          line.author && <Actor of={line.author} />,
          line.day && <Time ts={`${line.day}T12:00:00Z`} />,
          reason && <>Included because {reason}</>,
        ]
          .filter((fact) => fact !== null)
          .map((fact, at) => (
            <>
              {at > 0 && " · "}
              {fact}
            </>
          ))}
      </p>
    </li>
  );
}

/** A rejection begins with the title of its asset, which stands below it as a link. */
function withoutTitle(text: string, { title, version }: BriefAsset): string {
  const prefix = `${title}, version ${version}: `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

const reasons: Record<string, string> = {
  "Reopened by a reviewer: do first": "a reviewer reopened it",
  "Rejected: do not repeat": "it was rejected in this project",
  "Relevant decisions": "it applies now",
  "Other decisions": "it applies now, and there was room",
  Models: "it works in a workstream of this project",
  "Recent failures": "nothing has repaired it",
  "Open reviews": "it waits for a review",
  "Usage and cost": "it says what a day costs here",
};

function reasonOf({ title }: BriefPart, { text }: BriefLine, isRanked: boolean): string | null {
  if (title.startsWith("Rejected for issue")) return "it was rejected for this issue";
  if (title.startsWith("Rejected for task")) return "it was rejected for this task";
  if (title === "Relevant decisions" && isRanked) return "it shares words with the task";
  if (title === "Preferences")
    return /^\S+ \(all projects\)/.test(text) ? "it applies to all projects" : "it applies to this project";
  return reasons[title] ?? null;
}
