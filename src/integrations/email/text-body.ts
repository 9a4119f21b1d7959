/** A digest as plain text: what a terminal, a watch, or a screen reader shows of the mail. */
import type { Micros } from "../../core/lib/time.ts";
import type { Content } from "./content.ts";
import { budgetsPath, budgetText, costText, countText, periodText, sectionsOf, spendText } from "./words.ts";

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
    ({ project, now, before }) => `- ${project}: ${costText(now)} (before: ${costText(before)})`,
  );
  return [
    `${content.project ?? "All projects"}, ${periodText(content)}`,
    ...(sections.length > 0 ? sections : ["Nothing happened, and nothing waits for you."]),
    ...(spend ? [["Spend", spend, ...byProject].join("\n")] : []),
    ...(content.budgets.length > 0 ? [budgetLines(content, siteUrl)] : []),
    `Inbox: ${siteUrl}/inbox`,
    `Unsubscribe: ${unsubscribe}`,
  ].join("\n\n");
}

const budgetLines = ({ budgets }: Content, siteUrl: string): string =>
  ["Budgets", ...budgets.map((one) => `- ${budgetText(one)}`), siteUrl + budgetsPath].join("\n");
