/** The title in the summary of an opening: `Issue #12 opened: Draw the coast`. */
export const taskTitle = (summary: string): string =>
  summary.replace(/^(Issue|PR|MR|Pull request) [#!]\d+ \w+: /, "");
