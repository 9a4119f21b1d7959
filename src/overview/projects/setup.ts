/** How far a deployment is set up, for the checklist that a newcomer follows. */
import { worksAsAgent } from "../../core/auth/scopes.ts";
import type { RepositoryPlace } from "../../core/forges/schema.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { TokenRow } from "../../core/rows.ts";
import { isPipeline } from "../../feed/runs/pipelines.ts";
import type { Event, EventKind } from "../../feed/schema.ts";
import type { OverviewContext } from "../context.ts";
import type { OverviewReads } from "../port.ts";

/** A token of an agent: when an agent first came with it, and when it was last used, to a quarter of an hour. */
export interface ConnectedAgent {
  name: string;
  agent_at: Micros;
  last_used_at: Micros;
}

export interface Setup {
  /** The most recently active project; before one is linked, an example. */
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
  /** The database is on a server, so commands need its URL. */
  hasDatabaseServer: boolean;
}

/** Reads the setup, for an admin. Every fact is permanent, so a step once done stays done. */
export async function loadSetup({ data }: Pick<OverviewContext, "data">): Promise<Setup> {
  const hasEvent = async (kind: EventKind) => (await data.feed(null, { kind, limit: 1 })).length > 0;
  const [[project], tokens, hasRun, hasUpload, hasReview, hasWebhook, [pending]] = await Promise.all([
    data.projects(null, { limit: 1 }),
    data.tokens(),
    hasOwnRun(data),
    hasEvent("asset.uploaded"),
    hasEvent("asset.reviewed"),
    data.hasWebhook(null),
    data.assets(null, { status: "pending", limit: 1 }),
  ]);
  return {
    project: project ?? exampleProject,
    hasProject: project !== undefined,
    agents: tokens
      .filter(isAgent)
      .flatMap(({ name, agent_at, last_used_at }) =>
        agent_at === null ? [] : [{ name, agent_at, last_used_at: last_used_at ?? agent_at }],
      )
      .toSorted((a, b) => b.last_used_at - a.last_used_at),
    hasRun,
    hasUpload,
    hasReview,
    hasWebhook,
    pendingAsset: pending?.id ?? null,
    hasDatabaseServer: data.connection !== null,
  };
}

const runKinds: readonly EventKind[] = ["run.started", "run.finished", "run.failed"];
/** The newest events of a kind that are looked at. */
const eventsMax = 20;

/** Whether a run was reported other than by a forge: an end alone, without its start, is no run yet. */
async function hasOwnRun(data: OverviewReads): Promise<boolean> {
  const { runs } = await data.runs(null, { withoutPipelines: true, limit: 1 });
  if (runs.length > 0) return true;
  const pages = await Promise.all(runKinds.map((kind) => data.feed(null, { kind, limit: eventsMax })));
  return pages.flat().some(({ wire }) => !isPipeline((JSON.parse(wire) as Event).run_id));
}

const exampleProject = { slug: "atlas", forge: "github", host: "github.com", repo: "acme/atlas" } as const;

/** A token that works as an agent does, but cannot review. */
const isAgent = ({ scopes }: TokenRow): boolean =>
  worksAsAgent(new Set(scopes)) && !scopes.includes("assets:review");
