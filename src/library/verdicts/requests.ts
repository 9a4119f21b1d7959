/** Schemas of what callers send about review policies. */
import { type Static, Type } from "@sinclair/typebox";
import { Actor, ProjectName } from "../../core/wire.ts";
import { AssetKind } from "../assets/schema.ts";
import { Need } from "./schema.ts";

export const PoliciesPath = Type.Object({ slug: ProjectName });
export type PoliciesPath = Static<typeof PoliciesPath>;

export const PolicyInput = Type.Object({
  slug: ProjectName,
  kind: { ...AssetKind, description: "Kind of the assets." },
  need: Need,
  by: Type.Optional(Actor),
});
export type PolicyInput = Static<typeof PolicyInput>;
