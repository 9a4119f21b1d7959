/** Schemas of appending events. */
import { type Static, Type } from "@sinclair/typebox";
import { EventInput } from "../schema.ts";

export const AppendRequest = Type.Object({ events: Type.Array(EventInput, { minItems: 1, maxItems: 1000 }) });
export type AppendRequest = Static<typeof AppendRequest>;

export const AppendResult = Type.Object(
  {
    accepted: Type.Integer({ minimum: 0, description: "Events added.", examples: [1] }),
    duplicates: Type.Integer({
      minimum: 0,
      description: "Events whose `dedupe_key` already existed; they add nothing.",
    }),
  },
  { $id: "AppendResult" },
);
export type AppendResult = Static<typeof AppendResult>;
