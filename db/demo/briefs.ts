/** What the runs of the month were told, and what they searched for. */
import type { Writes } from "../../src/api/port.ts";
import { dayOf, type Micros, secondMicros } from "../../src/core/lib/time.ts";
import type { DemoDecision, DemoPreference } from "./memory.ts";
import type { DemoMonth } from "./month.ts";
import { type DemoRun, runIdOf } from "./tasks/run.ts";

const rejectionsMax = 4;

/** Gives every run that began its brief, and lets every third one search memory. */
export async function addBriefs(
  writes: Writes,
  month: DemoMonth,
  ids: ReadonlyMap<DemoDecision, number>,
): Promise<void> {
  for (const [index, run] of month.runs.filter(({ number }) => number.number > 0).entries()) {
    const at = run.at - 20 * secondMicros;
    const { text, decisions } = briefOf(month, run, at);
    const own = { project: run.project, run_id: runIdOf(run.number) };
    await writes.addBrief({
      ...own,
      at,
      text,
      chars: text.length,
      hash: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
      decisions: decisions.flatMap((decision) => ids.get(decision) ?? []),
    });
    if (index % 3 === 0)
      await writes.addRecall({
        ...own,
        at: run.at + 30 * secondMicros,
        hits: 2 + (index % 5),
        query: run.intent.split(" ").slice(0, 4).join(" ").toLowerCase(),
      });
  }
}

function briefOf({ decisions, preferences, assets }: DemoMonth, run: DemoRun, at: Micros) {
  const isCurrent = (one: DemoDecision) =>
    one.project === run.project &&
    one.at < at &&
    (one.retired ?? at) >= at &&
    !decisions.some(({ replaces, at: later }) => replaces && replaces === one.name && later < at);
  const current = decisions.filter(isCurrent).reverse();
  const issueOf = ({ source_ref }: DemoDecision) => assets.find(({ id }) => id === source_ref)?.issue;
  const rejections = current.filter(({ source }) => source === "review");
  const ofIssue = rejections.filter((one) => issueOf(one) === run.issue.number);
  const others = rejections.filter((one) => !ofIssue.includes(one)).slice(0, rejectionsMax);
  const plain = current.filter(({ source }) => source !== "review");
  const lines = (list: DemoDecision[]) => list.map(({ text, by, at }) => `- ${text} (${by}, ${dayOf(at)})`);
  const sections: [title: string, entries: string[]][] = [
    [`Rejected for issue ${run.issue.number}: do not repeat`, lines(ofIssue)],
    ["Rejected: do not repeat", lines(others)],
    ["Relevant decisions", lines(plain)],
    ["Preferences", preferencesAt(preferences, run.project, at)],
  ];
  const text = [
    `# Brief for ${run.project}`,
    `Task: ${run.intent}, #${run.issue.number}`,
    ...sections
      .filter(([, entries]) => entries.length > 0)
      .map(([title, entries]) => `\n## ${title}\n${entries.join("\n")}`),
  ].join("\n");
  return { text, decisions: [...ofIssue, ...others, ...plain] };
}

/** The values at a time; the newest of a key replaces those before. */
function preferencesAt(preferences: DemoPreference[], slug: string, at: Micros): string[] {
  const values = new Map<string, string>();
  for (const { project, key, value, at: set } of preferences)
    if (set < at && (project === null || project === slug)) values.set(key, value);
  return [...values].map(([key, value]) => `- ${key}: ${value}`);
}
