/** Schemas of sign-in links for the holder of a token. */
import { type Static, Type } from "@sinclair/typebox";
import { DateTime, Uri } from "../wire.ts";
import { TokenRequest } from "./token.ts";

const { name } = TokenRequest.properties;

export const TokenPath = Type.Object({
  name: Type.String({ ...name, description: "Name of the token.", examples: ["dana"] }),
});
export type TokenPath = Static<typeof TokenPath>;

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
