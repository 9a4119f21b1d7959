/** How events become messages of a service: the interface that each format implements. */
import type { Micros } from "../../../core/lib/time.ts";
import type { Event } from "../../../feed/schema.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { Answer } from "../destination/post.ts";
import { decide, digestOf, itemsOf } from "./notices/digest.ts";
import type { Digest } from "./notices/notice.ts";

export type { Answer };

/** One request to a service. */
export interface Message {
  body: string;
  contentType: string;
  headers?: Record<string, string>;
}

/** What to do with the pending events of a project. */
export type Plan =
  /** Send this message; it covers the first `covers` events. */
  | { action: "send"; covers: number; message: Message }
  /** The format has no message for the first `covers` events. */
  | { action: "skip"; covers: number }
  /** Ask again at `until`, or when more events have come: a digest is being collected. */
  | { action: "wait"; until: Micros };

interface LaneState {
  /** When the last message about this project was sent. */
  lastSentAt: Micros | null;
}

export interface Outcome {
  ok: boolean;
  /** How long to wait before the next attempt. */
  retryAfterMs?: number;
  /** No attempt can succeed: the webhook's URL is no longer valid. */
  isPermanent?: boolean;
}

export interface Format {
  /** Name of the service, as people write it. */
  label: string;
  /** Whether deliveries carry the signature of Standard Webhooks. */
  isSigned: boolean;
  /** Returns a sentence that says what is wrong with the URL of a new webhook; null if nothing is. */
  checkUrl(url: URL): string | null;
  /**
   * Decides what to do with pending events.
   * @param events of one project, in the order of the log, at least one; all match the webhook's filters
   */
  plan(ctx: IntegrationsContext, events: readonly Event[], lane: LaneState): Promise<Plan>;
  /** Reads a response, where the status alone does not tell what happened. */
  outcome?(answer: Answer): Outcome;
}

/** A format of a chat service: the same notices for all, laid out by each. */
type Service = Required<Pick<Format, "label" | "checkUrl" | "outcome">> & {
  layout(digest: Digest): Message;
};

export const chatFormat = ({ layout, ...service }: Service): Format => ({
  ...service,
  isSigned: false,
  async plan(ctx, events, { lastSentAt }) {
    const items = await itemsOf(ctx, events);
    const decision = decide(items, lastSentAt, ctx.now());
    if (decision.action !== "send") return decision;
    const { covers } = decision;
    const digest = await digestOf(ctx, events[0]?.project ?? null, events.slice(0, covers), items);
    return digest ? { action: "send", covers, message: layout(digest) } : { action: "skip", covers };
  },
});
