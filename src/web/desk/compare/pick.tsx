/** Chooses the two assets to compare: any versions, and what other runs of the same task made. */

import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import type { Asset, AssetDetail, AssetList } from "../../../library/assets/schema.ts";
import { listAssets } from "../../../library/operations/assets.ts";
import { assetFilters } from "../../assets/filters.tsx";
import { taskFilter, taskName } from "../../runs/links.tsx";
import { callOperation, filtersOf, urlWith, type View } from "../../view.ts";
import { makerOf } from "./modes.ts";

/** Query parameters: the asset on the other side, and the one to review, which has a page of its own. */
export const withParameter = "with";
export const shownParameter = "shown";
/** The value of `with` that shows one version only. */
export const alone = "none";

/** Assets under one heading, the newest first. */
export interface Group {
  label: string;
  options: { id: string; label: string }[];
}

/** More assets of a task are on the page of the task. */
const siblingsMax = 100;

/** What an asset can be compared with. */
export async function loadChoices(view: View, asset: AssetDetail): Promise<Group[]> {
  const versions = asset.versions
    .toReversed()
    .map(({ id, version, status, verdict }) => ({ id, label: `Version ${version}, ${verdict ?? status}` }));
  const siblings = await loadSiblings(view, asset);
  const others = siblings.map((one) => ({ id: one.id, label: choiceLabel(one) }));
  const groups = [{ label: "Versions", options: versions }];
  return others.length > 0 ? [...groups, { label: "Other assets of this task", options: others }] : groups;
}

async function loadSiblings(view: View, asset: AssetDetail): Promise<Asset[]> {
  const { project, kind } = asset;
  if (project === null || taskName(asset) === null) return [];
  const listed = { project, ...taskFilter(asset), kind, limit: siblingsMax };
  const { assets } = await callOperation<AssetList>(view, listAssets, listed);
  const own = new Set(asset.versions.map(({ id }) => id));
  return assets.filter(({ id }) => !own.has(id));
}

/** `map.png, version 2, run 7f3a` */
export const choiceLabel = (asset: Asset): string =>
  `${isolateBidi(asset.title)}, version ${asset.version}, ${makerOf(asset)}`;

interface PickerProps {
  /** Path of the form. */
  action: string;
  /** Hidden fields: filters of the queue. */
  hidden?: Record<string, string>;
  groups: Group[];
  left: string | undefined;
  right: string | undefined;
}

/** Null unless there are two to choose from. */
export const ComparePicker = ({ action, hidden = {}, groups, left, right }: PickerProps) =>
  groups.flatMap(({ options }) => options).length < 2 ? null : (
    <form class="compare-picker" method="get" action={action} data-compare-picker>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Choice name={withParameter} label="Compare" groups={groups} value={left} />
      <Choice name={shownParameter} label="with" groups={groups} value={right} />
      <button type="submit">Compare</button>
    </form>
  );

const Choice = ({ name, label, groups, value }: ChoiceProps) => (
  <label>
    {label}{" "}
    <select name={name}>
      {groups.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.options.map((option) => (
            <option key={option.id} value={option.id} selected={option.id === value}>
              {option.label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  </label>
);

interface ChoiceProps extends Pick<PickerProps, "groups"> {
  name: string;
  label: string;
  value: string | undefined;
}

/** The fields of a picker on the desk that its URL has already. */
export const hiddenFields = ({ url }: View): Record<string, string> =>
  filtersOf(url, [...assetFilters, "mode"]);

/** The page of the asset that a picker chose; null without one. */
export function chosenUrl({ url }: View): string | null {
  const shown = url.searchParams.get(shownParameter);
  if (!shown) return null;
  const page = new URL(url);
  page.pathname = `/assets/${encodeURIComponent(shown)}`;
  const isAlone = url.searchParams.get(withParameter) === shown;
  return urlWith(page, { [shownParameter]: null, ...(isAlone && { [withParameter]: alone }) });
}
