/** `svc budget`: set, list, check, remove. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { BudgetCheckQuery, BudgetInput, BudgetPath, BudgetQuery } from "../../../src/feed/budgets/schema.ts";
import { dollars } from "../../../src/feed/budgets/spending.ts";
import { checkLine } from "../../../src/feed/budgets/text.ts";
import { intervals } from "../../../src/feed/usage/schema.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, printJsonLines, printLine } from "../../command.ts";
import { note, reportChange } from "../../output/report.ts";
import { fittedTable } from "../../output/table.ts";

const checkedFlags = {
  project: { type: "string", description: "Project slug" },
  lane: { type: "string", description: "Lane" },
  model: { type: "string", description: "Model" },
} as const;
const workFlags = {
  ...checkedFlags,
  team: { type: "string", description: "Team" },
  person: { type: "string", description: "ID of a person" },
} as const;

/** A request as the client types it: the server checks its lanes. */
type Checked<T extends { lane?: string }> = T & Pick<Schemas["BudgetRequest"], "lane">;

const set = defineCommand({
  meta: { name: "set", description: "Set what work may cost in a day, week or month; all work by default" },
  args: {
    amount: { type: "positional", description: "Amount in USD, such as 200", valueHint: "usd" },
    period: { type: "string", description: `UTC ${intervals.join(", ")} (default: month)` },
    ...workFlags,
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { amount, project, team, person, lane, model, period = "month" } = args;
    const work = { project, team, person, lane, model };
    const given = checkFlags(BudgetInput, { amount, period, ...work, ...byField(args) });
    const body = given as Checked<typeof given>;
    await withApi(args, async ({ api, place }) => {
      const budget = await unwrap(api.PUT("/budgets", { body }));
      const name = `budget "${escapeControls(budget.name)}"`;
      const state = `${dollars(budget.spent)} of ${dollars(budget.amount)} spent`;
      const line = budget.changed
        ? `Set ${name} ${place}: ${state}.`
        : `No change: ${name} ${place}: ${state}.`;
      await reportChange(args, budget, line);
    });
  },
});

const columns = [
  { head: "ID" },
  { head: "BUDGET", flexible: true as const },
  { head: "SPENT" },
  { head: "OF" },
  { head: "USED" },
  { head: "FORECAST", rank: 1 },
  { head: "UNTIL", rank: 2 },
];

const rowOf = (budget: Schemas["Budget"]): string[] => [
  String(budget.id),
  escapeControls(budget.name),
  dollars(budget.spent),
  dollars(budget.amount),
  `${budget.percent}%`,
  budget.forecast === null ? "–" : dollars(budget.forecast),
  budget.end,
];

const listCommand = defineCommand({
  meta: { name: "list", description: "List budgets, what is spent of them, and a forecast" },
  args: { ...workFlags, ...apiFlags },
  async run({ args }) {
    const query = checkFlags(BudgetQuery, args) as Checked<BudgetQuery>;
    const { budgets } = await withApi(args, ({ api }) => unwrap(api.GET("/budgets", { params: { query } })));
    if (args.json) return printJsonLines(budgets);
    if (budgets.length > 0) await printLine(fittedTable(columns, budgets.map(rowOf)));
    else note(args, "No budgets. Set one: svc budget set 200 --project <slug>");
  },
});

const check = defineCommand({
  meta: {
    name: "check",
    description: "Exit with 1 if a budget for this work is spent, for pipelines and hooks",
  },
  args: { ...checkedFlags, ...apiFlags },
  async run({ args }) {
    const query = checkFlags(BudgetCheckQuery, args) as Checked<BudgetCheckQuery>;
    const found = await withApi(args, ({ api }) => unwrap(api.GET("/budgets/check", { params: { query } })));
    if (args.json || !args.quiet)
      await printLine(args.json ? JSON.stringify(found) : escapeControls(checkLine(found)));
    if (found.exhausted) process.exitCode = 1;
  },
});

const remove = defineCommand({
  meta: { name: "remove", description: "Remove a budget; usage stays" },
  args: {
    id: { type: "positional", description: "ID of the budget, as svc budget list shows it" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { id, ...body } = checkFlags(BudgetPath, { id: args.id, ...byField(args) });
    await withApi(args, async ({ api, place }) => {
      const budget = await unwrap(api.POST("/budgets/{id}/remove", { params: { path: { id } }, body }));
      await reportChange(
        args,
        { ...budget, removed: true },
        `Removed budget "${escapeControls(budget.name)}" ${place}.`,
      );
    });
  },
});

export default defineCommand({ subCommands: { set, list: listCommand, check, remove } });
