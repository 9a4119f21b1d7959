import { markAsRead } from "../../../overview/today/read-marker.ts";
import { ReadInput, ReadMarker, Today, TodayQuery } from "../../../overview/today/schema.ts";
import { loadToday } from "../../../overview/today/today.ts";
import { operation } from "../operation.ts";

export const getToday = operation({
  id: "getToday",
  tag: "feed",
  summary: "Get what needs you today",
  description:
    "Assets to review by project, runs in flight, what finished, failed, and was decided since you " +
    "last looked, and today's spend against the two weeks before. Reading it marks nothing as read: " +
    "see markAsRead.",
  scope: "feed:read",
  http: { method: "GET", path: "/today" },
  input: TodayQuery,
  output: Today,
  run: (ctx, query, caller) => loadToday(ctx, caller, query),
});

export const readToday = operation({
  id: "markAsRead",
  tag: "feed",
  summary: "Mark as read",
  description:
    "Everything up to `until` is read: `GET /today` then starts there. Kept on the server for the " +
    "token's name, and for the person who signs in with it. It never moves back.",
  scope: "feed:read",
  writes: true,
  http: { method: "POST", path: "/today/read", body: "ReadInput", errors: [401] },
  input: ReadInput,
  output: ReadMarker,
  run: markAsRead,
});
