/** Budgets on the usage page: what is spent of each, and the form that sets one. */
import type { BudgetOwners } from "../../feed/budgets/owners.ts";
import { type Budget, thresholds } from "../../feed/budgets/schema.ts";
import { wholePercent } from "../../feed/budgets/spending.ts";
import type { FullNames } from "../../feed/filter-values.ts";
import { intervals } from "../../feed/usage/schema.ts";
import { ConfirmForm } from "../confirm-form.tsx";
import { formatCost, formatDate } from "../format.ts";
import { hasScope, MissingScope, PostForm, Select } from "../layout.tsx";
import { personName } from "../lists/owners.ts";
import { Notice } from "../notice.tsx";
import type { View } from "../view.ts";

/** A budget that was not set: the error, and what was typed. */
export interface RefusedBudget {
  message: string;
  given: Readonly<Record<string, string>>;
}

interface BudgetsProps {
  view: View;
  budgets: Budget[];
  slugs: string[];
  /** Those that events have. */
  lanes: string[];
  owners: BudgetOwners;
  names: FullNames;
  /** Whether the form is open: on a page with nothing else. */
  isOpen: boolean;
  refused: RefusedBudget | undefined;
}

export function Budgets({ view, budgets, refused, ...choices }: BudgetsProps) {
  const canWrite = hasScope(view, "budgets:write");
  if (budgets.length === 0 && !canWrite) return null;
  return (
    <section id="budgets">
      {budgets.length > 0 && (
        <div class="head">
          <h2>Budgets</h2>
        </div>
      )}
      {budgets.length > 0 && (
        <ul class="budgets panel">
          {budgets.map((budget) => (
            <li key={budget.id}>
              <BudgetState budget={budget} name={nameOf(budget, choices.names)} />
              {canWrite && (
                <ConfirmForm
                  view={view}
                  action={`/usage/budgets/${budget.id}/remove`}
                  verb="Remove"
                  of={`the budget ${nameOf(budget, choices.names)}`}
                  text="svc stops reporting its spending. Events and costs stay."
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {canWrite ? (
        <SetForm view={view} refused={refused} {...choices} />
      ) : (
        <MissingScope view={view} scope="budgets:write" to="set budgets" />
      )}
    </section>
  );
}

/** `Dana Okafor, month`: the name of the budget, with that of its person. */
function nameOf({ name, person }: Budget, names: FullNames): string {
  const parts = name.split(", ");
  return person ? parts.with(parts.lastIndexOf(person), personName(person, names)).join(", ") : name;
}

const BudgetState = ({ budget, name }: { budget: Budget; name: string }) => (
  <div>
    <p class="budget-head">
      <strong>{name}</strong>{" "}
      <span>
        {formatCost(budget.spent)} of {formatCost(budget.amount)}
      </span>
    </p>
    <BudgetBar budget={budget} />
    <p class="soft">
      {budget.percent >= 100 ? (
        <strong class="bad">Spent. </strong>
      ) : (
        `${budget.percent}%, ${formatCost(budget.left)} left. `
      )}
      {budget.start === budget.end ? "Today" : `Until ${formatDate(`${budget.end}T00:00:00Z`)}`}
      {budget.forecast !== null && (
        <>
          {": "}
          <span class={budget.forecast > budget.amount ? "warn" : undefined}>
            {formatCost(budget.forecast)} at this rate
            {budget.forecast > budget.amount &&
              `, ${formatCost(budget.forecast - budget.amount)} over budget`}
          </span>
        </>
      )}
      .
    </p>
  </div>
);

/** The bar ends at 125%, so that what is too much is seen as well. */
const barMax = 125;
const width = (percent: number): string => `${(Math.min(barMax, percent) / barMax) * 100}%`;

function BudgetBar({ budget: { percent, forecast, amount } }: { budget: Budget }) {
  const level = percent >= 100 ? "spent" : percent >= 80 ? "high" : "low";
  const expected = forecast === null ? null : (forecast / amount) * 100;
  const outlook = forecast === null ? "" : `, ${wholePercent(forecast, amount)}% expected at the end`;
  return (
    <svg class={`budget-bar ${level}`} role="img" aria-label={`${percent}% spent${outlook}`}>
      <rect class="track" width={width(100)} y="20%" height="60%" />
      {expected !== null && <rect class="expected" width={width(expected)} y="20%" height="60%" />}
      <rect class="used" width={width(percent)} y="20%" height="60%" />
      {thresholds.map((threshold) => (
        <line key={threshold} x1={width(threshold)} x2={width(threshold)} y1="0" y2="100%" />
      ))}
    </svg>
  );
}

const SetForm = ({
  view,
  slugs,
  lanes,
  owners: { people, teams },
  names,
  isOpen,
  refused,
}: Omit<BudgetsProps, "budgets">) => (
  <details class="decide" open={isOpen || refused !== undefined}>
    <summary>Set a budget</summary>
    <Notice text={refused?.message} />
    <PostForm view={view} action="/usage/budgets" class="filters budget-form">
      <Select name="project" label="Project" value={refused?.given.project} options={slugs} />
      {teams.length > 0 && <Select name="team" label="Team" value={refused?.given.team} options={teams} />}
      {people.length > 0 && (
        <Select
          name="person"
          label="Person"
          value={refused?.given.person}
          options={people}
          nameOf={(id) => personName(id, names)}
        />
      )}
      {lanes.length > 0 && (
        <Select name="lane" label="Workstream" value={refused?.given.lane} options={lanes} />
      )}
      <label>
        Model <input name="model" maxLength={128} placeholder="All" value={refused?.given.model} />
      </label>
      <Select
        name="period"
        label="Each"
        value={refused?.given.period ?? "month"}
        options={intervals}
        hasAll={false}
      />
      <label>
        Amount in USD{" "}
        <input type="number" name="amount" min="0.01" step="0.01" required value={refused?.given.amount} />
      </label>
      <button type="submit" class="primary">
        Set budget
      </button>
    </PostForm>
    <p class="soft">
      There is one budget for each choice; setting it again changes its amount.{" "}
      {(teams.length > 0 || people.length > 0) &&
        "That of a team or a person counts all of their work, of any workstream and model. "}
      Days are UTC days, and weeks start on Monday.
    </p>
  </details>
);
