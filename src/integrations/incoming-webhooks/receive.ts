/**
 * Processes webhook deliveries after their signature was verified: adds events, and follows renamed
 * repositories.
 */
import { actionOf } from "../../core/audit/action.ts";
import { anonymous, type Caller } from "../../core/auth/caller.ts";
import type { SourceRepository } from "../../core/forges/schema.ts";
import type { SenderName } from "../../core/incoming-webhooks/schema.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { checker } from "../../core/lib/validate.ts";
import { Repo, Slug } from "../../core/wire.ts";
import { withAuditRow } from "../../feed/audit-row.ts";
import { taskOfBranch } from "../../feed/projects/branch-task.ts";
import type { Appendable, LinkedRepository } from "../../feed/rows.ts";
import type { IntegrationsContext } from "../context.ts";
import type { IntegrationsReads } from "../port.ts";
import type { DeliveryResult, WebhookSetup } from "./schema.ts";
import type { Delivery, ParsedDelivery, SetupReport } from "./sender.ts";

type Dependencies = Pick<IntegrationsContext, "data" | "now">;
type IgnoredBecause = "event" | "action" | "repository";
type WebhookOutcome = DeliveryResult & { because?: IgnoredBecause };

/** A delivery, what it means, and the project that the URL of its webhook names. */
interface Received {
  sender: SenderName;
  delivery: Pick<Delivery, "id">;
  meaning: Exclude<ParsedDelivery, { setup: SetupReport }>;
  projectOfUrl: string | null;
}

const nothingAdded = { accepted: 0, duplicates: 0 };
const unlinkedOutcome = (what: string): WebhookOutcome => ({
  ...nothingAdded,
  ignored: what,
  because: "repository",
});

/**
 * Adds the events of a delivery, or follows a rename.
 * @returns the counts, and why the delivery was ignored if it was
 */
export async function receiveDelivery(ctx: Dependencies, received: Received): Promise<WebhookOutcome> {
  const { sender, delivery, meaning } = received;
  if ("ignored" in meaning) return { ...nothingAdded, ...meaning };
  const { repository } = meaning;
  const project = repository && (await findProject(ctx.data, repository));
  const source = { via: "webhook" as const, ...(delivery.id !== null && { request: delivery.id }) };
  const caller = { ...anonymous, name: sender, source };
  if ("previousName" in meaning) {
    if (!project) return unlinkedOutcome(unlinked(meaning.repository));
    // An old rename that arrives late or again must not undo a newer one.
    if (hasRepoName(project, meaning.previousName) || hasRepoName(project, meaning.repository.full_name))
      await updateRepository(ctx, project, meaning.repository, caller);
    return nothingAdded;
  }
  const slug = project?.slug ?? (await projectOfUrl(ctx.data, received.projectOfUrl));
  if (slug === null) return unlinkedOutcome(repository ? unlinked(repository) : unnamed);
  const task = await taskOf(ctx.data, slug, meaning.branch);
  const added = await append(ctx, caller, slug, task, meaning.events);
  // A duplicate may have been sent before a rename.
  if (added.accepted > 0 && repository && project) await updateRepository(ctx, project, repository, caller);
  return added;
}

/** Answers the ping of a webhook: the linked project, the events svc uses, and those it does not send. */
export async function describeSetup(
  ctx: Dependencies,
  { repository, supported, sends }: SetupReport,
): Promise<WebhookSetup & { because?: IgnoredBecause }> {
  const setup = {
    ...nothingAdded,
    events: supported.filter(sends),
    missing: supported.filter((name) => !sends(name)),
  };
  if (!repository) return { ...setup, project: null, repository: null };
  const name = repository.full_name;
  const project = await findProject(ctx.data, repository);
  if (!project)
    return {
      ...setup,
      project: null,
      repository: cleanLine(name, 140),
      ...unlinkedOutcome(unlinked(repository)),
    };
  if (hasRepoName(project, name)) await updateRepository(ctx, project, repository, anonymous);
  return { ...setup, project: project.slug, repository: name };
}

/** The issue in the name of a branch, by the project's pattern. */
async function taskOf(
  data: IntegrationsReads,
  slug: string,
  branch: string | null | undefined,
): Promise<{ issue: number } | null> {
  if (!branch) return null;
  const project = await data.project(null, slug);
  return project && taskOfBranch(branch, project.branch_pattern);
}

/** @param task of events that name no issue */
async function append(
  ctx: Dependencies,
  caller: Caller,
  project: string,
  task: { issue: number } | null,
  events: readonly Appendable[],
): Promise<DeliveryResult> {
  const { data } = withAuditRow(ctx, { ...actionOf(caller, "webhook"), project });
  const { added, duplicates } = await data.append(events.map((event) => ({ ...task, ...event, project })));
  return { accepted: added.length, duplicates };
}

/** Finds the linked project. A name that is not valid cannot be linked. */
const findProject = async (
  data: IntegrationsReads,
  repository: SourceRepository,
): Promise<LinkedRepository | null> =>
  checker(Repo).Check(repository.full_name) ? data.projectOfRepository(repository) : null;

const projectOfUrl = async (data: IntegrationsReads, slug: string | null): Promise<string | null> =>
  checker(Slug).Check(slug) ? ((await data.project(null, slug as string))?.slug ?? null) : null;

/** GitHub's repositories are named without the host: theirs is known. */
function unlinked({ forge, host, full_name }: SourceRepository): string {
  const place = forge === "github" ? "" : `${cleanLine(host, 255)}/`;
  return `repository ${place}${cleanLine(full_name, 140)} is not linked`;
}
const unnamed = "the delivery names no repository; add ?project=<slug> to the webhook's URL";

const hasRepoName = ({ repo }: LinkedRepository, name: string): boolean =>
  repo.toLowerCase() === name.toLowerCase();

/** Stores the repository's id for its name, and after a rename the new name for its id. */
async function updateRepository(
  ctx: Dependencies,
  project: LinkedRepository,
  repository: SourceRepository,
  caller: Caller,
): Promise<void> {
  const isRenamed = !hasRepoName(project, repository.full_name);
  if (repository.id === null || (!isRenamed && project.repo_id === repository.id)) return;
  const { data } = isRenamed
    ? withAuditRow(ctx, { ...actionOf(caller, "webhook rename"), project: project.slug })
    : ctx;
  await data.atomically((writes) => writes.saveRepositoryId(repository));
}
