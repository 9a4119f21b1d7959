/** @jsxImportSource preact */
/** Runs on Today, each in a sentence: what, result, cost against the usual of its kind. */
import type { ComponentChildren } from "preact";
import { type Micros, toMicros } from "../../core/lib/time.ts";
import type { Run } from "../../feed/runs/schema.ts";
import type { Today } from "../../overview/today/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatDuration, pluralize } from "../format.ts";
import { Icon, type IconName, type Tone } from "../icons/icons.tsx";
import { runUrl, taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { AllInFeed, Section } from "./section.tsx";

export const RunningRuns = ({ running, now }: { running: Today["running"]; now: Micros }) => (
  <Section id="running" title="In flight" count={running.count} none="No run is in flight.">
    <ol class="items panel">
      {running.runs.map((run) => (
        <Item key={run.id} run={run} icon={["run", "info"]}>
          {formatDuration(since(run.started_at, now))} so far
          {run.steps > 0 && `, ${pluralize(run.steps, "step")}`}
          {run.cost_equiv > 0 && `, ${formatCost(run.cost_equiv)}`}
        </Item>
      ))}
    </ol>
  </Section>
);

export const FinishedRuns = ({
  today: { finished, since },
}: {
  today: Pick<Today, "finished" | "since">;
}) => (
  <Section
    id="finished"
    title="Finished"
    count={finished.count}
    none="No run has finished."
    aside={finished.count > finished.runs.length && <AllInFeed kinds={["run.finished"]} since={since} />}
  >
    <ol class="items panel">
      {finished.runs.map(({ run, usual_cost }) => (
        <Item key={run.id} run={run} icon={["check", "good"]}>
          {[
            run.duration_ms === null ? null : formatDuration(run.duration_ms),
            run.assets > 0 ? pluralize(run.assets, "asset") : null,
            run.decisions > 0 ? pluralize(run.decisions, "decision") : null,
            run.cost_equiv > 0 ? costText(run.cost_equiv, usual_cost) : null,
          ]
            .filter((fact) => fact !== null)
            .join(", ")}
        </Item>
      ))}
    </ol>
  </Section>
);

interface ItemProps {
  run: Run;
  icon: [IconName, Tone];
  children: ComponentChildren;
}

const Item = ({ run, icon: [icon, tone], children }: ItemProps) => (
  <li>
    <span class={`item-icon ${tone}`}>
      <Icon name={icon} />
    </span>
    <div>
      <a href={runUrl(run)} data-item>
        <bdi>{run.title}</bdi>
      </a>
      {run.summary !== run.title && (
        <p class="soft">
          <bdi>{run.summary}</bdi>
        </p>
      )}
      <p class="soft">
        <Time ts={run.last_event_at} as="short" /> · <Actor of={run.actor} /> in{" "}
        <a href={`/projects/${run.project}`}>{run.project}</a>
        <TaskLink run={run} />: {children}
      </p>
    </div>
  </li>
);

function TaskLink({ run }: { run: Run }) {
  const href = taskUrl(run);
  return (
    href && (
      <>
        , <a href={href}>#{run.issue ?? run.pr}</a>
      </>
    )
  );
}

const since = (ts: string, now: Micros): number => Math.max(0, Math.round((now - toMicros(ts)) / 1000));

/** A cost within these factors of the usual one is as usual. */
const asUsual = { least: 0.67, most: 1.5 };

/** $0.42, 3 times the usual $0.14 */
export function costText(cost: number, usual: number | null): string {
  const text = formatCost(cost);
  if (usual === null) return text;
  const ratio = cost / usual;
  if (ratio >= asUsual.most)
    return `${text} (${Number(ratio.toPrecision(2))} times the usual ${formatCost(usual)})`;
  return ratio <= asUsual.least ? `${text} (less than the usual ${formatCost(usual)})` : `${text} (as usual)`;
}
