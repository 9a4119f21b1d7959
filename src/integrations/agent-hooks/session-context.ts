/** What a session reads when it starts, whether svc or its server gave it the brief. `svc hook` imports this: it is small. */

/** The first line above a current brief. @param at milliseconds since 1970 */
export const currentAge = (at: number): string =>
  `Brief from svc, the shared memory of this project, as of ${new Date(at).toISOString()}.`;

/** The first line without a brief. @param fault why there is none */
export const missingBrief = (fault: string): string =>
  `No brief from svc, the shared memory of this project: ${fault}. Call svc_brief for the decisions and ` +
  "rejections that apply to this work.";

/** The lines of a session, with an empty line between them. @param age the first line */
export const contextText = (age: string, run_id: string, brief: string | undefined): string =>
  [
    age,
    `Your run is ${run_id}, and svc already reports its start and end. Pass it as \`run_id\` to the tools ` +
      "of svc, so that what you make belongs to it.",
    ...(brief === undefined ? [] : [brief]),
  ].join("\n\n");
