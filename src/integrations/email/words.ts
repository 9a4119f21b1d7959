/** The words of a digest, for its plain text and its HTML. */
import { lazy } from "../../core/lib/lazy.ts";
import { formatCost, pluralize } from "../../core/lib/quantities.ts";
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { truncate } from "../../core/lib/strings/truncate.ts";
import { fromMicros, type Micros, minuteMicros, toMicros } from "../../core/lib/time.ts";
import type { Budget } from "../../feed/budgets/schema.ts";
import { dollars, spentText } from "../../feed/budgets/spending.ts";
import { type Group, groupNames, groups, type Inbox } from "../../overview/inbox/schema.ts";
import { type Content, countMax, type Line, linesMax, type Section, type Spend } from "./content.ts";
import type { DigestPeriod } from "./schema.ts";

/** 7, or 99+ where counting stopped. */
export const countText = (count: number): string => (count >= countMax ? `${countMax - 1}+` : String(count));

/** 5 Jan 14:03 */
const timeFormat = lazy(
  () =>
    new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      timeZone: "UTC",
    }),
);

/** A time in UTC. */
const timeText = (at: Micros): string =>
  timeFormat()
    .format(new Date(at / 1_000))
    .replace(",", "");

/** 3 days, 5 hours, 20 minutes */
function ageText(since: Micros, now: Micros): string {
  const minutes = Math.max(1, Math.floor((now - since) / minuteMicros));
  if (minutes < 60) return pluralize(minutes, "minute");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return pluralize(hours, "hour");
  return `${Math.floor(hours / 24)} days`;
}

const textMax = 110;
const budgetNameMax = 60;

/** One line of what others wrote, of limited length, which cannot reorder or break what is around it. */
function lineText(text: string, max = textMax): string {
  const line = escapeControls(text.replace(/\s+/g, " ").trim());
  return line.length <= max ? line : `${truncate(line, max - 1)}…`;
}

/** From what was counted alone: nothing that others wrote is in a header. */
export function subjectOf(period: DigestPeriod, content: Content): string {
  const { needs, happened } = content;
  const count = needs?.count ?? 0;
  const parts = [
    count > 0 && `${countText(count)} ${count === 1 ? "needs" : "need"} you`,
    happened.count > 0 && `${countText(happened.count)} finished`,
  ].filter((part) => part !== false);
  const what = parts.length > 0 ? parts.join(", ") : "nothing needs you";
  return `svc ${period}, ${content.project ?? "all projects"}: ${what}`;
}

/** 2026-01-04 07:00 to 2026-01-05 07:00 UTC */
export const periodText = ({ from, to }: Content): string => `${minuteText(from)} to ${minuteText(to)} UTC`;
const minuteText = (at: Micros): string => fromMicros(at).slice(0, 16).replace("T", " ");

/** A section as a mail shows it: a heading, and its lines. */
export interface ShownSection {
  title: string;
  count: number;
  lines: ShownLine[];
  /** Where the rest is, if there is more. */
  more: { text: string; path: string } | null;
}
export interface ShownLine {
  text: string;
  /** About it: project, age or time, cost. */
  about: string;
  path: string;
}

/** The sections that have something, in the order of their urgency. */
export function sectionsOf(content: Content, now: Micros): ShownSection[] {
  const { needs, happened, decisions, project } = content;
  const at = (line: Line) => timeText(line.at);
  const waits = ({ at, due }: Line) =>
    due === undefined ? `waits for ${ageText(at, now)}` : `due ${timeText(due)}`;
  const groupSections = groupNames.map((name): [string, Section, (line: Line) => string, string] => [
    groups[name],
    needsSection(needs, name),
    name === "requested" || name === "waiting" ? waits : at,
    "/",
  ]);
  const sections: [string, Section, (line: Line) => string, string][] = [
    ...groupSections,
    ["What happened", happened, at, project === null ? "/tasks" : `/tasks?project=${project}`],
    ["Decided", decisions, at, project === null ? "/memory" : `/memory?project=${project}`],
  ];
  return sections
    .filter(([, { count }]) => count > 0)
    .map(([title, { count, lines }, time, path]) => ({
      title,
      count,
      lines: lines.map((line) => ({
        text: lineText(line.text) + (line.outcome ?? ""),
        about: aboutOf(line, time),
        path: line.path,
      })),
      more: count > lines.length ? { text: `All ${countText(count)}`, path } : null,
    }));
}

function needsSection(needs: Inbox | null, group: Group): Section {
  const items = needs?.items.filter((item) => item.group === group) ?? [];
  const lines = items.slice(0, linesMax).map(({ title, detail, url, project, at, due_at }): Line => {
    const { pathname, search, hash } = new URL(url);
    return {
      text: detail === null ? title : `${title}: ${detail}`,
      path: pathname + search + hash,
      project,
      at: toMicros(at),
      ...(due_at !== null && { due: toMicros(due_at) }),
    };
  });
  return { count: needs?.counts[group] ?? 0, lines };
}

const aboutOf = (line: Line, time: (line: Line) => string): string =>
  [line.project, time(line)].filter(Boolean).join(" · ");

/** "atlas, month: $160.20 of $200 (80%), forecast $206.50 by 2026-01-31" */
export function budgetText({ name, spent, amount, forecast, end }: Budget): string {
  const expected = forecast === null ? `until ${end}` : `forecast ${dollars(forecast)} by ${end}`;
  return `${lineText(name, budgetNameMax)}: ${spentText(spent, amount)}, ${expected}`;
}
export const budgetsPath = "/usage#budgets";

/** $4.20 on the last full day (UTC), $3.80 the day before, $1 yours. maps $3; null without any. */
export function spendText({ now, before, days, teams, own }: Spend): string | null {
  if (days === 0 || (now === 0 && before === 0)) return null;
  const [recent, earlier] =
    days === 1
      ? ["on the last full day (UTC)", "the day before"]
      : [`in the last ${days} days (UTC)`, `in the ${days} days before`];
  const yours = own === null ? "" : `, ${formatCost(own)} yours`;
  const byTeam = teams.map(({ team, cost_equiv }) => `${team} ${formatCost(cost_equiv)}`).join(", ");
  const all = `${formatCost(now)} ${recent}, ${formatCost(before)} ${earlier}${yours}`;
  return byTeam ? `${all}. ${byTeam}` : all;
}

/** A digest as plain text: what a terminal, a watch, or a screen reader shows of the mail. */
export interface BodyOptions {
  content: Content;
  siteUrl: string;
  unsubscribe: string;
  now: Micros;
}

export function textBody({ content, siteUrl, unsubscribe, now }: BodyOptions): string {
  const sections = sectionsOf(content, now).map(({ title, count, lines, more }) =>
    [
      `${title} (${countText(count)})`,
      ...lines.map(({ text, about, path }) => `- ${text}\n  ${about}\n  ${siteUrl}${path}`),
      ...(more ? [`${more.text}: ${siteUrl}${more.path}`] : []),
    ].join("\n"),
  );
  const spend = spendText(content.spend);
  const byProject = content.spend.projects.map(
    ({ project, now, before }) => `- ${project}: ${formatCost(now)} (before: ${formatCost(before)})`,
  );
  return [
    `${content.project ?? "All projects"}, ${periodText(content)}`,
    ...(sections.length > 0 ? sections : ["Nothing happened, and nothing waits for you."]),
    ...(spend ? [["Spend", spend, ...byProject].join("\n")] : []),
    ...(content.budgets.length > 0 ? [budgetLines(content, siteUrl)] : []),
    `Today: ${siteUrl}/`,
    `Unsubscribe: ${unsubscribe}`,
  ].join("\n\n");
}

const budgetLines = ({ budgets }: Content, siteUrl: string): string =>
  ["Budgets", ...budgets.map((one) => `- ${budgetText(one)}`), siteUrl + budgetsPath].join("\n");
