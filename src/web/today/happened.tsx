/** The end of the stack: what happened, a sentence a task, what runs, what was decided, and money in a line. */

import { dayOf, type Micros, toMicros } from "../../core/lib/time.ts";
import type { BudgetCheck } from "../../feed/budgets/schema.ts";
import { budgetLine } from "../../feed/budgets/text.ts";
import type { Run } from "../../feed/runs/schema.ts";
import type { HappenedTask } from "../../overview/today/schema.ts";
import type { Stack } from "../../overview/today/today.ts";
import { Actor } from "../actor.tsx";
import { countText, formatCost, formatDuration, pluralize } from "../format.ts";
import { Icon } from "../icons/icons.tsx";
import { PostForm } from "../layout.tsx";
import { decisionUrl, headline } from "../memory/decision-list.tsx";
import { runUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";
import { canMark, pathOf } from "./stack.tsx";

export function Happened({ stack, now }: { stack: Stack; now: Micros }) {
  const { since, happened, running, decisions, needs } = stack;
  const isQuiet = happened.count + running.count + (decisions?.count ?? 0) === 0;
  return (
    <section id="today-happened" data-live>
      <h2>
        Since <Time ts={since} as="exact" /> {happened.count > 0 && <Count of={happened.count} />}
      </h2>
      {isQuiet && <p class="soft">Nothing has finished, and nothing is running.</p>}
      <ol class="happened">
        {running.runs.map((run) => (
          <Running key={run.id} run={run} now={now} />
        ))}
        {happened.tasks.map((task) => (
          <Task key={task.url} task={task} />
        ))}
        {decisions && decisions.count > 0 && <NewDecisions found={decisions} />}
      </ol>
      <p class="soft">
        {happened.count > happened.tasks.length && (
          <>
            <a href="/tasks">All tasks</a>.{" "}
          </>
        )}
        {needs.repaired > 0 &&
          `${pluralize(needs.repaired, "failure")} of the last 30 days repaired, so not listed.`}
      </p>
    </section>
  );
}

const Count = ({ of }: { of: number }) => <span class="count">{countText(of)}</span>;

const Running = ({ run, now }: { run: Run; now: Micros }) => (
  <li>
    <span class="info">
      <Icon name="run" />
    </span>
    <span>
      <a href={runUrl(run)}>
        <bdi>{run.title}</bdi>
      </a>
      : running for {formatDuration(Math.max(0, Math.round((now - toMicros(run.started_at)) / 1000)))}
      {run.cost_equiv > 0 && `, ${formatCost(run.cost_equiv)}`}, by <Actor of={run.actor} />
      <Where project={run.project} />
    </span>
  </li>
);

/** `Warn of arrivals above 6 Bft: 1 run, $0.41, merged as #470` */
const Task = ({ task }: { task: HappenedTask }) => (
  <li>
    <span class="good">
      <Icon name={task.merged_as === null ? "check" : "merge"} />
    </span>
    <span>
      <a href={pathOf(task)}>
        <bdi>{task.title}</bdi>
      </a>
      : {task.text}
      <Where project={task.project} />
      <span class="soft">
        {" "}
        · <Time ts={task.at} />
      </span>
    </span>
  </li>
);

const Where = ({ project }: { project: string }) => <span class="soft"> · {project}</span>;

const NewDecisions = ({ found: { count, decisions } }: { found: NonNullable<Stack["decisions"]> }) => (
  <li>
    <span class="warn">
      <Icon name="flag" />
    </span>
    <span>
      <a href="/memory">{count === 1 ? "1 new decision" : `${countText(count)} new decisions`}</a>
      {decisions[0] && (
        <>
          {count > 1 ? ", the newest" : ""}:{" "}
          <a href={decisionUrl(decisions[0])}>
            <bdi>{headline(decisions[0].text).replace(/\.$/, "")}</bdi>
          </a>
          , by <Actor of={decisions[0].actor} />
        </>
      )}
    </span>
  </li>
);

/** A budget is named from this share on. */
const percentMin = 80;

/** Money in one line, and the button that marks everything as read. */
export function EndOfStack({ view, stack, budgets }: { view: View; stack: Stack; budgets: BudgetCheck }) {
  const { today, usual, teams, own } = stack.spend;
  const day = dayOf(view.ctx.now());
  const spentBy = (owner: Record<string, string>) =>
    `/usage?${new URLSearchParams({ from: day, to: day, ...owner })}`;
  const { person } = view.visitor.caller;
  const [most, ...otherTeams] = teams;
  const [first, ...others] = budgets.budgets.filter(({ percent }) => percent >= percentMin);
  return (
    <section id="today-end" data-live>
      <p class="money">
        <Icon name="coins" /> <a href={spentBy({})}>{formatCost(today)} today</a>
        {usual > 0 && `, ${formatCost(usual)} on a usual day`}
        {own !== null && person !== undefined && (
          <>
            , <a href={spentBy({ person, by: "run" })}>{formatCost(own)} yours</a>
          </>
        )}
        .{" "}
        {most && (
          <>
            <a href={spentBy({ team: most.team, by: "run" })}>
              {most.team} {formatCost(most.cost_equiv)}
            </a>
            {otherTeams.length > 0 && (
              <>
                , <a href={spentBy({ by: "team" })}>{pluralize(otherTeams.length, "other team")}</a>
              </>
            )}
            .{" "}
          </>
        )}
        {first && (
          <a href="/usage#budgets" class={first.percent >= 100 ? "bad" : "warn"}>
            {budgetLine(first)}
            {others.length > 0 && ` ${others.length} more from ${percentMin}% on.`}
          </a>
        )}
      </p>
      <div class="stack-end">
        <p>{stack.needs.count === 0 ? "You are done." : `${countText(stack.needs.count)} to go.`}</p>
        {canMark(view) && (
          <PostForm view={view} action="/today/read">
            <input type="hidden" name="until" value={stack.until} />
            <button type="submit">Mark all as read</button>
          </PostForm>
        )}
      </div>
    </section>
  );
}
