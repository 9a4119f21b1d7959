/** Operations on the inbox and on Today. */

import { operationOf } from "../../core/operation.ts";
import type { OverviewContext } from "../context.ts";
import { loadInbox } from "../inbox/inbox.ts";
import { markDone, snooze } from "../inbox/mark.ts";
import { DoneInput, Inbox, InboxQuery, Marked, SnoozeInput } from "../inbox/schema.ts";
import { markAsRead } from "../today/read-marker.ts";
import { ReadInput, ReadMarker, Today, TodayQuery } from "../today/schema.ts";
import { loadToday } from "../today/today.ts";

const operation = operationOf<OverviewContext>("inbox");

export const getInbox = operation({
  id: "getInbox",
  summary: "Get your inbox",
  description:
    "What needs you, by group: asked of you (reviews, your work that was rejected), waiting for a " +
    "reviewer like you, broken (what failed or was lost in the last 30 days, budgets, paused webhooks). " +
    "An item leaves by itself when it is dealt with.",
  scope: "feed:read",
  http: { method: "GET", path: "/inbox" },
  input: InboxQuery,
  output: Inbox,
  run: loadInbox,
});

export const markInboxDone = operation({
  id: "markInboxDone",
  summary: "Mark inbox items as done",
  description:
    "The items leave your inbox, until something new happens to them. Kept on the server for the token's " +
    "name, and for the person who signs in with it. `done: false` puts them back.",
  scope: "feed:read",
  http: { method: "POST", path: "/inbox/done", body: "InboxDoneInput", errors: [401] },
  input: DoneInput,
  output: Marked,
  run: markDone,
});

export const snoozeInbox = operation({
  id: "snoozeInbox",
  summary: "Snooze inbox items",
  description:
    "The items leave your inbox, and come back when the snooze ends or something new happens to them.",
  scope: "feed:read",
  http: { method: "POST", path: "/inbox/snooze", body: "InboxSnoozeInput", errors: [401] },
  input: SnoozeInput,
  output: Marked,
  run: snooze,
});

export const getToday = operation({
  id: "getToday",
  summary: "Get what needs you today",
  description:
    "What needs you (`needs`, as in your inbox), runs in flight, what finished, failed, was merged and was " +
    "decided since you last looked, and today's spend. Reading it marks nothing as read: see markAsRead.",
  scope: "feed:read",
  http: { method: "GET", path: "/today" },
  input: TodayQuery,
  output: Today,
  run: (ctx, query, caller) => loadToday(ctx, caller, query),
});

export const readToday = operation({
  id: "markAsRead",
  summary: "Mark as read",
  description:
    "Everything up to `until` is read: `GET /today` then starts there. Kept on the server for the " +
    "token's name, and for the person who signs in with it. It never moves back.",
  scope: "feed:read",
  http: { method: "POST", path: "/today/read", body: "ReadInput", errors: [401] },
  input: ReadInput,
  output: ReadMarker,
  run: markAsRead,
});
