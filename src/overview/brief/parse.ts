/** Reads the text of a brief back into its parts and lines: one that is compiled now, or that a run was given. */

export interface BriefLine {
  /** What it says, without its date, ids and tags. */
  text: string;
  author: string | null;
  /** `2026-11-27` */
  day: string | null;
  decision: number | null;
  asset: string | null;
  issue: number | null;
  /** The key of the task of a tracker. */
  task: string | null;
  /** What else stands before the words, such as `not replaced yet`. */
  notes: string[];
  /** Equal for lines that tell an agent the same. */
  key: string;
}

export interface BriefPart {
  title: string;
  lines: BriefLine[];
}

export interface ParsedBrief {
  parts: BriefPart[];
  /** What was left out, a line each. */
  omitted: string[];
}

/** The author of a part whose lines svc wrote, with names of several people in them. */
const several = "the people named";
const dataTag = /<data-([0-9a-f]{16}) by=("(?:[^"\\]|\\.)*")>([\s\S]*?)<\/data-\1>/g;

interface Tagged {
  author: string;
  text: string;
}

/** The tag of a text cannot be forged inside of it, so what people wrote is set apart before lines are read. */
export function parseBrief(brief: string): ParsedBrief {
  const tagged: Tagged[] = [];
  const text = brief.replace(dataTag, (_, __, by: string, content: string) => {
    const author = JSON.parse(by) as string;
    if (author === several) return content;
    return `\0${tagged.push({ author, text: content }) - 1}\0`;
  });
  const [body = "", footer = ""] = text.split("\n\nOmitted to fit max_chars:");
  const parts = body.split("\n\n## ").slice(1);
  return {
    parts: parts.map((part) => parsePart(part, tagged)),
    omitted: footer.trim() === "" ? [] : footer.trim().replace(/^- /, "").split("\n- "),
  };
}

function parsePart(part: string, tagged: readonly Tagged[]): BriefPart {
  const [title = "", ...rest] = part.split("\n");
  const entries = `\n${rest.join("\n")}`.split("\n- ").slice(1);
  return { title, lines: entries.map((entry) => parseLine(entry, tagged)) };
}

const words = /\0(\d+)\0/g;
const facts = {
  day: /^(\d{4}-\d\d-\d\d)(?:, |: )/,
  decision: /^decision (\d+)(?:, |: )/,
  asset: /^asset ([0-9A-Za-z]{26})(?:, |: )?/,
  issue: /^issue (\d+)(?:, |: )/,
  task: /^task ([A-Za-z0-9._-]+)(?:, |: )/,
  open: /^(not replaced yet)(?:, |: )/,
} as const;

function parseLine(entry: string, tagged: readonly Tagged[]): BriefLine {
  const found: Partial<Record<keyof typeof facts, string>> = {};
  let rest = entry;
  for (const [name, pattern] of Object.entries(facts)) {
    const value = pattern.exec(rest);
    if (!value) continue;
    found[name as keyof typeof facts] = value[1] ?? "";
    rest = rest.slice(value[0].length);
  }
  const authors = [...entry.matchAll(words)].flatMap(([, at]) => tagged[Number(at)]?.author ?? []);
  const plain = (text: string) => text.replace(words, (_, at) => tagged[Number(at)]?.text ?? "");
  return {
    text: plain(rest)
      .replace(/; svc_guidance \{.*$/, "")
      .trim(),
    author: authors[0] ?? null,
    day: found.day ?? null,
    decision: found.decision === undefined ? null : Number(found.decision),
    asset: found.asset ?? null,
    issue: found.issue === undefined ? null : Number(found.issue),
    task: found.task ?? null,
    notes: found.open === undefined ? [] : [found.open],
    key: plain(entry),
  };
}
