/** Operations on people, for admins. */
import { Type } from "@sinclair/typebox";
import type { CoreContext } from "../context.ts";
import { operationOf } from "../operation.ts";
import * as people from "./people.ts";
import { People, Person, PersonInput, PersonPath, UnmappedPolicy } from "./schema.ts";

const operation = operationOf<CoreContext>("people");

const forAdmins = { scope: "public", token: "admin" } as const;

export const listPeople = operation({
  ...forAdmins,
  id: "listPeople",
  summary: "List people",
  description: "People with their teams, email addresses and logins, removed ones included.",
  http: { method: "GET", path: "/people", errors: [401, 403] },
  input: Type.Object({}),
  output: People,
  run: (ctx) => people.listPeople(ctx),
});

export const setPerson = operation({
  ...forAdmins,
  id: "setPerson",
  summary: "Add or change a person",
  description:
    "Changes only the fields that are given. New events of a linked email address or login are theirs.",
  http: {
    method: "PUT",
    path: "/people/{id}",
    hasOptionalBody: true,
    body: "PersonRequest",
    errors: [401, 403, 404, 409],
  },
  input: PersonInput,
  output: Person,
  run: people.setPerson,
});

export const removePerson = operation({
  ...forAdmins,
  id: "removePerson",
  summary: "Remove a person",
  description: "Unlinks their identities. Nothing new is theirs; what is in the feed stays.",
  http: { method: "POST", path: "/people/{id}/remove", media: null, errors: [401, 403, 404] },
  input: PersonPath,
  output: Person,
  run: people.removePerson,
});

export const setUnmappedPolicy = operation({
  ...forAdmins,
  id: "setUnmappedPolicy",
  summary: "Keep unmapped identities",
  description:
    "Whether a project keeps email addresses and logins of no person; by default, only their count.",
  http: { method: "PUT", path: "/people", body: "UnmappedPolicyRequest", errors: [401, 403] },
  input: UnmappedPolicy,
  output: UnmappedPolicy,
  run: people.setUnmappedPolicy,
});
