/** `svc claim`: says that you work on tasks or files, or lists who does. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { minuteMicros } from "../../../src/core/lib/time.ts";
import { ClaimInput, leaseMinutesDefault } from "../../../src/feed/claims/schema.ts";
import { claimLine } from "../../../src/feed/claims/text.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, printLine, runIdField } from "../../command.ts";
import { parseDuration } from "../../output/duration.ts";
import { note, reportChange } from "../../output/report.ts";
import { currentProject, currentProjectFlag } from "../../repository/current-project.ts";

/** The arguments of `svc claim` and `svc release`. */
export const claimArgs = {
  subjects: {
    type: "positional",
    required: false,
    description: "Tasks, pull requests and paths, such as 12, PROJ-123, 'PR 40' or 'src/map/**'",
    valueHint: "…",
  },
  force: { type: "boolean", description: "Also what others hold" },
  "run-id": { type: "string", description: "The run that holds it" },
  ...currentProjectFlag,
  ...byFlag,
  ...apiFlags,
} as const;

interface ClaimFlags {
  _: string[];
  force?: boolean | undefined;
  "run-id"?: string | undefined;
  by?: string | undefined;
}

/** The body of a request, checked. */
export function claimBody(args: ClaimFlags, project: string, more: object) {
  const given = { project, subjects: args._, ...runIdField(args), ...byField(args), ...more };
  const { project: _, ...body } = checkFlags(ClaimInput, { ...given, ...(args.force && { force: true }) });
  return body;
}

/** Claims of others that overlap, one a line. */
export const othersText = ({ others }: Schemas["ClaimResult"]): string =>
  others.length === 0 ? "" : `\nOthers on the same:\n${others.map(claimLine).join("\n")}`;

export default defineCommand({
  args: {
    ...claimArgs,
    for: {
      type: "string",
      description: `How long, counted from the last event of the run (default ${leaseMinutesDefault}m)`,
      valueHint: "time",
    },
    note: { type: "string", description: "What it is for" },
  },
  async run({ args }) {
    const lease = args.for === undefined ? null : parseDuration("for", args.for);
    const minutes = lease === null ? {} : { minutes: Math.max(1, Math.round(lease / minuteMicros)) };
    await withApi(args, async (access) => {
      const { api, place } = access;
      const slug = await currentProject(access, args);
      const params = { path: { slug } };
      if (args._.length === 0) {
        const { claims } = await unwrap(api.GET("/projects/{slug}/claims", { params }));
        for (const claim of claims) await printLine(args.json ? JSON.stringify(claim) : claimLine(claim));
        if (claims.length === 0) note(args, `No claims in ${slug}. Claim a task: svc claim 12`);
        return;
      }
      const body = claimBody(args, slug, { ...minutes, ...(args.note !== undefined && { note: args.note }) });
      const result = await unwrap(api.POST("/projects/{slug}/claims", { params, body }));
      const names = result.claims.map(({ subject }) => escapeControls(subject)).join(", ");
      const until = result.claims[0]?.until ?? "";
      await reportChange(args, result, `Claimed ${names} ${place} until ${until}.${othersText(result)}`);
    });
  },
});
