/**
 * Webhook deliveries whose signature was checked: events of linked projects, and repositories that were
 * renamed.
 */
import { actOf, recorded } from "../audit/action.ts";
import { anonymous, type Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import { checker } from "../lib/validate.ts";
import type { LinkedRepository } from "../rows.ts";
import { Repo } from "../wire.ts";
import { cut } from "./clean-text.ts";
import { Ping, type Repository, usedEvents } from "./github-mappings.ts";
import type { DeliveryResult, WebhookSetup } from "./schema.ts";
import { type Delivery, readDelivery, requireFit } from "./webhook-event.ts";

type Needs = Pick<Context, "data" | "now">;
type Because = "event" | "action" | "repository";
type Received = DeliveryResult & { because?: Because };

const nothing = { accepted: 0, duplicates: 0 };
const unlinked = (name: string): Received => ({
  ...nothing,
  ignored: `repository ${cut(name, 140)} is not linked`,
  because: "repository",
});

export async function receiveDelivery(ctx: Needs, delivery: Delivery): Promise<Received> {
  const meaning = readDelivery(delivery);
  if ("ignored" in meaning) return { ...nothing, ...meaning };
  const { repository } = meaning;
  const project = await linkedTo(ctx.data, repository);
  if (!project) return unlinked(repository.full_name);
  const caller = { ...anonymous, name: "github", came: { via: "webhook" as const, request: delivery.id } };
  if ("formerName" in meaning) {
    // A delivery of an earlier rename that arrives again, or late, renames nothing.
    if (isNamed(project, meaning.formerName) || isNamed(project, repository.full_name))
      await follow(ctx, project, repository, caller);
    return nothing;
  }
  const act = { ...actOf(caller, "webhook"), project: project.slug };
  const { added, duplicates } = await recorded(ctx, act).data.append([
    { ...meaning.event, project: project.slug },
  ]);
  // One that is there already may be of before a rename.
  if (added.length > 0) await follow(ctx, project, repository, caller);
  return { accepted: added.length, duplicates };
}

/** What a new webhook is told: the project it feeds, and which of its events are used. */
export async function describeSetup(
  ctx: Needs,
  body: unknown,
): Promise<WebhookSetup & { because?: Because }> {
  requireFit("ping", Ping, Object(body));
  const { hook, repository } = body as { hook?: { events: string[] }; repository?: Repository };
  const sends = (name: string) => !hook || hook.events.includes("*") || hook.events.includes(name);
  const setup = {
    ...nothing,
    events: usedEvents().filter(sends),
    missing: usedEvents().filter((name) => !sends(name)),
  };
  // The webhook of an organization is of no repository.
  if (!repository) return { ...setup, project: null, repository: null };
  const project = await linkedTo(ctx.data, repository);
  if (!project)
    return {
      ...setup,
      project: null,
      repository: cut(repository.full_name, 140),
      ...unlinked(repository.full_name),
    };
  if (isNamed(project, repository.full_name)) await follow(ctx, project, repository, anonymous);
  return { ...setup, project: project.slug, repository: repository.full_name };
}

/** A project cannot be linked to a repository of any other name. */
const linkedTo = async (
  data: Pick<Data, "projectOfRepository">,
  repository: Repository,
): Promise<LinkedRepository | null> =>
  checker(Repo).Check(repository.full_name) ? data.projectOfRepository(repository) : null;

const isNamed = ({ repo }: LinkedRepository, name: string): boolean =>
  repo.toLowerCase() === name.toLowerCase();

/** Learns the id of a repository by its name, and its name by the id. */
async function follow(
  ctx: Needs,
  project: LinkedRepository,
  repository: Repository,
  caller: Caller,
): Promise<void> {
  const isRenamed = !isNamed(project, repository.full_name);
  if (!isRenamed && project.repo_id === repository.id) return;
  const { data } = isRenamed
    ? recorded(ctx, { ...actOf(caller, "webhook rename"), project: project.slug })
    : ctx;
  await data.atomically((writes) => writes.saveRepositoryId(repository));
}
