/** Schemas of pending assets in groups, by what changed against the versions that were approved. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, Nullable, RunId, Slug, TaskKey, TaskNumber } from "../../core/wire.ts";
import { boxesMax, ChangeBox } from "../../files/probe/likeness/schema.ts";
import { Asset, AssetId, AssetKind, SetName } from "../assets/schema.ts";

/**
 * - `same`: the file, or every pixel of the image, is that of the approved version.
 * - `alike`: the same colors changed, in the same places.
 * - `colors`: the same colors changed, in different places.
 * - `different`: each changed in its own way.
 * - `similar`: other pixels, none of which changed visibly, as after another encoding.
 * - `unknown`: they cannot be compared.
 * - `likes`: no version is approved, and they look like each other.
 * - `new`: no version is approved.
 * - `waiting`: they are being compared.
 */
export const groupKinds = [
  "same",
  "alike",
  "colors",
  "different",
  "similar",
  "unknown",
  "likes",
  "new",
  "waiting",
] as const;
export type GroupKind = (typeof groupKinds)[number];

export const PendingGroupsQuery = Type.Object({
  project: Type.Optional(Slug),
  kind: Type.Optional(AssetKind),
  issue: Type.Optional(TaskNumber),
  task: Type.Optional(TaskKey),
  pr: Type.Optional(TaskNumber),
  set: Type.Optional(SetName),
  run: Type.Optional(RunId("The run that made them.")),
  only: Type.Optional(Choice(groupKinds)),
});
export type PendingGroupsQuery = Static<typeof PendingGroupsQuery>;

export const PendingItem = Type.Object({
  asset: Asset,
  base: Nullable(AssetId),
  /** Around what changed. */
  boxes: Type.Array(ChangeBox, { maxItems: boxesMax }),
  /** Share of the pixels that changed, from 0 to 1. */
  share: Type.Number({ minimum: 0, maximum: 1 }),
});
export type PendingItem = Static<typeof PendingItem>;

export const PendingGroup = Type.Object({
  kind: Choice(groupKinds),
  count: Type.Integer({ minimum: 1 }),
  /** Those that one decision is about: what is shown, or has proven to be the same. */
  ids: Type.Array(AssetId),
  /** The first of them. */
  items: Type.Array(PendingItem),
});
export type PendingGroup = Static<typeof PendingGroup>;

export const PendingGroups = Type.Object({
  groups: Type.Array(PendingGroup),
  count: Type.Integer({ minimum: 0 }),
  /** More are pending than a page shows. */
  has_more: Type.Boolean(),
});
export type PendingGroups = Static<typeof PendingGroups>;

export const ComparisonPath = Type.Object({ id: AssetId });

/** A pending asset beside the approved one. */
export const Comparison = Type.Object({ item: PendingItem, base: Nullable(Asset) });
export type Comparison = Static<typeof Comparison>;
