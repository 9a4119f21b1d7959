/** Schemas of the audit log. */
import { type Static, Type } from "@sinclair/typebox";
import { vias } from "../auth/caller.ts";
import { TokenRequest } from "../auth/token.ts";
import { Count, DateTime, Id, Limit, Nullable, OpenChoice } from "../wire.ts";

export const AuditQuery = Type.Object({
  since: Type.Optional(DateTime({ description: "Only entries since then." })),
  token: Type.Optional(
    Type.String({
      ...TokenRequest.properties.name,
      description: "Only requests with this token.",
      examples: ["dana"],
    }),
  ),
  limit: Limit(50),
  before: Type.Optional(Id({ description: "Only entries before this one: `next_before` of a page." })),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditEntry = Type.Object(
  {
    id: Id({ description: "Entry id." }),
    at: DateTime(),
    who: Nullable(Type.String({ description: "A token, a local user, or `bot:svc`.", examples: ["dana"] })),
    via: OpenChoice(vias, { description: "`session`: a browser.", examples: ["cli"] }),
    what: Type.String({ description: "An operation, a tool, or a command.", examples: ["revokeToken"] }),
    project: Nullable(Type.String({ examples: ["atlas"] })),
    target: Nullable(Type.String({ description: "What it was about.", examples: ["ci"] })),
    status: Type.Integer({ description: "200, or the status of the refusal.", examples: [200] }),
    outcome: Type.String({ examples: ["ok"] }),
    address: Nullable(
      Type.String({ description: "IP address of a refused request without a token.", examples: [null] }),
    ),
    request: Nullable(Type.String({ description: "Request id.", examples: [null] })),
    count: Count("Requests that this entry counts.", 1),
  },
  { $id: "AuditEntry" },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditPage = Type.Object(
  {
    entries: Type.Array(AuditEntry, { description: "Newest first." }),
    next_before: Nullable(
      Id({ description: "Pass as `before` for the next, older page; null on the last page." }),
    ),
  },
  { $id: "AuditPage" },
);
export type AuditPage = Static<typeof AuditPage>;
