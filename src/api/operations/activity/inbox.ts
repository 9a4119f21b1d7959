import { Type } from "@sinclair/typebox";
import { loadInbox } from "../../../overview/inbox/inbox.ts";
import { markDone, snooze } from "../../../overview/inbox/mark.ts";
import { DoneInput, Inbox, Marked, SnoozeInput } from "../../../overview/inbox/schema.ts";
import { operation } from "../operation.ts";

export const getInbox = operation({
  id: "getInbox",
  tag: "feed",
  summary: "Get your inbox",
  description:
    "What you should act on or know, newest first: reviews that wait or were asked of you, your own work " +
    "that was rejected, runs that failed or were lost in the last 30 days, budgets, and paused webhooks. " +
    "An item leaves by itself when it is dealt with: the asset is reviewed, a new version is uploaded, " +
    "the run is retried with success.",
  scope: "feed:read",
  http: { method: "GET", path: "/inbox" },
  input: Type.Object({}),
  output: Inbox,
  run: (ctx, _, caller) => loadInbox(ctx, caller),
});

export const markInboxDone = operation({
  id: "markInboxDone",
  tag: "feed",
  summary: "Mark inbox items as done",
  description:
    "The items leave your inbox, until something new happens to them. Kept on the server for the token's " +
    "name, and for the person who signs in with it. `done: false` puts them back.",
  scope: "feed:read",
  writes: true,
  http: { method: "POST", path: "/inbox/done", body: "InboxDoneInput", errors: [401] },
  input: DoneInput,
  output: Marked,
  run: markDone,
});

export const snoozeInbox = operation({
  id: "snoozeInbox",
  tag: "feed",
  summary: "Snooze inbox items",
  description:
    "The items leave your inbox, and come back when the snooze ends or something new happens to them.",
  scope: "feed:read",
  writes: true,
  http: { method: "POST", path: "/inbox/snooze", body: "InboxSnoozeInput", errors: [401] },
  input: SnoozeInput,
  output: Marked,
  run: snooze,
});
