/** Operations on saved views: of the pages alone, which have the lists that they are of. */

import { operationOf } from "../../core/operation.ts";
import type { OverviewContext } from "../context.ts";
import { SavedView, SavedViews, ViewName, ViewPath } from "../views/schema.ts";
import { deleteView, loadViews, storeView } from "../views/views.ts";

const operation = operationOf<OverviewContext>("inbox");
const ofPages = { scope: "public", token: "any", description: "", output: SavedViews } as const;

export const listViews = operation({
  ...ofPages,
  id: "listViews",
  summary: "List your saved views of a list",
  input: ViewPath,
  run: loadViews,
});

export const saveView = operation({
  ...ofPages,
  id: "saveView",
  summary: "Save the filters of a list under a name",
  input: SavedView,
  run: storeView,
});

export const removeView = operation({
  ...ofPages,
  id: "removeView",
  summary: "Remove a saved view",
  input: ViewName,
  run: deleteView,
});
