/**
 * Processes GitHub webhooks after their signature was verified: adds events, and follows renamed
 * repositories.
 */
import { actionOf, withAuditRow } from "../audit/action.ts";
import { anonymous, type Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import { cleanLine } from "../lib/clean-text.ts";
import { checker } from "../lib/validate.ts";
import type { LinkedRepository } from "../rows.ts";
import { Repo } from "../wire.ts";
import { Ping, type Repository, supportedEvents } from "./github-mappings.ts";
import type { DeliveryResult, WebhookSetup } from "./schema.ts";
import { type Delivery, parseDelivery, requireSchema } from "./webhook-event.ts";

type Dependencies = Pick<Context, "data" | "now">;
type IgnoredBecause = "event" | "action" | "repository";
type WebhookOutcome = DeliveryResult & { because?: IgnoredBecause };

const nothingAdded = { accepted: 0, duplicates: 0 };
const unlinkedOutcome = (name: string): WebhookOutcome => ({
  ...nothingAdded,
  ignored: `repository ${cleanLine(name, 140)} is not linked`,
  because: "repository",
});

/**
 * Adds the event of a delivery, or follows a rename.
 * @returns the counts, and why the delivery was ignored if it was
 * @throws 400 if the body does not match its event
 */
export async function receiveDelivery(ctx: Dependencies, delivery: Delivery): Promise<WebhookOutcome> {
  const meaning = parseDelivery(delivery);
  if ("ignored" in meaning) return { ...nothingAdded, ...meaning };
  const { repository } = meaning;
  const project = await findProject(ctx.data, repository);
  if (!project) return unlinkedOutcome(repository.full_name);
  const caller = { ...anonymous, name: "github", source: { via: "webhook" as const, request: delivery.id } };
  if ("previousName" in meaning) {
    // An old rename that arrives late or again must not undo a newer one.
    if (hasRepoName(project, meaning.previousName) || hasRepoName(project, repository.full_name))
      await updateRepository(ctx, project, repository, caller);
    return nothingAdded;
  }
  const act = { ...actionOf(caller, "webhook"), project: project.slug };
  const { added, duplicates } = await withAuditRow(ctx, act).data.append([
    { ...meaning.event, project: project.slug },
  ]);
  // A duplicate may have been sent before a rename.
  if (added.length > 0) await updateRepository(ctx, project, repository, caller);
  return { accepted: added.length, duplicates };
}

/** Answers a webhook's ping: the linked project, the events svc uses, and those the webhook does not send. */
export async function describeSetup(
  ctx: Dependencies,
  body: unknown,
): Promise<WebhookSetup & { because?: IgnoredBecause }> {
  requireSchema("ping", Ping, Object(body));
  const { hook, repository } = body as { hook?: { events: string[] }; repository?: Repository };
  const sends = (name: string) => !hook || hook.events.includes("*") || hook.events.includes(name);
  const setup = {
    ...nothingAdded,
    events: supportedEvents().filter(sends),
    missing: supportedEvents().filter((name) => !sends(name)),
  };
  // An organization's webhook has no repository.
  if (!repository) return { ...setup, project: null, repository: null };
  const project = await findProject(ctx.data, repository);
  if (!project)
    return {
      ...setup,
      project: null,
      repository: cleanLine(repository.full_name, 140),
      ...unlinkedOutcome(repository.full_name),
    };
  if (hasRepoName(project, repository.full_name)) await updateRepository(ctx, project, repository, anonymous);
  return { ...setup, project: project.slug, repository: repository.full_name };
}

/** Finds the linked project. A name that is not a valid `owner/name` cannot be linked. */
const findProject = async (
  data: Pick<Data, "projectOfRepository">,
  repository: Repository,
): Promise<LinkedRepository | null> =>
  checker(Repo).Check(repository.full_name) ? data.projectOfRepository(repository) : null;

const hasRepoName = ({ repo }: LinkedRepository, name: string): boolean =>
  repo.toLowerCase() === name.toLowerCase();

/** Stores the repository's id for its name, and after a rename the new name for its id. */
async function updateRepository(
  ctx: Dependencies,
  project: LinkedRepository,
  repository: Repository,
  caller: Caller,
): Promise<void> {
  const isRenamed = !hasRepoName(project, repository.full_name);
  if (!isRenamed && project.repo_id === repository.id) return;
  const { data } = isRenamed
    ? withAuditRow(ctx, { ...actionOf(caller, "webhook rename"), project: project.slug })
    : ctx;
  await data.atomically((writes) => writes.saveRepositoryId(repository));
}
