/** Groups pending assets by what changed in them, so that a reviewer decides about like changes together. */
import type { ChangeBox, ChangeLayer, PictureChange } from "../../files/probe/likeness/schema.ts";
import type { ComparedAsset } from "./rows.ts";
import { type GroupKind, groupKinds } from "./schema.ts";

/** The title orders a group: those with like names stand together. */
export type Compared = Omit<ComparedAsset, "id" | "failures">;

export interface Group<T> {
  kind: GroupKind;
  items: T[];
}

/** Layers with fewer pixels of a million are edges of others. A fault on 1 % of the image has more. */
const layerMin = 100;
/** Colors are equal within so many levels of a channel. */
const colorMax = 24;
/** The areas of two layers differ at most by this factor, and their sides by this share of the image. */
const [areaMax, sideMax] = [1.5, 300] as const;

/** Groups of one are joined to those that changed each in its own way. */
export function groupCompared<T extends Compared>(assets: readonly T[]): Group<T>[] {
  const sorted = assets.toSorted((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
  const byKind = Map.groupBy(sorted, kindOf);
  const changed = byKind.get("different") ?? [];
  const alike = clusters(changed, layersOf, isSameChange);
  const single = without(changed, alike.flat());
  const colors = clusters(single, layersOf, hasSameColors);
  const unknown = byKind.get("new") ?? [];
  const likes = clusters(unknown, ({ signature }) => signature, isLike);
  const groups: Group<T>[] = [
    ...[...byKind]
      .filter(([kind]) => kind !== "different" && kind !== "new")
      .map(([kind, items]) => ({ kind, items })),
    ...bySize(alike).map((items) => ({ kind: "alike" as const, items })),
    ...bySize(colors).map((items) => ({ kind: "colors" as const, items })),
    ...bySize(likes).map((items) => ({ kind: "likes" as const, items })),
  ];
  const rest = without(single, colors.flat());
  if (rest.length > 0) groups.push({ kind: "different", items: rest });
  const strange = without(unknown, likes.flat());
  if (strange.length > 0) groups.push({ kind: "new", items: strange });
  return groups.toSorted((a, b) => groupKinds.indexOf(a.kind) - groupKinds.indexOf(b.kind));
}

function without<T>(list: readonly T[], others: readonly T[]): T[] {
  const left = new Set(others);
  return list.filter((one) => !left.has(one));
}

const bySize = <T>(lists: T[][]): T[][] => lists.toSorted((a, b) => b.length - a.length);

function kindOf({ isWaiting, base, change }: Compared): GroupKind {
  if (isWaiting) return "waiting";
  if (base === null) return "new";
  if (change === null) return "unknown";
  return change.state === "changed" ? "different" : change.state;
}

/** Each is compared with the first of a cluster, so that a cluster does not drift. Only those of several. */
function clusters<T extends Compared, Feature>(
  assets: readonly T[],
  featureOf: (asset: T) => Feature,
  isAlike: (one: Feature, other: Feature) => boolean,
): T[][] {
  const found: { feature: Feature; items: T[] }[] = [];
  for (const asset of assets) {
    const feature = featureOf(asset);
    const cluster = found.find((one) => isAlike(one.feature, feature));
    if (cluster) cluster.items.push(asset);
    else found.push({ feature, items: [asset] });
  }
  return found.filter(({ items }) => items.length > 1).map(({ items }) => items);
}

const layersOf = ({ change }: Pick<Compared, "change">): ChangeLayer[] =>
  (change?.layers ?? []).filter(({ pixels }) => pixels >= layerMin);

/** Signatures of images that look alike differ by fewer levels, in the mean. */
const likeMax = 6;

function isLike(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false;
  const [some, others] = [Buffer.from(one, "base64"), Buffer.from(other, "base64")];
  const sum = some.reduce((total, level, at) => total + Math.abs(level - (others[at] ?? 0)), 0);
  return sum <= likeMax * some.length;
}

const isSameChange = pairUp((one, other) => isSameColor(one, other) && isSamePlace(one, other));
const hasSameColors = pairUp(isSameColor);

/** Whether each layer has its own counterpart. */
function pairUp(isPair: (one: ChangeLayer, other: ChangeLayer) => boolean) {
  return (some: readonly ChangeLayer[], others: readonly ChangeLayer[]): boolean => {
    const left = [...others];
    for (const one of some) {
      const at = left.findIndex((other) => isPair(one, other));
      if (at < 0) return false;
      left.splice(at, 1);
    }
    return left.length === 0 && some.length > 0;
  };
}

/** Pixels that changed in different ways are not like any others. */
function isSameColor({ color: one }: ChangeLayer, { color: other }: ChangeLayer): boolean {
  if (!one || !other) return false;
  return one.every((level, channel) => Math.abs(level - (other[channel] as number)) <= colorMax);
}

function isSamePlace(one: ChangeLayer, other: ChangeLayer): boolean {
  const [less, more] = [one.pixels, other.pixels].toSorted((a, b) => a - b) as [number, number];
  const sides = sidesOf(other.boxes);
  return (
    more <= less * areaMax &&
    sidesOf(one.boxes).every((side, at) => Math.abs(side - (sides[at] as number)) <= sideMax)
  );
}

/** Left, top, right, and bottom of all boxes. */
const sidesOf = (boxes: readonly ChangeBox[]): number[] => [
  Math.min(...boxes.map(([x]) => x)),
  Math.min(...boxes.map(([, y]) => y)),
  Math.max(...boxes.map(([x, , w]) => x + w)),
  Math.max(...boxes.map(([, y, , h]) => y + h)),
];

/** The boxes of all layers, those that overlap joined. */
export function outlinesOf(change: PictureChange | null): ChangeBox[] {
  const boxes: ChangeBox[] = [];
  for (const box of layersOf({ change }).flatMap((layer) => layer.boxes)) {
    let joined = box;
    for (let at = overlapping(boxes, joined); at >= 0; at = overlapping(boxes, joined))
      joined = union(joined, boxes.splice(at, 1)[0] as ChangeBox);
    boxes.push(joined);
  }
  return boxes;
}

const overlapping = (boxes: readonly ChangeBox[], [x, y, w, h]: ChangeBox): number =>
  boxes.findIndex(
    ([left, top, width, height]) => left < x + w && x < left + width && top < y + h && y < top + height,
  );

function union([ax, ay, aw, ah]: ChangeBox, [bx, by, bw, bh]: ChangeBox): ChangeBox {
  const [x, y] = [Math.min(ax, bx), Math.min(ay, by)];
  return [x, y, Math.max(ax + aw, bx + bw) - x, Math.max(ay + ah, by + bh) - y];
}
