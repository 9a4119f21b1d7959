/** `svc project`: link, list, show. */
import { defineCommand } from "citty";
import { adminCaller } from "../../../src/auth/caller.ts";
import { escapeControls } from "../../../src/lib/display-text.ts";
import { checkInput } from "../../../src/lib/validate.ts";
import { getProject, linkProject, listProjects } from "../../../src/projects/projects.ts";
import { type Project, ProjectLink } from "../../../src/projects/schema.ts";
import { actorFrom, byFlag, dataDirFlag, jsonFlag, reportErrors, splitList } from "../../command.ts";
import { commandAct, type OpenContext, open, withAuditedContext } from "../../open.ts";
import { formatAge, table } from "../../output/table.ts";
import { feedLine } from "./feed-line.ts";

const link = defineCommand({
  meta: { name: "link", description: "Link a project to a repository, or change it" },
  args: {
    slug: { type: "positional", description: "Project slug, [a-z0-9-]" },
    repo: { type: "string", required: true, description: "GitHub repository, owner/name" },
    stack: { type: "string", description: "Tech stack" },
    summary: { type: "string", description: "Short description" },
    "check-cmd": { type: "string", description: "Command that checks a change, such as bun test" },
    lanes: { type: "string", description: "Comma-separated lanes (default: all)" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const user = actorFrom(args.by);
    const { slug, repo, stack, summary, "check-cmd": check_cmd, lanes } = args;
    const fields = Object.entries({
      slug,
      repo,
      stack,
      summary,
      check_cmd,
      lanes: lanes === undefined ? undefined : splitList(lanes),
    });
    const act = commandAct(user, "project link", slug ?? null);
    const outcome = await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      const project = checkInput(
        ProjectLink,
        new Map(fields.filter(([, value]) => value !== undefined)),
      ) as ProjectLink;
      return linkProject(ctx, project, user);
    });
    process.stderr.write(
      outcome === "linked" ? `Linked project "${slug}" to ${repo}.\n` : `Updated project "${slug}".\n`,
    );
  }),
});

const listCommand = defineCommand({
  meta: { name: "list", description: "List projects, sorted by latest activity" },
  args: { ...jsonFlag, ...dataDirFlag },
  run: reportErrors(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const projects = await allProjects(ctx);
    await ctx.close();
    const rows = projects.map((project) => [
      project.slug,
      project.repo,
      project.lastActivity ? formatAge(Date.now() - Date.parse(project.lastActivity)) : "never",
      String(project.openIssues),
      String(project.decisionsCount),
      String(project.digest.total),
    ]);
    const lines = args.json
      ? projects.map((project) => JSON.stringify(project))
      : [table(["PROJECT", "REPOSITORY", "ACTIVE", "OPEN ISSUES", "DECISIONS", "EVENTS"], rows)];
    for (const line of lines) process.stdout.write(`${line}\n`);
  }),
});

async function allProjects(ctx: OpenContext): Promise<Project[]> {
  const projects: Project[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listProjects(ctx.data, cursor ? { cursor } : {}, adminCaller);
    projects.push(...page.projects);
    cursor = page.next_cursor;
  }
  return projects;
}

const show = defineCommand({
  meta: { name: "show", description: "Show a project with its decisions, models and recent events" },
  args: {
    slug: { type: "positional", required: true, description: "Project slug" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const project = await getProject(ctx, args.slug, adminCaller);
    await ctx.close();
    if (args.json) return void process.stdout.write(`${JSON.stringify(project)}\n`);
    const fact = (name: string, value: string | null) =>
      value === null ? [] : [`${name.padEnd(10)} ${escapeControls(value)}`];
    const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
    const parts = [
      [
        `${project.slug}  ${project.repo}`,
        ...fact("stack", project.stack),
        ...fact("summary", project.summary),
        ...fact("check", project.check_cmd),
        ...fact("lanes", project.lanes.join(", ") || "all"),
        ...fact("issues", `${project.openIssues} open`),
        ...fact("memory", `${project.digest.digested} of ${project.digest.total} events summarized`),
      ],
      project.decisions.length
        ? [
            "Decisions",
            ...project.decisions.map(
              ({ valid_from, text, source }) =>
                `  ${valid_from.slice(0, 10)}  ${escapeControls(text)}  (${escapeControls(source)})`,
            ),
          ]
        : [],
      project.models.length
        ? [
            "Models",
            ...project.models.map(
              (model) =>
                `  ${model.id}  ${model.status}, ${model.guidance_count} sections, ${model.stale_days} days old`,
            ),
          ]
        : [],
      project.events.length
        ? [
            "Recent events",
            ...project.events
              .toReversed()
              .map((event) => feedLine(event, { width, time: "absolute", nowMs: Date.now })),
          ]
        : [],
    ];
    const text = parts.filter((part) => part.length > 0).map((part) => part.join("\n"));
    process.stdout.write(`${text.join("\n\n")}\n`);
  }),
});

export default defineCommand({
  subCommands: { link, list: listCommand, show },
});
