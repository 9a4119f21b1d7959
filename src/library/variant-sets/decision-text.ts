/** The text of the decision of a set: what was picked over what, why, and how each was made. */

import { pluralize } from "../../core/lib/quantities.ts";
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { ellipsize } from "../../core/lib/strings/truncate.ts";
import type { Provenance } from "../../files/provenance/schema.ts";
import { mustRank, rejectionText } from "../annotations/at-verdict.ts";
import type { AssetRow } from "../rows.ts";

export interface Variant extends Pick<AssetRow, "id" | "title"> {
  made: readonly Provenance[];
}

export interface SetOutcome {
  set: string;
  /** How many variants the set has, those without a verdict included. */
  total: number;
  picked: readonly Variant[];
  /** At least one. */
  rejected: readonly Variant[];
  /** Why they were rejected, the newest reason first. */
  notes: readonly string[];
}

const listedMax = 8;
const facetNames = ["model", "prompt", "seed", "parameters"] as const;
type Facets = Partial<Record<(typeof facetNames)[number], string>>;

/** At most as long as a decision can be. What all variants share is told once. */
export function setDecisionText({ set, total, picked, rejected, notes }: SetOutcome): string {
  const facets = new Map([...picked, ...rejected].map(({ id, made }) => [id, facetsOf(made)]));
  const shared = sharedFacets([...facets.values()]);
  const own = ({ id }: Variant, max: number) => facetText(without(facets.get(id) ?? {}, shared), max);
  const [note = "", ...others] = notes;
  const count = `${picked.length || "none"} of ${pluralize(total, "variant")}`;
  const listed = rejected.slice(0, listedMax).map((variant) => {
    const made = own(variant, 60);
    return `${quoted(variant.title)}${made && ` (${made})`}`;
  });
  const more = rejected.length > listedMax ? ` and ${rejected.length - listedMax} more` : "";
  const lines = [
    ...others.map((other) => `Also: ${other}`),
    ...(Object.keys(shared).length > 0 ? [`All: ${facetText(shared, 300)}`] : []),
    ...picked.slice(0, listedMax).map((variant) => {
      const made = own(variant, 300);
      return `Picked ${quoted(variant.title)}, asset ${variant.id}${made && `: ${made}`}`;
    }),
    ...(picked.length > listedMax ? [`Picked ${picked.length - listedMax} more`] : []),
    `Not picked: ${listed.join(", ")}${more}`,
  ];
  return rejectionText(
    `Picked ${count} of ${quoted(set)}${picked.length > 0 ? " over the others" : ""}: ${note}`,
    lines.map((text) => ({ rank: mustRank, text })),
    rejected[0]?.id ?? "",
  );
}

/** What the upload says comes before what the file says. */
const facetsOf = (made: readonly Provenance[]): Facets =>
  Object.fromEntries(
    facetNames.flatMap((name) => {
      const value = made.map((stated) => stated[name]).find((stated) => stated !== null);
      return value == null ? [] : [[name, value]];
    }),
  );

function sharedFacets(all: readonly Facets[]): Facets {
  const [first = {}, ...others] = all;
  const isShared = (name: string, value: string) => others.every((one) => one[name as "model"] === value);
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => isShared(name, value)));
}

const without = (facets: Facets, shared: Facets): Facets =>
  Object.fromEntries(Object.entries(facets).filter(([name]) => !Object.hasOwn(shared, name)));

/** @param max characters of each value */
const facetText = (facets: Facets, max: number): string =>
  Object.entries(facets)
    .map(([name, value]) => `${name} ${(name === "prompt" ? quoted : escapeControls)(ellipsize(value, max))}`)
    .join(", ");

const quoted = (text: string): string => `"${escapeControls(text).replace(/["\\]/g, "\\$&")}"`;
