/**
 * A source: a webhook, or one of its replays, as a reader of the log: which events it takes, the lanes that
 * it puts them in, and its cursor. Pure state, like its lanes.
 */
import type { Micros } from "../../../core/lib/time.ts";
import type { Projects } from "../../../core/rows.ts";
import type { Event } from "../../../feed/schema.ts";
import { decisionOf } from "../../../library/verdicts/text.ts";
import type { LaneRow, ReplayRow, WebhookRow } from "../../rows.ts";
import type { WebhookFilters } from "../schema.ts";
import { Lane } from "./lane.ts";

/** How far the log is scanned. Sources at its head share one. */
export interface Position {
  id: number;
}

/** A source with more events in its queues than this scans no further. */
const queuedMax = 2_000;

/** Lanes that failed longer ago than this are tried again when another one succeeds. */
const recoverAfter = 60_000_000;

export class Source {
  readonly lanes = new Map<string, Lane>();
  position: Position;
  /** Messages being sent. */
  inFlight = 0;
  /** Those of them that take long. */
  slowInFlight = 0;
  /** Its last message took long: it is sent one at a time, beside the others. */
  isSlow = false;
  /** A message was delivered since this process has it. */
  isProven = false;
  /** No further messages: it is paused, removed, or another process gets it. */
  isStopped = false;
  /** Another process has it: what this one knows of it must not be written. */
  isLost = false;
  /** Event id: where this process took it over. */
  readonly start: number;
  /** The cursor in its row. */
  storedCursor: number;
  projects: Projects;

  constructor(
    public webhook: WebhookRow,
    readonly replay: ReplayRow | null,
    lanes: readonly LaneRow[],
    /** What its owner may read. */
    readable: Projects,
  ) {
    const { cursor } = replay ?? webhook;
    this.position = { id: cursor };
    this.start = cursor;
    this.storedCursor = cursor;
    this.projects = projectsOf(webhook, readable);
    for (const { project, ...state } of lanes) this.lanes.set(project, new Lane(project, state));
  }

  get key(): string {
    return sourceKey(this.webhook.id, this.replay?.id);
  }

  /** Takes over its row, and what its owner may read. @returns whether it accepts other events than before */
  change(webhook: WebhookRow, readable: Projects): boolean {
    const before = [this.webhook.filters, this.projects];
    this.webhook = webhook;
    this.projects = projectsOf(webhook, readable);
    return !Bun.deepEquals(before, [webhook.filters, this.projects]);
  }

  /** Whether an event of this project and kind may be for it: most are not. */
  mayAccept({ project, kind }: Pick<Event, "project" | "kind">): boolean {
    const isReadable = this.projects === null || (project !== null && this.projects.includes(project));
    return isReadable && has(this.webhook.filters.kind, kind);
  }

  accepts(event: Event): boolean {
    const { until = Number.POSITIVE_INFINITY, project = null } = this.replay ?? {};
    return (
      this.mayAccept(event) &&
      event.id <= until &&
      (project === null || project === event.project) &&
      matches(this.webhook.filters, event) &&
      !isOwnNotice(this.webhook.id, event)
    );
  }

  /** Takes a scanned event that it accepts. @returns the event's lane */
  offer(event: Event, now: Micros): Lane {
    const project = event.project ?? "";
    let lane = this.lanes.get(project);
    if (!lane) {
      lane = new Lane(project, { cursor: event.id - 1 });
      this.lanes.set(project, lane);
    }
    lane.offer(event, now);
    return lane;
  }

  get isFull(): boolean {
    let queued = 0;
    for (const { queue } of this.lanes.values()) queued += queue.length;
    return queued > queuedMax;
  }

  /** Event id: events up to it are delivered, were skipped, or belong to a lane with a row. */
  get cursor(): number {
    let cursor = this.position.id;
    for (const { dueAt, queue } of this.lanes.values()) {
      const [next] = queue;
      if (dueAt === null && next) cursor = Math.min(cursor, next.id - 1);
    }
    return cursor;
  }

  /** Whether every event of a replay is sent. */
  get isFinished(): boolean {
    if (!this.replay || this.position.id < this.replay.until) return false;
    return this.lanes
      .values()
      .every(({ queue, dueAt, isBusy }) => queue.length === 0 && dueAt === null && !isBusy);
  }

  /** Drops the state of lanes that keep up and have nothing to send. */
  forgetIdle(lane: Lane): void {
    const isIdle = lane.state === null && lane.queue.length === 0 && !lane.isBusy && !lane.isDirty;
    // It may have been dropped before, and have a successor.
    if (isIdle && this.lanes.get(lane.project) === lane) this.lanes.delete(lane.project);
  }

  /** The receiver answers again: lanes that failed a while ago need not wait. @returns them */
  recover(now: Micros): Lane[] {
    const recovered: Lane[] = [];
    for (const lane of this.lanes.values()) {
      if (lane.failingSince === null || lane.isBusy || (lane.dueAt ?? 0) <= now) continue;
      if (now - lane.failedAt < recoverAfter) continue;
      lane.dueAt = now;
      recovered.push(lane);
    }
    return recovered;
  }
}

export const sourceKey = (webhook: string, replay = ""): string => `${webhook}/${replay}`;

/** Which events a webhook is sent: what its filters match, of what its owner may read. */
type Status = NonNullable<WebhookFilters["status"]>[number];

/** How the run ended, or the review decided, that an event tells of. */
function statusOf(event: Event): Status | null {
  const { kind } = event;
  if (kind === "run.finished") return "finished";
  if (kind === "run.failed") return "failed";
  if (kind === "run.lost") return "lost";
  return decisionOf(event);
}

const has = <T>(list: readonly T[] | undefined, value: unknown): boolean =>
  list === undefined || list.includes(value as T);

export function matches(filters: WebhookFilters, event: Event): boolean {
  const { kind, project, actor, lane, status, run_id, cost_above } = filters;
  return (
    has(kind, event.kind) &&
    has(project, event.project) &&
    has(actor, event.actor) &&
    has(lane, event.lane) &&
    (status === undefined || has(status, statusOf(event))) &&
    (run_id === undefined || event.run_id === run_id) &&
    (cost_above === undefined || event.cost_equiv > cost_above)
  );
}

/** The projects that a webhook can be sent events of; null for all, and events without a project. */
function projectsOf({ filters }: Pick<WebhookRow, "filters">, readable: Projects): Projects {
  if (readable === null) return filters.project ?? null;
  return filters.project ? filters.project.filter((slug) => readable.includes(slug)) : readable;
}

/** The end of the URL of a webhook's page, by which events about the webhook name it. */
export const webhookPagePath = (id: string): string => `/settings/webhooks/${id}`;

/** Whether an event is the notice that this webhook was paused. */
const isOwnNotice = (id: string, { kind, url }: Event): boolean =>
  kind === "webhook.paused" && url !== null && url.endsWith(webhookPagePath(id));
