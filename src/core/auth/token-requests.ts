/** Schemas of what admins see of tokens, and change. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, Count, DateTime, Nullable, OpenChoice } from "../wire.ts";
import { ReviewRole } from "./review-role.ts";
import { allRoles } from "./scopes.ts";
import { OwnerChange, ReviewRoleChange, TokenInfo, TokenRequest } from "./token.ts";

export const TokenPath = Type.Object({
  name: Type.String({
    ...TokenRequest.properties.name,
    description: "Name of the token.",
    examples: ["dana"],
  }),
});
export type TokenPath = Static<typeof TokenPath>;

const { owner, team } = OwnerChange.properties;

export const AccessToken = Type.Object(
  {
    ...TokenInfo.properties,
    role: Nullable(Choice(allRoles, { description: "Null for a set of scopes that is no role." })),
    review_role: Nullable(ReviewRole),
    owner: Nullable(owner),
    team: Nullable(team),
    created_at: DateTime(),
    revoked_at: Nullable(DateTime()),
    last_used_at: Nullable(DateTime({ description: "Rounded to a quarter of an hour." })),
    previous_until: Nullable(DateTime({ description: "Until then, the secret before a rotation works." })),
    agent_at: Nullable(DateTime({ description: "When an agent first used it." })),
  },
  { $id: "AccessToken", description: "A token without its secret, of which only a hash is stored." },
);
export type AccessToken = Static<typeof AccessToken>;

export const TokenList = Type.Object({ tokens: Type.Array(AccessToken) }, { $id: "TokenList" });
export type TokenList = Static<typeof TokenList>;

export const TokenOwnerInput = Type.Object({ ...TokenPath.properties, ...OwnerChange.properties });
export type TokenOwnerInput = Static<typeof TokenOwnerInput>;

export const TokenReviewRoleInput = Type.Object({ ...TokenPath.properties, ...ReviewRoleChange.properties });
export type TokenReviewRoleInput = Static<typeof TokenReviewRoleInput>;

export const ActivityQuery = Type.Object({
  ...TokenPath.properties,
  since: Type.Optional(DateTime({ description: "7 days ago by default." })),
});
export type ActivityQuery = Static<typeof ActivityQuery>;

export const ActivityLine = Type.Object({
  from: OpenChoice(["audit", "feed"], { description: "The audit log, or the feed.", examples: ["audit"] }),
  what: Type.String({
    description: "An operation with its outcome, or a kind of event.",
    examples: ["reviewAsset"],
  }),
  count: Count("How many times.", 3),
  first: DateTime(),
  last: DateTime(),
});
export type ActivityLine = Static<typeof ActivityLine>;

export const TokenActivity = Type.Object(
  { activity: Type.Array(ActivityLine, { description: "The latest first." }) },
  { $id: "TokenActivity" },
);
export type TokenActivity = Static<typeof TokenActivity>;

export const RevokedLinks = Type.Object({ sessions: Count("Sessions that ended.", 2) });
export type RevokedLinks = Static<typeof RevokedLinks>;
