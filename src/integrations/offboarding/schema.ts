/** Schemas of what someone who leaves has, and of what becomes of it. */
import { type Static, Type } from "@sinclair/typebox";
import { Count, Nullable } from "../../core/wire.ts";
import { RotatedSecret } from "../webhooks/schema.ts";

const name = Type.String({
  pattern: "^[a-z0-9._-]{1,63}$",
  description: "A person or a token.",
  examples: ["dana"],
});

export const OffboardingPath = Type.Object({ name });
export type OffboardingPath = Static<typeof OffboardingPath>;

export const OffboardingInput = Type.Object({
  name,
  to: Type.Optional(
    Type.String({
      pattern: name.pattern as string,
      description: "Token that gets the webhooks, share links and review requests.",
      examples: ["ana"],
    }),
  ),
});
export type OffboardingInput = Static<typeof OffboardingInput>;

const listed = (text: string) =>
  Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), { description: text });

export const Offboarding = Type.Object(
  {
    name: Type.String({ examples: ["dana"] }),
    to: Nullable(Type.String({ examples: ["ana"] })),
    is_person: Type.Boolean({ description: "Their email addresses and logins are unlinked." }),
    has_identity: Type.Boolean({ description: "They sign in at an identity provider: end that there." }),
    tokens: Type.Array(Type.String(), { description: "Revoked.", examples: [["dana"]] }),
    sessions: Count("Sessions of the website that end.", 1),
    sign_in_links: Count("Unused sign-in links that end.", 0),
    email_digests: listed("Removed."),
    shares: listed("Share links: handed over, or revoked."),
    webhooks: listed("Handed over, or paused."),
    rotated: Type.Array(
      Type.Object({ ...RotatedSecret.properties, name: Type.String({ examples: ["deploys"] }) }),
      { description: "Webhooks that were handed over, with new signing secrets, shown this once." },
    ),
    review_requests: listed("Handed over, or asked of the others; of everyone if there are none."),
  },
  { $id: "Offboarding" },
);
export type Offboarding = Static<typeof Offboarding>;
