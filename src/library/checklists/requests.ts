/** Schemas of what callers send about checklists. */
import { type Static, Type } from "@sinclair/typebox";
import { Actor, ProjectName } from "../../core/wire.ts";
import { AssetKind } from "../assets/schema.ts";
import { Checklist, itemsMax, NewItem } from "./schema.ts";

const place = { slug: ProjectName, kind: { ...AssetKind, description: "Kind of the assets." } };

export const ChecklistsPath = Type.Object({ slug: ProjectName });
export type ChecklistsPath = Static<typeof ChecklistsPath>;

export const ChecklistQuery = Type.Object({
  ...place,
  version: Type.Optional({ ...Checklist.properties.version, description: "The current one by default." }),
});
export type ChecklistQuery = Static<typeof ChecklistQuery>;

export const ChecklistInput = Type.Object({
  ...place,
  items: Type.Array(NewItem, { maxItems: itemsMax, description: "Empty: removes the checklist." }),
  by: Type.Optional(Actor),
});
export type ChecklistInput = Static<typeof ChecklistInput>;
