/** A format of a chat service: the same notices for all, laid out by each. */
import type { Format, Message } from "./format.ts";
import { digestOf, itemsOf } from "./notices/digest.ts";
import type { Digest } from "./notices/notice.ts";
import { decide } from "./notices/schedule.ts";

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
