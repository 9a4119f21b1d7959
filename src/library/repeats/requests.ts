/** Schemas of what callers send about files that come back. */
import { type Static, Type } from "@sinclair/typebox";
import { Actor, ProjectName } from "../../core/wire.ts";
import { assetId, Sha256 } from "../assets/ids.ts";

export const RepeatQuery = Type.Object({
  slug: ProjectName,
  sha256: Sha256,
  replaces: Type.Optional(assetId({ description: "Id of the asset that the file would replace." })),
});
export type RepeatQuery = Static<typeof RepeatQuery>;

export const RepeatPolicyPath = Type.Object({ slug: ProjectName });
export type RepeatPolicyPath = Static<typeof RepeatPolicyPath>;

export const RepeatPolicyInput = Type.Object({
  slug: ProjectName,
  refuse: Type.Boolean(),
  by: Type.Optional(Actor),
});
export type RepeatPolicyInput = Static<typeof RepeatPolicyInput>;
