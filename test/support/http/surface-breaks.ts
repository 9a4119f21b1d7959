/** Compares two states of the stable surface by the rules of the versioning policy. */
import { type Fact, limits } from "./stable-surface.ts";

export interface Changes {
  /** Each says which rule of the policy it breaks. */
  breaking: string[];
  /** What the policy allows: the snapshot is to be renewed. */
  allowed: string[];
}

const rules = {
  base: "rule 1: a new major version gets a new path segment, the old one keeps working",
  additive:
    "rule 2: what is added in place is optional: query parameters, response fields, event kinds, tools",
  kept: "rule 3: a field is never renamed, retyped or removed",
  meaning: "rule 3: an operation never gets different semantics",
  tool: "rule 4: an input schema only gains optional fields; a tool that must change gets a new name",
  notice: "rules 6 and 8: what is removed is deprecated first, at least 90 days before its sunset",
  file: "rule 9: the file is covered as stable",
} as const;

/** @param retired whether the table of deprecations says that the thing has reached its end */
export function compare(
  before: Fact[],
  after: Fact[],
  retired: (of: string) => boolean = () => false,
): Changes {
  const changes: Changes = { breaking: [], allowed: [] };
  const now = new Map(after.map((fact) => [keyOf(fact), fact]));
  const then = new Set(before.map(keyOf));
  const things = new Set(after.map(({ of }) => of));
  const breaks = (rule: string, what: string) => changes.breaking.push(`${what} (${rule})`);

  for (const fact of before) {
    const same = now.get(keyOf(fact));
    if (retired(fact.of) && !things.has(fact.of)) continue;
    if (!same) {
      // Of a thing that is gone as a whole one line says enough.
      if (things.has(fact.of) || (fact.side === "is" && fact.field === ""))
        breaks(...removal(fact, things.has(fact.of)));
    } else for (const [rule, what] of differences(fact, same)) breaks(rule, `${nameOf(fact)} ${what}`);
  }
  for (const fact of after) {
    if (then.has(keyOf(fact))) continue;
    const isNew = !before.some(({ of }) => of === fact.of);
    if (!isNew && fact.side === "in" && fact.traits.presence === "required")
      breaks(fact.of.startsWith("tool") ? rules.tool : rules.additive, `${nameOf(fact)} is new and required`);
    else if (!isNew && fact.side === "is" && Number(fact.field) < 300)
      breaks(rules.meaning, `${nameOf(fact)} is new`);
    else changes.allowed.push(`${nameOf(fact)} is new`);
  }
  return changes;
}

const keyOf = ({ of, side, field }: Fact): string => `${of} ${side} ${field}`;

const sides = { is: "", in: "takes ", out: "gives " };
const nameOf = ({ of, side, field }: Fact): string =>
  field ? `${of}: ${sides[side]}${/^\d{3}$/.test(field) ? `status ${field}` : field}` : of;

function removal(fact: Fact, remains: boolean): [rule: string, what: string] {
  if (remains && fact.side === "is") return [rules.meaning, `${nameOf(fact)} is gone`];
  if (remains)
    return [
      fact.of.startsWith("tool") && fact.side === "in" ? rules.tool : rules.kept,
      `${nameOf(fact)} is gone`,
    ];
  if (fact.of.startsWith("kind")) return [rules.kept, `${nameOf(fact)} is gone`];
  return [fact.of.startsWith("file") ? rules.file : rules.notice, `${nameOf(fact)} is gone`];
}

/** What a caller of before would stumble over; what it would not is no difference. */
function* differences(before: Fact, after: Fact): Generator<[rule: string, what: string]> {
  const [was, is] = [before.traits, after.traits];
  const differs = (name: string) => was[name] !== is[name];
  const now = (name: string) => `has ${name} ${is[name] ?? "no longer"}, had ${was[name] ?? "none"}`;
  if (before.of === "api" && differs("base")) yield [rules.base, now("base")];
  for (const name of ["at", "media", "place"]) if (differs(name)) yield [rules.meaning, now(name)];
  if (differs("scope") && is.scope !== "none" && is.scope !== "public") yield [rules.meaning, now("scope")];
  if (before.of.startsWith("file") && before.side === "is" && differs("type"))
    yield [rules.file, now("type")];
  else if (before.side === "in") yield* narrower(before, was, is);
  else yield* wider(before, was, is);
}

/** What is taken may become more: of more types, more values, wider limits. */
function* narrower({ of }: Fact, was: Traits, is: Traits): Generator<[string, string]> {
  const rule = of.startsWith("tool") ? rules.tool : rules.meaning;
  if (was.presence === "optional" && is.presence === "required") yield [rule, "was optional and is required"];
  for (const type of typesBeyond(was.type, is.type)) yield [rules.kept, `no longer takes the type ${type}`];
  if (is.values !== undefined) {
    if (was.values === undefined) yield [rule, `takes only ${is.values}`];
    for (const value of without(was.values, is.values)) yield [rule, `no longer takes ${value}`];
  }
  if (is.format !== undefined && is.format !== was.format)
    yield [rules.kept, `must have the format ${is.format}`];
  for (const limit of limits) {
    if (was[limit] === is[limit]) continue;
    const wider =
      is[limit] === undefined
        ? limit !== "default"
        : was[limit] !== undefined && isWider(limit, Number(was[limit]), Number(is[limit]));
    if (!wider) yield [rule, `has ${limit} ${is[limit] ?? "no longer"}, had ${was[limit] ?? "none"}`];
  }
}

const isWider = (limit: string, was: number, is: number): boolean =>
  (limit.startsWith("min") && is < was) || (limit.startsWith("max") && is > was);

/** What is given may become less: never absent, never null, of fewer values. */
function* wider(fact: Fact, was: Traits, is: Traits): Generator<[string, string]> {
  if (was.presence === "required" && is.presence === "optional")
    yield [rules.kept, "was always there and no longer is"];
  for (const type of typesBeyond(is.type, was.type)) yield [rules.kept, `can be of the type ${type}`];
  if (was.format !== undefined && was.format !== is.format)
    yield [rules.kept, `had the format ${was.format}`];
  if (was.values === undefined && was.known === undefined) return;
  if (was.values !== undefined && is.values === undefined && !mayBeOpen(fact))
    yield [rules.kept, "can have any value"];
  for (const value of without(was.values ?? was.known, is.values ?? is.known))
    yield [rules.kept, `no longer has the value ${value}`];
  if (is.values === undefined) return; // values that are known are not all there are
  for (const value of without(is.values, was.values)) yield [rules.kept, `can have the value ${value}`];
}

type Traits = Record<string, string | undefined>;

const without = (list = "", others = ""): string[] => {
  const existing = new Set(others.split(","));
  return list.split(",").filter((one) => one !== "" && !existing.has(one));
};

/** An integer is a number. */
const typesBeyond = (list?: string, others = ""): string[] =>
  without(list, others).filter((one) => !(one === "integer" && others.split(",").includes("number")));

/**
 * The policy lets kinds of events be added at any time, and lanes are each deployment's own to change, while
 * events keep the lanes of their day: a closed list of either promised what it could not keep.
 */
const mayBeOpen = ({ field }: Fact): boolean => /(^|\.)events\[\]\.(kind|lane)$/.test(field);
