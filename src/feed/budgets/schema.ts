/** Schemas of budgets: the most that work should cost in a period. */
import { type Static, Type } from "@sinclair/typebox";
import {
  Actor,
  Choice,
  Cost,
  DateTime,
  Id,
  Lane,
  Line,
  Nullable,
  PersonId,
  ProjectName,
  Slug,
  TeamName,
} from "../../core/wire.ts";
import { Day, intervals } from "../usage/schema.ts";

/** A notice is written when this much of a budget is spent, in percent. */
export const thresholds = [50, 80, 100] as const;
/** The highest threshold that is reached; 0 for none. */
export type Threshold = 0 | (typeof thresholds)[number];

/** Bounds the work that each append does, and the lists. */
export const budgetsMax = 100;

const model = Line(128, { description: "Model.", examples: ["claude-sonnet-4-5"] });
const period = Choice(intervals, {
  description: "UTC day, week from Monday, or month.",
  examples: ["month"],
});
const amount = Cost("What may be spent in a period, in USD.", 200, { minimum: 0.01, maximum: 1e12 });
const id = Id({ description: "Id of the budget.", examples: [3] });

/** What a budget counts work by, in the order of its name. */
export const scopeFields = ["project", "team", "person", "lane", "model"] as const;

/** The work that is asked about. */
const work = {
  project: Type.Optional(ProjectName),
  lane: Type.Optional(Lane),
  model: Type.Optional(model),
};

// Without examples: the one of the request has a lane and a model.
const [{ examples: _, ...team }, { examples: __, ...person }] = [TeamName, PersonId];

export const BudgetInput = Type.Object({
  project: Type.Optional({ ...ProjectName, description: "Count only this project." }),
  team: Type.Optional({ ...team, description: "Count only work of this team; without a lane or model." }),
  person: Type.Optional({ ...person, description: "Count only their work; without a lane or model." }),
  lane: Type.Optional({ ...Lane, description: "Count only this lane." }),
  model: Type.Optional({ ...model, description: "Count only this model." }),
  period,
  amount,
  by: Type.Optional(Actor),
});
export type BudgetInput = Static<typeof BudgetInput>;

/** Of the caller's own team and person: an agent's tool needs no fields for them. */
export const BudgetCheckQuery = Type.Object(work);
export type BudgetCheckQuery = Static<typeof BudgetCheckQuery>;

export const BudgetQuery = Type.Object({
  ...work,
  team: Type.Optional(TeamName),
  person: Type.Optional(PersonId),
});
export type BudgetQuery = Static<typeof BudgetQuery>;

export const BudgetPath = Type.Object({ id, by: Type.Optional(Actor) });
export type BudgetPath = Static<typeof BudgetPath>;

const state = {
  id,
  name: Type.String({ description: "What it counts, and its period.", examples: ["atlas, month"] }),
  project: Nullable(Slug),
  team: Nullable(Type.String({ description: "Team whose work it is; null for any." })),
  person: Nullable(Type.String({ description: "Person whose work it is; null for any." })),
  lane: Nullable(Type.String({ description: "Lane of the work; null for any." })),
  model: Nullable(Type.String({ description: "Model of the work; null for any." })),
  period,
  amount,
  start: Day("First UTC day of the current period.", "2026-01-01"),
  end: Day("Its last day.", "2026-01-31"),
  spent: Cost("Spent in the current period, in USD.", 160.2),
  left: Cost("What is left, in USD; 0 when it is spent.", 39.8),
  percent: Type.Integer({ minimum: 0, description: "`spent` in percent of `amount`.", examples: [80] }),
};

export const BudgetState = Type.Object(state, {
  $id: "BudgetState",
  description: "A budget, and what is spent of it.",
});
export type BudgetState = Static<typeof BudgetState>;

export const Budget = Type.Object(
  {
    ...state,
    forecast: Nullable(
      Cost(
        "What the period will have cost at its end, in USD: `spent`, and the median of the last seven full " +
          "days for each day that is left, in part for today. Null if fewer than four of them cost anything.",
        206.5,
      ),
    ),
    changed_by: Actor,
    changed_at: DateTime({ description: "When the amount was set." }),
  },
  { $id: "Budget", description: "A budget, what is spent of it, and what it will be at this rate." },
);
export type Budget = Static<typeof Budget>;

export const BudgetList = Type.Object(
  {
    budgets: Type.Array(Budget),
    count: Type.Integer({ minimum: 0, description: "Number of budgets.", examples: [1] }),
  },
  { $id: "BudgetList", description: "Sorted by what they count, then by period." },
);
export type BudgetList = Static<typeof BudgetList>;

export const BudgetCheck = Type.Object(
  {
    exhausted: Type.Boolean({ description: "One of them is spent." }),
    budgets: Type.Array(BudgetState, { description: "The highest percentage first." }),
    count: Type.Integer({ minimum: 0, description: "Number of budgets.", examples: [1] }),
  },
  { $id: "BudgetCheck", description: "What is left of the budgets for some work." },
);
export type BudgetCheck = Static<typeof BudgetCheck>;

export const BudgetSet = Type.Object(
  {
    ...Budget.properties,
    changed: Type.Boolean({ description: "False if it had this amount already." }),
  },
  { $id: "BudgetSet" },
);
export type BudgetSet = Static<typeof BudgetSet>;
