/** How far a deployment is set up, for the checklist that a newcomer follows. */
import type { Caller } from "../auth/caller.ts";
import { worksAsAgent } from "../auth/roles.ts";
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import type { Event, EventKind } from "../feed/schema.ts";
import type { RepositoryPlace } from "../forges/schema.ts";
import type { Micros } from "../lib/time.ts";
import type { Projects, TokenRow } from "../rows.ts";
import { isPipeline } from "../runs/pipelines.ts";

/** A token of an agent: when an agent first came with it, and when it was last used, to a quarter of an hour. */
export interface ConnectedAgent {
  name: string;
  agent_at: Micros;
  last_used_at: Micros;
}

export interface Setup {
  /** The most recently active project that the caller may read; before one is linked, an example. */
  project: { slug: string } & RepositoryPlace;
  hasProject: boolean;
  /** Tokens with which a hook or an MCP session of an agent came, the one that was used last first. */
  agents: ConnectedAgent[];
  /** An agent or a script reported a run; the pipelines of forges do not count. */
  hasRun: boolean;
  hasUpload: boolean;
  hasReview: boolean;
  /** A forge has sent a webhook, if only the ping, for a linked repository. */
  hasWebhook: boolean;
  /** The id of an asset that waits for a review. */
  pendingAsset: string | null;
}

/** Reads what the caller may see of the setup. Every fact is permanent, so a step once done stays done. */
export async function loadSetup({ data }: Pick<Context, "data">, caller: Caller): Promise<Setup> {
  const { projects } = caller;
  const hasEvent = async (kind: EventKind) => (await data.feed(projects, { kind, limit: 1 })).length > 0;
  const [[project], tokens, hasRun, hasUpload, hasReview, hasWebhook, [pending]] = await Promise.all([
    data.projects(projects, { limit: 1 }),
    data.tokens(),
    hasOwnRun(data, projects),
    hasEvent("asset.uploaded"),
    hasEvent("asset.reviewed"),
    data.hasWebhook(projects),
    caller.scopes.has("assets:read") ? data.assets(projects, { status: "pending", limit: 1 }) : [],
  ]);
  return {
    project: project ?? exampleProject(projects?.[0]),
    hasProject: project !== undefined,
    agents: tokens
      .filter((token) => isAgent(token) && isVisible(token, caller))
      .flatMap(({ name, agent_at, last_used_at }) =>
        agent_at === null ? [] : [{ name, agent_at, last_used_at: last_used_at ?? agent_at }],
      )
      .toSorted((a, b) => b.last_used_at - a.last_used_at),
    ...{ hasRun, hasUpload, hasReview, hasWebhook },
    pendingAsset: pending?.id ?? null,
  };
}

const runKinds: readonly EventKind[] = ["run.started", "run.finished", "run.failed"];
/** The newest events of a kind that are looked at. */
const eventsMax = 20;

/** Whether a run was reported other than by a forge: an end alone, without its start, is no run yet. */
async function hasOwnRun(data: Pick<Data, "runs" | "feed">, projects: Projects): Promise<boolean> {
  const { runs } = await data.runs(projects, { withoutPipelines: true, limit: 1 });
  if (runs.length > 0) return true;
  const pages = await Promise.all(runKinds.map((kind) => data.feed(projects, { kind, limit: eventsMax })));
  return pages.flat().some(({ wire }) => !isPipeline((JSON.parse(wire) as Event).run_id));
}

const exampleProject = (slug = "atlas") => ({
  slug,
  ...({ forge: "github", host: "github.com", repo: `acme/${slug}` } as const),
});

/** A token that works as an agent does, but cannot review. */
const isAgent = ({ scopes }: TokenRow): boolean =>
  worksAsAgent(new Set(scopes)) && !scopes.includes("assets:review");

const isVisible = (token: TokenRow, { projects }: Caller): boolean =>
  projects === null || token.projects === null || token.projects.some((slug) => projects.includes(slug));
