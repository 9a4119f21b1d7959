/** Schemas of sign-in links for the holder of a token. */
import { type Static, Type } from "@sinclair/typebox";
import { DateTime, EmailAddress, Uri } from "../../wire.ts";
import { TokenPath } from "../token-requests.ts";

export const SignInLinkInput = Type.Object({
  ...TokenPath.properties,
  email: Type.Optional(
    EmailAddress(
      "Email address of the person. The sign-in page offers to send a new link to it once the session of " +
        "this link has expired. This link is not sent.",
      "dana@example.com",
    ),
  ),
});
export type SignInLinkInput = Static<typeof SignInLinkInput>;

export const CreatedSignInLink = Type.Object(
  {
    name: TokenPath.properties.name,
    url: Uri({
      description: "The link. It works once. It is in this answer only, as only its hash is stored.",
    }),
    expires_at: DateTime({ description: "A day after it was created, or when the token expires." }),
  },
  { $id: "SignInLink" },
);
export type CreatedSignInLink = Static<typeof CreatedSignInLink>;
