/** Schemas of people: who owns tokens, and by which email addresses and logins their work is known. */
import { type Static, Type } from "@sinclair/typebox";
import { forgeNames } from "../forges/schema.ts";
import { Count, DateTime, Line, Nullable, PersonId, Slug, TeamName } from "../wire.ts";

/** Where an identity is known: the email of a commit or of telemetry, or a forge. */
const identityKinds = ["email", ...forgeNames] as const;
export type IdentityKind = (typeof identityKinds)[number];

export const Identity = Type.String({
  pattern: `^(${identityKinds.join("|")}):[^\\s"]+$`,
  maxLength: 254,
  description: "`email:` and an address, or a forge and a login there.",
  examples: ["email:dana@example.com"],
});

/** Identities are compared in lower case. */
export const identityOf = (kind: IdentityKind, value: string): string =>
  normalizeIdentity(`${kind}:${value}`);
export const normalizeIdentity = (identity: string): string => identity.trim().toLowerCase();

const name = Nullable(Line(128, { description: "Full name.", examples: ["Dana Kim"] }));
const team = Nullable(TeamName);

export const Person = Type.Object(
  {
    id: PersonId,
    name,
    team,
    identities: Type.Array(Identity),
    active: Type.Boolean({ description: "False once removed: nothing new is theirs." }),
    created_at: DateTime(),
  },
  { $id: "Person", description: "A person whose work is in the feed." },
);
export type Person = Static<typeof Person>;

const Unmapped = Type.Object({
  project: Nullable(Slug),
  identity: Nullable({ ...Identity, description: "Null: of those that the project does not keep." }),
  events: Count("Events of it.", 12),
  last_at: DateTime(),
});

export const People = Type.Object(
  {
    people: Type.Array(Person),
    unmapped: Type.Array(Unmapped, { description: "Identities of no person, most events first." }),
  },
  { $id: "People" },
);
export type People = Static<typeof People>;

export const PersonPath = Type.Object({ id: PersonId });
export type PersonPath = Static<typeof PersonPath>;

const identities = Type.Optional(Type.Array(Identity, { maxItems: 100 }));

export const PersonInput = Type.Object({
  id: PersonId,
  name: Type.Optional(name),
  team: Type.Optional(team),
  link: identities,
  unlink: identities,
});
export type PersonInput = Static<typeof PersonInput>;

export const UnmappedPolicy = Type.Object({
  project: Slug,
  keep: Type.Boolean({ description: "Keep identities of no person, to map them. Else only their count." }),
});
export type UnmappedPolicy = Static<typeof UnmappedPolicy>;
