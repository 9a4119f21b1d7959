/** How events become messages of a service: the interface that each format implements. */
import { outgoingDoor } from "../../../core/auth/persons.ts";
import type { Micros } from "../../../core/lib/time.ts";
import type { Event } from "../../../feed/schema.ts";
import type { IntegrationsContext } from "../../context.ts";
import { decide, digestOf, itemsOf } from "./notices/digest.ts";
import type { Answer, ChatService, Message, Outcome } from "./services/chat-service.ts";
import { type ChatName, chatNames, chatServices } from "./services/chat-services.ts";

export type { Answer, Message };

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

/** What is wrong with the URL of a new webhook for a chat service; null if nothing is. */
function urlFault(name: ChatName, url: URL): string | null {
  const { alsoAt, path, shape, urlRule } = serviceOf(name);
  if (alsoAt?.(url)) return null;
  const owner = chatNames.find((one) => serviceOf(one).hosts?.test(url.hostname)) ?? name;
  if (owner !== name) {
    const { label } = serviceOf(owner);
    return `This is a URL of ${label}. Use format ${owner}, or the URL of the channel for format ${name}.`;
  }
  if (!path.test(url.pathname)) return `Format ${name} needs a URL such as ${shape}.`;
  return urlRule?.(url) ?? null;
}

const serviceOf = (name: ChatName): ChatService => chatServices[name];

/** The format of a chat service: the same notices for all, laid out by each. */
export const chatFormat = (name: ChatName): Format => ({
  label: serviceOf(name).label,
  isSigned: false,
  checkUrl: (url) => urlFault(name, url),
  outcome: (answer) => serviceOf(name).outcome(answer),
  async plan(ctx, events, { lastSentAt }) {
    const items = await itemsOf(ctx, events);
    const decision = decide(items, lastSentAt, ctx.now());
    if (decision.action !== "send") return decision;
    const { covers } = decision;
    const found = await digestOf(ctx, events[0]?.project ?? null, events.slice(0, covers), items);
    const door = await outgoingDoor(ctx);
    const digest = door ? door.hide(found) : found;
    return digest
      ? { action: "send", covers, message: serviceOf(name).layout(digest) }
      : { action: "skip", covers };
  },
});
