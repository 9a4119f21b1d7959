/**
 * Processes webhook deliveries after their signature was verified: adds events, and follows renamed
 * repositories.
 */
import { actionOf } from "../../core/audit/action.ts";
import { anonymous, type Caller } from "../../core/auth/caller.ts";
import type { SenderName, SourceRepository } from "../../core/forges/schema.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { parseMicros, secondMicros } from "../../core/lib/time.ts";
import { checker } from "../../core/lib/validate.ts";
import { keyInText } from "../../core/task-key.ts";
import { Repo, Slug } from "../../core/wire.ts";
import { withAuditRow } from "../../feed/audit-row.ts";
import {
  followRepository,
  isNews,
  isRenamed,
  isSameName,
  linkOf,
  type NameReport,
} from "../../feed/forges/repository-names.ts";
import { withOwners } from "../../feed/ingest/owners.ts";
import { taskOfBranch } from "../../feed/projects/branch-task.ts";
import type { Appendable, LinkedRepository } from "../../feed/rows.ts";
import type { IntegrationsContext } from "../context.ts";
import type { IntegrationsReads } from "../port.ts";
import type { DeliveryResult, WebhookSetup } from "./schema.ts";
import type { Delivery, ParsedDelivery, RenamedOwner, SetupReport } from "./sender.ts";

type Dependencies = Pick<IntegrationsContext, "audit" | "data" | "now">;
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
  const source = { via: "webhook" as const, ...(delivery.id !== null && { request: delivery.id }) };
  const caller = { ...anonymous, name: sender, source };
  if ("owner" in meaning) return followOwner(ctx, meaning.owner, caller, delivery.id);
  const { repository } = meaning;
  const report = repository && nameReportOf(meaning, repository, delivery);
  const project = report && (await findProject(ctx.data, report));
  if ("previousName" in meaning) {
    if (!project) return unlinkedOutcome(unlinked(meaning.repository));
    await followName(ctx, project, report as NameReport, caller);
    return nothingAdded;
  }
  const slug = project?.slug ?? (await projectOfUrl(ctx.data, received.projectOfUrl));
  if (slug === null) return unlinkedOutcome(repository ? unlinked(repository) : unnamed);
  const events = await withTasks(ctx.data, slug, meaning.branch, meaning.events);
  const added = await append(ctx, caller, slug, events);
  // A duplicate may have been sent before a rename.
  if (added.accepted > 0 && report && project) await followName(ctx, project, report, caller);
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
  const report = { repository };
  const project = await findProject(ctx.data, report);
  if (!project)
    return {
      ...setup,
      project: null,
      repository: cleanLine(name, 140),
      ...unlinkedOutcome(unlinked(repository)),
    };
  if (isSameName(project.repo, name)) await followName(ctx, project, report, anonymous);
  return { ...setup, project: project.slug, repository: name };
}

const titledKinds = new Set<Appendable["kind"]>(["pr.opened", "pr.merged", "pr.closed"]);

/**
 * Events that name no issue have the task in the name of the branch or, in a project with a tracker, that in
 * the title of the pull request.
 */
async function withTasks(
  data: IntegrationsReads,
  slug: string,
  branch: string | null | undefined,
  events: readonly Appendable[],
): Promise<readonly Appendable[]> {
  const isTitled = events.some(({ kind }) => titledKinds.has(kind));
  const project = branch || isTitled ? await data.project(null, slug) : null;
  if (!project) return events;
  const ofBranch = branch ? taskOfBranch(branch, project) : null;
  return events.map((event) => {
    if (event.issue != null) return event;
    const canHaveKey = project.task_url !== null && titledKinds.has(event.kind);
    const task = canHaveKey ? keyInText(event.summary) : null;
    return { ...event, ...(ofBranch ?? (task !== null && { task })) };
  });
}

async function append(
  ctx: Dependencies,
  caller: Caller,
  project: string,
  events: readonly Appendable[],
): Promise<DeliveryResult> {
  const { data } = withAuditRow(ctx, { ...actionOf(caller, "webhook"), project });
  const named = events.map((event) => ({ ...event, project }));
  const { added, duplicates } = await data.append(
    await withOwners(ctx, named, (index) => loginIdentity(caller.name, named[index]?.actor)),
  );
  return { accepted: added.length, duplicates };
}

/** The identity of a person on the forge that sent the event; null for a bot. */
const loginIdentity = (sender: string | null, actor = ""): string | null =>
  actor.startsWith("human:") ? `${sender}:${actor.slice("human:".length)}` : null;

/** What a delivery tells of the name of its repository. */
const nameReportOf = (
  meaning: Exclude<Received["meaning"], { ignored: string } | { owner: RenamedOwner }>,
  repository: SourceRepository,
  { id: delivery }: Received["delivery"],
): NameReport =>
  "previousName" in meaning
    ? { repository, previous: meaning.previousName, delivery }
    : { repository, at: parseMicros(meaning.at ?? "") };

/**
 * Finds the linked project. A name that is not valid cannot be linked. The first delivery of a repository can
 * be that of its rename: then the project that is linked to the name before is its own, unless that is known
 * to be of another repository. An old rename that is sent again has an id that a link knows, or finds a link
 * that has the id of the repository that has this name now.
 */
async function findProject(data: IntegrationsReads, report: NameReport): Promise<LinkedRepository | null> {
  const { repository, previous } = report;
  const find = async (name: string) => {
    const named = { ...repository, full_name: name };
    if (!checker(Repo).Check(name)) return null;
    return linkOf(await data.linksOfRepository(named), { ...report, repository: named });
  };
  const found = await find(repository.full_name);
  if (found || previous === undefined) return found;
  const before = await find(previous);
  return before?.repo_id === null ? before : null;
}

const projectOfUrl = async (data: IntegrationsReads, slug: string | null): Promise<string | null> =>
  checker(Slug).Check(slug) ? ((await data.project(null, slug as string))?.slug ?? null) : null;

/** GitHub's repositories are named without the host: theirs is known. */
function unlinked({ forge, host, full_name }: SourceRepository): string {
  const place = forge === "github" ? "" : `${cleanLine(host, 255)}/`;
  return `repository ${place}${cleanLine(full_name, 140)} is not linked`;
}
const unnamed = "the delivery names no repository; add ?project=<slug> to the webhook's URL";

/** Gives the repositories of an owner their new names. */
async function followOwner(
  ctx: Dependencies,
  { from, to, ...place }: RenamedOwner,
  caller: Caller,
  delivery: string | null,
): Promise<WebhookOutcome> {
  const links = await ctx.data.linksOn(place);
  const own = links.filter(({ repo }) => isSameName(repo.slice(0, repo.indexOf("/")), from));
  for (const link of own) {
    const full_name = `${to}${link.repo.slice(link.repo.indexOf("/"))}`;
    const repository = { ...place, id: link.repo_id, full_name };
    await followName(ctx, link, { repository, previous: link.repo, delivery }, caller);
  }
  return own.length > 0
    ? nothingAdded
    : unlinkedOutcome(`no repository of ${cleanLine(from, 140)} is linked`);
}

/** Stores the repository's id for its link, and after a rename the new name for its id. */
async function followName(
  ctx: Dependencies,
  project: LinkedRepository,
  report: NameReport,
  caller: Caller,
): Promise<void> {
  if (!isNews(project, report)) return;
  const { data } = isRenamed(project, report)
    ? withAuditRow(ctx, { ...actionOf(caller, "webhook rename"), project: project.slug })
    : ctx;
  await data.atomically(async (writes) =>
    writes.saveLinks(followRepository(await writes.linksOn(project), project.slug, report)),
  );
}

/** Counts webhooks that added no event, and logs those of each sender at most once a minute. */
const quietMicros = 60 * secondMicros;

/** How many different reasons one log line lists. */
const reasonsMax = 10;

type ReportIgnored = (because: string, reason: string) => void;

/** @param label the sender's name in the log */
export function ignoredWebhookReporter(
  { log, metrics, now }: Pick<IntegrationsContext, "log" | "metrics" | "now">,
  sender: SenderName,
  label: string,
): ReportIgnored {
  const reasons = new Set<string>();
  let count = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (because, reason) => {
    metrics.webhookIgnored.of(sender, because).add();
    count++;
    if (reasons.size < reasonsMax) reasons.add(reason);
    if (now() - loggedAt < quietMicros) return;
    log("warn", `${label} webhooks ignored`, { count, reasons: [...reasons] });
    loggedAt = now();
    reasons.clear();
    count = 0;
  };
}
