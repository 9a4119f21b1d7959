/** Budgets of people and teams: who sees them, and of whom they may be. */
import type { Caller } from "../../core/auth/caller.ts";
import { seesPersons } from "../../core/auth/persons.ts";
import { badRequest, notFound } from "../../core/problem.ts";
import type { FeedContext } from "../context.ts";
import type { FeedReads } from "../port.ts";
import type { BudgetRow } from "../rows.ts";
import type { BudgetInput } from "./schema.ts";

type Config = Pick<FeedContext, "config">;

/** The budgets of a caller's projects. Those of other people are for callers who see persons. */
export async function visibleBudgets(
  { config }: Config,
  data: Pick<FeedReads, "budgets">,
  caller: Caller,
): Promise<BudgetRow[]> {
  const rows = await data.budgets(caller.projects);
  return rows.filter(({ person }) => person === null || isVisible(config, person, caller));
}

const isVisible = (config: FeedContext["config"], person: string, caller: Caller): boolean =>
  person === caller.person || seesPersons(caller, config);

export interface BudgetOwners {
  people: string[];
  teams: string[];
}

/** The people that a caller sees, and the teams of people and tokens. */
export async function listOwners(
  { config, data }: Pick<FeedContext, "config" | "data">,
  caller: Caller,
): Promise<BudgetOwners> {
  const [people, tokens] = await Promise.all([data.people(), data.tokens()]);
  const active = people.filter(({ removed_at }) => removed_at === null);
  return {
    people: active.map(({ id }) => id).filter((id) => isVisible(config, id, caller)),
    teams: [...new Set([...active, ...tokens].flatMap(({ team }) => team ?? []))].sort(),
  };
}

/** @throws 400 with a lane or a model, which are not counted by person, 404 for an unknown person or team */
export async function requireOwners(
  ctx: Pick<FeedContext, "config" | "data">,
  { team, person, lane, model }: Pick<BudgetInput, "team" | "person" | "lane" | "model">,
  caller: Caller,
): Promise<void> {
  if (team === undefined && person === undefined) return;
  if (lane !== undefined || model !== undefined)
    throw badRequest("A budget of a person or a team counts all of their work: leave out lane and model.");
  const { people, teams } = await listOwners(ctx, caller);
  if (person !== undefined && !people.includes(person))
    throw notFound(`No person with id '${person}'. An admin adds people: svc person add <id>.`);
  if (team !== undefined && !teams.includes(team))
    throw notFound(`No person and no token has the team '${team}'. See svc person list.`);
}
