/** Operations on checklists. */

import { operationOf } from "../../core/operation.ts";
import * as checklists from "../checklists/checklists.ts";
import { ChecklistInput, ChecklistQuery, ChecklistsPath } from "../checklists/requests.ts";
import { Checklist, ChecklistList, ChecklistSet } from "../checklists/schema.ts";
import type { LibraryContext } from "../context.ts";

const operation = operationOf<LibraryContext>("reviews");

export const listChecklists = operation({
  id: "listChecklists",
  summary: "List checklists",
  description: "The current checklist of each kind of assets of a project.",
  scope: "assets:read",
  http: { method: "GET", path: "/projects/{slug}/checklists", errors: [404] },
  input: ChecklistsPath,
  output: ChecklistList,
  run: checklists.listChecklists,
});

export const getChecklist = operation({
  id: "getChecklist",
  summary: "Get a checklist",
  description: "The current version, or an older one that a review names.",
  scope: "assets:read",
  http: { method: "GET", path: "/projects/{slug}/checklists/{kind}", errors: [404] },
  input: ChecklistQuery,
  output: Checklist,
  run: checklists.getChecklist,
});

export const setChecklist = operation({
  id: "setChecklist",
  summary: "Set a checklist",
  description:
    "Sets what reviewers check, for the assets of a project and kind. A change makes a new version, and " +
    "reviews name the one they answer. To approve an asset, each required item needs an answer.",
  scope: "reviews:write",
  http: {
    method: "PUT",
    path: "/projects/{slug}/checklists/{kind}",
    body: "ChecklistRequest",
    errors: [404],
  },
  input: ChecklistInput,
  output: ChecklistSet,
  run: checklists.setChecklist,
});
