/**
 * Checks that the words of a note state plainly, for a person to save. Rather none than a wrong one: what is
 * conditional, or names no exact text, proposes nothing.
 */
import type { DecisionHistoryRow } from "../rows.ts";
import { ruleText } from "./rule-text.ts";
import type { CheckRule } from "./schema.ts";

const never = `(?:never|do not|don't|must not|no longer)`;
/** A sentence that says when something is forbidden forbids it otherwise not. */
const conditional = /\b(?:unless|except|until|without|before|after|if|when|instead of asking)\b/i;
/** Words that end a name, or a command, that stands without quotes. */
const endings = "again|anywhere|any more|anymore|here|in|for|because|at all";
const endsName = String.raw`(?=$|[\s]*[.,;:!?)](?:\s|$)|\s+(?:${endings})\b)`;

const programs =
  "npm|npx|pnpm|yarn|bun|bunx|git|gh|docker|kubectl|terraform|cargo|pip|rm|psql|make|helm|aws|gcloud";

/** What the words of a current decision propose, and it has not yet. */
export function proposedFor(
  decision: Pick<DecisionHistoryRow, "text" | "checks" | "valid_until">,
): CheckRule[] {
  if (decision.valid_until !== null) return [];
  const has = new Set((decision.checks ?? []).map(ruleText));
  return proposeChecks(decision.text).filter((rule) => !has.has(ruleText(rule)));
}

/** The rules that a note proposes, each once. */
export function proposeChecks(note: string): CheckRule[] {
  const found = sentencesOf(note).flatMap((sentence) =>
    [colors, names, commands, sizes, dimensions, durations, contrasts, metadata, passing].flatMap((read) =>
      read(sentence),
    ),
  );
  const asset = Object.assign({}, ...found.filter(({ kind }) => kind === "asset")) as Partial<CheckRule>;
  const others = found.filter(({ kind }) => kind !== "asset");
  const rules = asset.kind ? [...others, asset as CheckRule] : others;
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/** Lines and sentences. A period within a word, as in `app.css`, ends none. */
const sentencesOf = (note: string): string[] =>
  note.split(/\n|(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== "");

type Reader = (sentence: string) => CheckRule[];

/** Globs named behind `in`: `in src/**\/*.css`, `in *.ts`. */
const pathsIn = (sentence: string): Pick<CheckRule, "paths"> => {
  const paths = [
    ...sentence.matchAll(/\bin `?((?:[\w.-]+\/)*\*[\w*./{},-]*|(?:[\w.-]+\/)+)`?(?=[\s.,;]|$)/g),
  ];
  return paths.length > 0 ? { paths: paths.map(([, path = ""]) => path.replace(/[.,]$/, "")) } : {};
};

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** "No #FF0000", in capitals and small letters, and in the short form where there is one. */
const colors: Reader = (sentence) => {
  if (conditional.test(sentence)) return [];
  const start = String.raw`\b(?:no|never use|do not use|don't use|avoid|without)\s+(?:pure\s+)?`;
  const list = new RegExp(`${start}((?:#[0-9a-f]{3,8}(?:\\s*(?:,|or|and)\\s*)*)+)(?![\\w-])`, "gi");
  return [...sentence.matchAll(list)].flatMap(([, all = ""]) =>
    (all.match(/#[0-9a-f]+/gi) ?? [])
      .filter(({ length }) => [4, 7, 9].includes(length))
      .map((color) => {
        const long = color.slice(1).toLowerCase();
        const short = /^(.)\1(.)\2(.)\3$/.exec(long)?.slice(1).join("");
        const hex = short ? `(?:${long}|${short})` : long;
        return { kind: "forbid" as const, pattern: `(?i)#${hex}\\b`, ...pathsIn(sentence) };
      }),
  );
};

/** "Never use left-pad", "do not import `moment`": quoted, or a word that no sentence has. */
const names: Reader = (sentence) => {
  if (conditional.test(sentence)) return [];
  const verb = `\\b${never}\\s+(?:use|import|add|depend on|call|write)\\s+(?:the word\\s+)?`;
  const quoted = new RegExp(`${verb}[\`"“]([^\`"“”\\n]{2,80})[\`"”]`, "gi");
  const bare = new RegExp(
    `${verb}((?=[\\w@./-]*[a-z0-9][-_./@][a-z])[@a-z][\\w@./-]{2,60}?)${endsName}`,
    "gi",
  );
  return [quoted, bare].flatMap((pattern) =>
    [...sentence.matchAll(pattern)].map(([, name = ""]) => ({
      kind: "forbid" as const,
      ...(/^[\w@][\w@./-]*\w$/.test(name)
        ? { pattern: `(?:^|[^\\w-])${escaped(name)}(?:$|[^\\w-])` }
        : { text: name }),
      ...pathsIn(sentence),
    })),
  );
};

/** "Do not run npm publish", "never run `make deploy`". */
const commands: Reader = (sentence) => {
  if (conditional.test(sentence)) return [];
  const quoted = new RegExp(`\\b${never}\\s+(?:run|execute|call)\\s+[\`"“]([^\`"“”\\n]{2,120})[\`"”]`, "gi");
  const bare = new RegExp(
    `\\b${never}\\s+(?:run|execute)\\s+((?:${programs})(?:\\s+[\\w./:-]*[\\w/-]){1,3}?)${endsName}`,
    "gi",
  );
  return [quoted, bare].flatMap((pattern) =>
    [...sentence.matchAll(pattern)].map(([, text = ""]) => ({ kind: "command" as const, text })),
  );
};

const atMost = `(?:${[
  ...["at most", "no more than", "not more than", "up to", "under", "below", "max(?:imum)?(?: of)?"],
  ...["no larger than", "no bigger than", "smaller than", "less than"],
].join("|")})`;
const atLeast = `(?:at least|no less than|not less than|min(?:imum)?(?: of)?)`;
const number = String.raw`(\d+(?:[.,]\d+)?)`;
const toNumber = (text = ""): number => Number(text.replace(",", "."));
const units: Record<string, number> = { kb: 1024, kib: 1024, mb: 1024 ** 2, mib: 1024 ** 2 };

const sizes: Reader = (sentence) => {
  const [, size, unit = ""] =
    new RegExp(`\\b${atMost}\\s+${number}\\s*(kb|kib|mb|mib)\\b`, "i").exec(sentence) ?? [];
  return size
    ? [{ kind: "asset", max_bytes: Math.round(toNumber(size) * (units[unit.toLowerCase()] as number)) }]
    : [];
};

/** "At most 1200 px wide", "no wider than 1200 px", "at least 1920x1080". */
const dimensions: Reader = (sentence) => {
  const rule: CheckRule = { kind: "asset" };
  for (const [bound, words] of [
    ["max", atMost],
    ["min", atLeast],
  ] as const) {
    const both = new RegExp(`\\b${words}\\s+(\\d{2,5})\\s*[x×]\\s*(\\d{2,5})\\b`, "i").exec(sentence);
    if (both)
      Object.assign(rule, { [`${bound}_width`]: Number(both[1]), [`${bound}_height`]: Number(both[2]) });
    for (const [side, adjective] of [
      ["width", "wide"],
      ["height", "(?:high|tall)"],
    ] as const) {
      const one = new RegExp(`\\b${words}\\s+(\\d{2,5})\\s*(?:px|pixels)\\s+${adjective}\\b`, "i").exec(
        sentence,
      );
      if (one) Object.assign(rule, { [`${bound}_${side}`]: Number(one[1]) });
    }
  }
  for (const [side, adjective] of [
    ["width", "wider"],
    ["height", "(?:higher|taller)"],
  ] as const) {
    const one = new RegExp(`\\bno(?:t)? ${adjective} than\\s+(\\d{2,5})\\s*(?:px|pixels)\\b`, "i").exec(
      sentence,
    );
    if (one) Object.assign(rule, { [`max_${side}`]: Number(one[1]) });
  }
  return Object.keys(rule).length > 1 ? [rule] : [];
};

const durations: Reader = (sentence) => {
  const words = `(?:${atMost}|no longer than|not longer than|shorter than)`;
  const unit = "(s|sec|secs|seconds?|min|minutes?)";
  const [, time, of = ""] = new RegExp(`\\b${words}\\s+${number}\\s*${unit}\\b`, "i").exec(sentence) ?? [];
  if (!time || !/\b(?:long|longer|shorter|clip|video|audio|cut|trailer|duration)\b/i.test(sentence))
    return [];
  return [{ kind: "asset", max_duration_ms: Math.round(toNumber(time) * (/^m/i.test(of) ? 60_000 : 1000)) }];
};

/** "Text needs a contrast of at least 4.5:1". */
const contrasts: Reader = (sentence) => {
  const words = new RegExp(`\\b${atLeast}\\s+${number}(?:\\s*:\\s*1)?(?![\\d.,]*\\w)`, "i");
  const ratio = toNumber(words.exec(sentence)?.[1]);
  return /\bcontrast\b/i.test(sentence) && ratio >= 1 && ratio <= 21
    ? [{ kind: "asset", min_contrast: ratio }]
    : [];
};

/** "No GPS data", "strip Exif". */
const metadata: Reader = (sentence) => {
  if (conditional.test(sentence)) return [];
  const words = /\b(?:no|never ship|strip|remove)\s+(gps|exif|xmp)\b/gi;
  // safe because: the pattern has no other names
  const found = [...sentence.matchAll(words)].map(([, name = ""]) => name.toLowerCase() as "gps");
  return found.length > 0 ? [{ kind: "asset", forbid_metadata: [...new Set(found)] }] : [];
};

/** "`make lint` must pass". */
const passing: Reader = (sentence) => {
  const [, run] =
    /`([^`\n]{2,200})`\s+(?:must|has to|should always)\s+(?:pass|succeed|exit (?:with )?0|be green)\b/i.exec(
      sentence,
    ) ?? [];
  return run ? [{ kind: "run", run }] : [];
};
