/** Schemas of reading the feed and its stream. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../core/lib/cursor.ts";
import { DateTime, Id, Limit } from "../core/wire.ts";
import { filterFields } from "./filters.ts";

export const FeedQuery = Type.Object({
  ...filterFields,
  limit: Limit(50),
  cursor: Type.Optional(Cursor()),
  before: Type.Optional(DateTime({ description: "Only events before this time." })),
  after: Type.Optional(DateTime({ description: "Only events after this time." })),
});
export type FeedQuery = Static<typeof FeedQuery>;

export const StreamQuery = Type.Object({
  ...filterFields,
  after: FeedQuery.properties.after,
  last_event_id: Type.Optional(Id({ description: "Resume after the event with this id.", examples: [4711] })),
});
export type StreamQuery = Static<typeof StreamQuery>;
