/**
 * The decision of a set: one for all variants that its review rejected. It is written again, in place of the
 * one before, when the outcome of the set changes.
 */

import { pluralize } from "../../core/lib/quantities.ts";
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { ellipsize } from "../../core/lib/strings/truncate.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { Provenance } from "../../files/provenance/schema.ts";
import { recordDecision } from "../../memory/decisions.ts";
import { reviewSource, setPageUrl, setRef } from "../../memory/set-ref.ts";
import { mustRank, rejectionText } from "../annotations/at-verdict.ts";
import type { LibraryContext } from "../context.ts";
import { queueComment, setComment } from "../outbox/comment.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";

/** Variants that are counted and named. */
const readMax = 5_000;
/** Variants whose making is compared. */
const comparedMax = 200;
const notesMax = 3;

/** What a review is about to reject, where the rows do not say so yet. */
export interface Intended {
  rejected: ReadonlySet<string>;
  note: string;
}

export type SetName = Pick<AssetRow, "project"> & { set: string };

/** A decision, and what it rejects. */
export interface SetDecision {
  id: number;
  text: string;
  rejected: readonly AssetRow[];
}

/** @returns null if nothing of the set is rejected */
export async function recordSetDecision(
  writes: LibraryWrites,
  name: SetName,
  by: { actor: string; at: Micros },
  intended?: Intended,
): Promise<SetDecision | null> {
  const { project, set } = name;
  const current = await writes.decisionOfSet(project, set);
  const found = await loadOutcome(writes, name, intended);
  if (!found) {
    if (current) await writes.retireDecisions(project, { id: current.id }, by.at);
    return null;
  }
  const { text, rejected } = found;
  if (!intended && current?.text === text) return { id: current.id, text, rejected };
  const decision = { project, text, source: reviewSource, source_ref: setRef(set) };
  const replaced = current && { supersedes: current.id };
  const { id } = await recordDecision(writes, { ...decision, ...replaced }, by.actor, by.at);
  return { id, text, rejected };
}

async function loadOutcome(writes: LibraryWrites, { project, set }: SetName, intended: Intended | undefined) {
  const rows = await writes.variants(project, set, readMax);
  const isRejected = ({ id, status }: AssetRow) => status === "rejected" || intended?.rejected.has(id);
  const [rejected, others] = [rows.filter(isRejected), rows.filter((row) => !isRejected(row))];
  if (rejected.length === 0) return null;
  const waiting = await findApproved(writes, others);
  const picked = others.filter(({ id, status }) => status !== "pending" || waiting.has(id));
  const compared = [...picked, ...rejected].slice(0, comparedMax).map(({ id }) => id);
  const made = await writes.provenanceOf(compared);
  const toVariant = ({ id, title }: AssetRow): Variant => ({ id, title, made: made.get(id) ?? [] });
  const text = setDecisionText({
    set,
    total: rows.length,
    notes: notesOf(rejected, intended),
    picked: picked.map(toVariant),
    rejected: rejected.map(toVariant),
  });
  return { text, rejected };
}

/** The pending variants that someone has approved, and that wait for the approval of others. */
async function findApproved(
  { verdicts }: LibraryWrites,
  variants: readonly AssetRow[],
): Promise<ReadonlySet<string>> {
  const pending = variants.filter(({ status }) => status === "pending");
  const hashOf = new Map(pending.map(({ id, sha256 }) => [id, sha256]));
  const approvals = (await verdicts([...hashOf.keys()])).filter(
    ({ asset, decision, sha256 }) => decision === "approved" && hashOf.get(asset) === sha256,
  );
  return new Set(approvals.map(({ asset }) => asset));
}

/** Comments on the forge: once for each task of the rejected variants. */
export async function commentOnSet(
  { config }: Pick<LibraryContext, "config">,
  writes: LibraryWrites,
  { project, set }: SetName,
  { actor, at }: { actor: string; at: Micros },
  { text, rejected }: SetDecision,
): Promise<void> {
  const body = setComment(config, { set, reviewer: actor, text, url: setPageUrl(config, project, set) });
  const byTask = new Map(rejected.map((asset) => [`${asset.pr ?? ""} ${asset.issue ?? ""}`, asset]));
  for (const asset of byTask.values())
    await queueComment(config, writes, asset, { marker: `${asset.id}-${at}-set`, body, at });
}

/** Brings the decision of a set up to date, if there is one, because the outcome of the set has changed. */
export async function renewSetDecision(
  writes: LibraryWrites,
  name: SetName,
  by: { actor: string; at: Micros },
): Promise<void> {
  if (await writes.decisionOfSet(name.project, name.set)) await recordSetDecision(writes, name, by);
}

/** The reasons, the newest first; each is there once. */
function notesOf(rejected: readonly AssetRow[], intended: Intended | undefined): string[] {
  const earlier = rejected
    .toSorted((a, b) => (b.reviewed_at ?? 0) - (a.reviewed_at ?? 0))
    .flatMap(({ id, review_note: note }) => (note === null || intended?.rejected.has(id) ? [] : [note]));
  return [...new Set([...(intended ? [intended.note] : []), ...earlier])].slice(0, notesMax);
}

interface Variant extends Pick<AssetRow, "id" | "title"> {
  made: readonly Provenance[];
}

interface SetOutcome {
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
function setDecisionText({ set, total, picked, rejected, notes }: SetOutcome): string {
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
