/** Schemas of the inbox: what a person should act on or know. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import {
  Choice,
  Count,
  DateTime,
  Line,
  Nullable,
  OpenChoice,
  ShownTaskKey,
  Slug,
  TaskNumber,
  Uri,
} from "../../core/wire.ts";
import { AssetId } from "../../library/assets/schema.ts";
import { countMax } from "../../library/review-queue/items.ts";

/** The parts of the list, in its order. */
export const groups = {
  agents: "Agents that wait for an answer",
  requested: "Asked of you",
  waiting: "Waiting for a reviewer like you",
  broken: "Broken, and no one is on it",
  answered: "What your notes changed",
} as const;
export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

/** Whether the items of a group ask for something: only those are counted. */
export const needsPerson = (group: Group): boolean => group !== "answered";

/** Why something needs a person, with what to do next. */
export const reasons = {
  run_waiting: { group: "agents", title: "An agent asks for an answer", action: "Answer in its session" },
  review: { group: "waiting", title: "Waiting for a review", action: "Review" },
  decision_proposed: { group: "waiting", title: "An agent decided", action: "Confirm or drop" },
  files_gone: {
    group: "waiting",
    title: "The files of a decision are gone",
    action: "Keep, retire, or name others",
  },
  decision_ended: { group: "waiting", title: "An agent retired a decision", action: "Confirm or restore" },
  review_requested: { group: "requested", title: "You were asked for a review", action: "Review" },
  review_overdue: { group: "requested", title: "A review is overdue", action: "Review" },
  rejected: { group: "requested", title: "Your work was rejected", action: "Read what to change" },
  run_failed: { group: "broken", title: "Run failed", action: "See what failed" },
  preview_failed: { group: "broken", title: "Preview failed", action: "See what failed" },
  run_lost: { group: "broken", title: "Run lost", action: "See its last steps" },
  budget: { group: "broken", title: "Budget", action: "See what was spent" },
  webhook_paused: { group: "broken", title: "Webhook paused", action: "Fix and resume" },
  note_read: { group: "answered", title: "A run read your note", action: "See what it became" },
  note_followed: { group: "answered", title: "A version followed your note", action: "Compare" },
  note_honored: { group: "answered", title: "A version with your note was approved", action: "Compare" },
} as const satisfies Record<string, { group: Group; title: string; action: string }>;
export type Reason = keyof typeof reasons;
const reasonNames = Object.keys(reasons) as Reason[];

const ItemId = Line(80, {
  description: "Id of an item.",
  examples: ["review-01KC3V0W6ZJ8M5T9Q2R4X7Y1AB"],
});

export const InboxItem = Type.Object(
  {
    id: ItemId,
    reason: OpenChoice(reasonNames, {
      description: "Why it is here. New reasons may be added: accept any string.",
      examples: ["review"],
    }),
    group: OpenChoice(groupNames, { description: "The part of the list it is in.", examples: ["waiting"] }),
    title: Type.String({ description: "What it is about.", examples: ["Berth map"] }),
    detail: Nullable(
      Type.String({ description: "More about it, such as the note of a rejection.", examples: ["Too dark"] }),
    ),
    action: Type.String({ description: "What to do next, where `url` leads.", examples: ["Review"] }),
    url: Uri({ description: "The page to act on it." }),
    project: Nullable(Slug),
    at: DateTime({ description: "When it happened or, after a snooze, when the snooze ended." }),
    due_at: Nullable(DateTime({ description: "When a requested review is due." })),
    times: Count("How many equal failures it stands for; 1 for everything else.", 1),
    issue: Nullable(TaskNumber),
    task: ShownTaskKey,
    pr: Nullable(TaskNumber),
    asset: Nullable({ ...AssetId, description: "Of a set, one of its assets." }),
    thumb_url: Nullable(Uri()),
    until: Nullable(DateTime({ description: "When its snooze ends." })),
  },
  { $id: "InboxItem", description: "Something that you should act on or know." },
);
export type InboxItem = Static<typeof InboxItem>;

export const inboxViews = ["open", "done", "snoozed"] as const;

export const InboxQuery = Type.Object({
  view: Type.Optional(
    Choice(inboxViews, {
      description:
        "`done`, `snoozed`: what you marked so, until it is dealt with or something new happens to it.",
      default: "open",
    }),
  ),
});
export type InboxQuery = Static<typeof InboxQuery>;

export const Inbox = Type.Object(
  {
    count: Count(`How many things need you, up to ${countMax}. A variant set is one.`, 3),
    counts: Type.Object(
      {
        agents: Count("Runs whose agent asks for permission or input.", 1),
        requested: Count("What was asked of you.", 1),
        waiting: Count("What waits for a review that you can give.", 1),
        broken: Count("What failed or stopped, and no one is on it.", 1),
        answered: Count("Your rejections that a run read, or a version followed. Not in `count`.", 1),
      } satisfies Record<Group, TSchema>,
      { description: "How many are in each group." },
    ),
    items: Type.Array(InboxItem, {
      description:
        "By group: `agents`, `requested` (what is due first), `waiting`, `broken`, `answered`; in each the " +
        "newest first.",
    }),
    snoozed: Count(`How many are snoozed now, up to ${countMax}.`, 1),
    done: Count(`How many are marked as done, up to ${countMax}.`, 4),
    repaired: Count("Failures of the last 30 days that were repaired.", 3),
  },
  { $id: "Inbox", description: "What you should act on or know." },
);
export type Inbox = Static<typeof Inbox>;

const Ids = Type.Array(ItemId, {
  minItems: 1,
  maxItems: countMax,
  description: "The ids of the items.",
  examples: [["run-4711"]],
});

export const DoneInput = Type.Object({
  ids: Ids,
  done: Type.Optional(
    Type.Boolean({ description: "False puts the items back, also snoozed ones. True by default." }),
  ),
});
export type DoneInput = Static<typeof DoneInput>;

export const snoozes = ["hour", "tomorrow", "next_week"] as const;
export const SnoozeInput = Type.Object({
  ids: Ids,
  for: Choice(snoozes, {
    description: "`hour`: one hour. `tomorrow`: the next day at 9:00. `next_week`: next Monday at 9:00.",
    examples: ["tomorrow"],
  }),
  time_zone: Type.Optional(
    Line(64, { description: "Time zone of 9:00 (IANA name); UTC by default.", examples: ["Europe/Lisbon"] }),
  ),
});
export type SnoozeInput = Static<typeof SnoozeInput>;

export const Marked = Type.Object({
  count: Count(`How many items are left, up to ${countMax}.`, 2),
  until: Nullable(DateTime({ description: "When the snooze ends; null for done." })),
  unknown: Type.Array(ItemId, {
    description: "Ids that are not in your inbox, and were not marked.",
    examples: [[]],
  }),
});
export type Marked = Static<typeof Marked>;
