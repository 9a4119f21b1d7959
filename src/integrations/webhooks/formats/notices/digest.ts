/**
 * When pending events of a project become a message, and what it says.
 *
 * A message covers the first events of the list, so the order of the log is kept and every event is covered
 * once. Messages without anything urgent are a minute apart; urgent ones take what waits before them along.
 */
import { type Micros, minuteMicros, secondMicros, toMicros } from "../../../../core/lib/time.ts";
import type { Event } from "../../../../feed/schema.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { feedUrl, isRejection } from "./asset-notices.ts";
import { chatKindOf } from "./kinds.ts";
import type { Digest, Notice, Urgency } from "./notice.ts";

import { isToldByAnother, loadSetEvents, setNotice, settledAt } from "./variant-sets.ts";

/** Six fit into the smallest message; see services/message-parts.ts. */
const noticesMax = 6;
/** The most events that are loaded to find them: some are no longer worth a notice. */
const loadsMax = 30;

/** @returns how urgent each event is, and until when it waits */
export async function itemsOf(ctx: IntegrationsContext, events: readonly Event[]): Promise<Item[]> {
  const ended = endedRuns(events);
  /** By run: the events of a run wait equally long. */
  const waits = new Map<string, Promise<Micros>>();
  const sets = await loadSetEvents(ctx, events);
  const now = ctx.now();
  return Promise.all(
    events.map(async (event) => {
      const kind = chatKindOf(event);
      if (!kind) return { urgency: null, readyAt: 0 };
      const urgency = await kind.urgency(ctx, event);
      const run = event.run_id ?? "";
      if (ended.has(run)) return { urgency, readyAt: 0 };
      const wait = waits.get(run) ?? kind.waitMicros?.(ctx, event) ?? 0;
      if (kind.waitMicros) waits.set(run, Promise.resolve(wait));
      const set = sets.get(event.id);
      const readyAt = set
        ? settledAt(set, event, await wait)
        : kind.waitMicros
          ? toMicros(event.ts) + (await wait)
          : 0;
      // A request for a variant is not urgent while others of its set may come.
      return { urgency: set && readyAt > now ? urgency && "normal" : urgency, readyAt };
    }),
  );
}

const endedRuns = (events: readonly Event[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ kind, run_id }) => (run_id && /^run\.f/.test(kind) ? [run_id] : [])));

/**
 * @param events all that the message covers
 * @returns null when none of them is worth a message any more
 */
export async function digestOf(
  ctx: IntegrationsContext,
  project: string | null,
  events: readonly Event[],
  items: readonly Item[],
): Promise<Digest | null> {
  const isRepeated = repetitions(events);
  const sets = await loadSetEvents(ctx, events);
  const candidates = events.flatMap((event, at) => {
    const { urgency } = items[at] as Item;
    const set = sets.get(event.id);
    if (urgency === null || isRepeated(event, at) || (set && isToldByAnother(set, event))) return [];
    return [{ event, urgency }];
  });
  const isUrgent = ({ urgency }: { urgency: Urgency }): boolean => urgency === "urgent";
  const sorted = [...candidates.filter(isUrgent), ...candidates.filter((one) => !isUrgent(one))];
  const notices: Notice[] = [];
  let loaded = 0;
  for (const { event } of sorted) {
    if (notices.length === noticesMax || (notices.length > 0 && loaded === loadsMax)) break;
    loaded++;
    const notice = await chatKindOf(event)?.notice(ctx, event);
    const set = sets.get(event.id);
    if (notice) notices.push(set ? setNotice(ctx, set, notice) : notice);
  }
  const [first, ...others] = notices;
  return first
    ? {
        project,
        notices: [first, ...others],
        moreCount: sorted.length - loaded,
        feedUrl: feedUrl(ctx.config, project),
        urgency: highest(candidates.map(({ urgency }) => urgency)),
      }
    : null;
}

const highest = (all: readonly Urgency[]): Urgency =>
  (["urgent", "normal"] as const).find((urgency) => all.includes(urgency)) ?? "quiet";

/** Finds events that another one of the same message tells already. */
function repetitions(events: readonly Event[]): (event: Event, at: number) => boolean {
  const ended = endedRuns(events);
  const lastRequest = new Map(
    events.flatMap(({ kind, url }, at) => (kind === "review.requested" && url ? [[url, at]] : [])),
  );
  return (event, at) => {
    const before = events[at - 1];
    switch (event.kind) {
      case "asset.uploaded":
        return ended.has(event.run_id ?? "") || lastRequest.has(event.url ?? "");
      case "review.requested":
        // Asking again changes the request, which the notice shows as it is now.
        return event.url !== null && lastRequest.get(event.url) !== at;
      case "decision.captured":
        // The note of a rejection becomes a decision, in the same transaction.
        return (
          ended.has(event.run_id ?? "") ||
          (before !== undefined && isRejection(before) && before.actor === event.actor)
        );
      default:
        return false;
    }
  };
}

/** Between messages of a project, unless something is urgent. */
export const digestMicros = minuteMicros;

/** Between messages with something urgent: the services take about one a second, Discord 30 a minute. */
export const urgentMicros = 5 * secondMicros;

export interface Item {
  /** Null: the event is in no message. */
  urgency: Urgency | null;
  /** Until then a non-urgent event is held back, as more may come that belongs to it. */
  readyAt: Micros;
}

type Decision =
  | { action: "send"; covers: number }
  | { action: "skip"; covers: number }
  | { action: "wait"; until: Micros };

/**
 * @param items at least one, in the order of the log
 * @param lastSentAt when the last message about the project was sent
 */
export function decide(items: readonly Item[], lastSentAt: Micros | null, now: Micros): Decision {
  const first = items.findIndex(({ urgency }) => urgency !== null);
  if (first < 0) return { action: "skip", covers: items.length };
  const lastUrgent = items.findLastIndex(({ urgency }) => urgency === "urgent");
  const isUrgent = lastUrgent >= 0;
  // Clocks differ between nodes: a message was not sent later than now.
  const nextAt =
    lastSentAt === null ? now : Math.min(lastSentAt, now) + (isUrgent ? urgentMicros : digestMicros);
  const due = isUrgent ? nextAt : Math.max(nextAt, (items[first] as Item).readyAt);
  if (now < due) return first > 0 ? { action: "skip", covers: first } : { action: "wait", until: due };
  const held = items.findIndex(
    ({ urgency, readyAt }, at) => at > lastUrgent && urgency !== null && readyAt > now,
  );
  return { action: "send", covers: held < 0 ? items.length : held };
}
