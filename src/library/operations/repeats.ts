/** Operations on files that repeat a rejected one. */

import { operationOf } from "../../core/operation.ts";
import type { LibraryContext } from "../context.ts";
import * as policy from "../repeats/repeats.ts";
import { checkRepeat as check } from "../repeats/repeats.ts";
import { RepeatPolicyInput, RepeatPolicyPath, RepeatQuery } from "../repeats/requests.ts";
import { RepeatCheck, RepeatPolicy } from "../repeats/schema.ts";

const operation = operationOf<LibraryContext>("reviews");

export const checkRepeat = operation({
  id: "checkRepeat",
  summary: "Check whether a file was rejected",
  description:
    "Whether a file was rejected in the project, with the note: ask before the upload. Null if it was " +
    "approved since.",
  scope: "assets:read",
  http: { method: "GET", path: "/projects/{slug}/repeats", errors: [404] },
  input: RepeatQuery,
  output: RepeatCheck,
  run: check,
});

export const getRepeatPolicy = operation({
  id: "getRepeatPolicy",
  summary: "Get whether repeats are refused",
  description: "Whether a project refuses files that it has rejected.",
  scope: "assets:read",
  http: { method: "GET", path: "/projects/{slug}/repeat-policy", errors: [404] },
  input: RepeatPolicyPath,
  output: RepeatPolicy,
  run: policy.getRepeatPolicy,
});

export const setRepeatPolicy = operation({
  id: "setRepeatPolicy",
  summary: "Set whether repeats are refused",
  description: "Sets whether the upload of a file that the project has rejected is a 409.",
  scope: "reviews:write",
  http: {
    method: "PUT",
    path: "/projects/{slug}/repeat-policy",
    body: "RepeatPolicyRequest",
    errors: [404],
  },
  input: RepeatPolicyInput,
  output: RepeatPolicy,
  run: policy.setRepeatPolicy,
});
