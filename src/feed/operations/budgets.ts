/** Operations on budgets. */

import { operationOf } from "../../core/operation.ts";
import * as budgets from "../budgets/budgets.ts";
import {
  BudgetCheck,
  BudgetCheckQuery,
  BudgetInput,
  BudgetList,
  BudgetPath,
  BudgetQuery,
  BudgetSet,
  BudgetState,
} from "../budgets/schema.ts";
import { checkText } from "../budgets/text.ts";
import type { FeedContext } from "../context.ts";

const operation = operationOf<FeedContext>("budgets");

export const listBudgets = operation({
  id: "listBudgets",
  summary: "List budgets",
  description:
    "Budgets with what is spent in their current period, and a forecast. With `project`, `team`, " +
    "`person`, `lane` or `model`, those that such work counts against. A token limited to projects sees " +
    "only theirs.",
  scope: "feed:read",
  http: { method: "GET", path: "/budgets", errors: [404] },
  input: BudgetQuery,
  output: BudgetList,
  run: budgets.listBudgets,
});

export const checkBudgets = operation({
  id: "checkBudgets",
  summary: "Check budgets",
  description: "What is left of the budgets for this work. Do not start work on a spent one.",
  scope: "feed:read",
  http: { method: "GET", path: "/budgets/check", errors: [404] },
  tool: { name: "svc_budgets", title: "Check budgets", text: checkText },
  input: BudgetCheckQuery,
  output: BudgetCheck,
  run: budgets.checkBudgets,
});

export const setBudget = operation({
  id: "setBudget",
  summary: "Set a budget",
  description:
    "Sets what work may cost in each UTC day, week or month: of a project, a lane, a model, any of them " +
    "together, of a team or a person, in a project or everywhere, or all work. There is one budget for " +
    "each of these and a period; setting it again changes its amount. At 50, 80 and 100% a " +
    "`budget.reached` event is written, once a period for each amount.",
  scope: "budgets:write",
  http: { method: "PUT", path: "/budgets", body: "BudgetRequest", errors: [404, 409] },
  input: BudgetInput,
  output: BudgetSet,
  run: budgets.setBudget,
});

export const removeBudget = operation({
  id: "removeBudget",
  summary: "Remove a budget",
  description: "Removes a budget and what it has counted; usage stays. Returns the budget as it was.",
  scope: "budgets:write",
  http: { method: "POST", path: "/budgets/{id}/remove", body: "RemoveBudgetRequest", errors: [404] },
  input: BudgetPath,
  output: BudgetState,
  run: budgets.removeBudget,
});
