/** Filters of a list that a person gave a name. */
import { type Static, Type } from "@sinclair/typebox";
import { Line } from "../../core/wire.ts";

const path = Type.String({ pattern: "^/[a-z]+$", maxLength: 32, description: "Path of the list's page." });
const name = Line(64, { description: "What the person calls it." });

export const SavedView = Type.Object({
  path,
  name,
  query: Type.String({ maxLength: 2_000, default: "", description: "Query of the page, without its `?`." }),
});
export type SavedView = Static<typeof SavedView>;

export const ViewPath = Type.Object({ path });
export const ViewName = Type.Object({ path, name });
export const SavedViews = Type.Object({ views: Type.Array(SavedView) });
export type SavedViews = Static<typeof SavedViews>;
