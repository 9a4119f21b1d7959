/** `svc project`: link, list, show. */
import { defineCommand } from "citty";
import { adminCaller } from "../src/auth/caller.ts";
import { escapeControls } from "../src/lib/display-text.ts";
import { checkInput } from "../src/lib/validate.ts";
import { getProject, linkProject, listProjects } from "../src/projects/projects.ts";
import { type Project, ProjectLink } from "../src/projects/schema.ts";
import { byFlag, dataDirFlag, jsonFlag, list, run, userOf } from "./command.ts";
import { feedLine } from "./feed-line.ts";
import { actAs, actOfUser, type Opened, open } from "./open.ts";
import { ago, table } from "./table.ts";

const link = defineCommand({
  meta: { name: "link", description: "Link a project to its repository, or change what is said of it" },
  args: {
    slug: { type: "positional", description: "Name of the project, [a-z0-9-]" },
    repo: { type: "string", required: true, description: "owner/name at the source host" },
    stack: { type: "string", description: "What it is built with" },
    summary: { type: "string", description: "What it is" },
    "check-cmd": { type: "string", description: "The command that checks a change" },
    lanes: { type: "string", description: "Comma-separated lanes" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const user = userOf(args.by);
    const { slug, repo, stack, summary, "check-cmd": check_cmd, lanes } = args;
    const said = Object.entries({
      slug,
      repo,
      stack,
      summary,
      check_cmd,
      lanes: lanes === undefined ? undefined : list(lanes),
    });
    const act = actOfUser(user, "project link", slug ?? null);
    const outcome = await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      const project = checkInput(
        ProjectLink,
        new Map(said.filter(([, value]) => value !== undefined)),
      ) as ProjectLink;
      return linkProject(ctx, project, user);
    });
    process.stderr.write(
      `Project ${slug} ${outcome === "linked" ? `is linked to ${repo}` : "was changed"}.\n`,
    );
  }),
});

const listCommand = defineCommand({
  meta: { name: "list", description: "List linked projects, the most recently active first" },
  args: { ...jsonFlag, ...dataDirFlag },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const projects = await everyProject(ctx);
    await ctx.close();
    const rows = projects.map((one) => [
      one.slug,
      one.repo,
      one.lastActivity ? ago(Date.now() - Date.parse(one.lastActivity)) : "never",
      String(one.openIssues),
      String(one.decisionsCount),
      String(one.digest.total),
    ]);
    const lines = args.json
      ? projects.map((one) => JSON.stringify(one))
      : [table(["PROJECT", "REPOSITORY", "ACTIVE", "ISSUES", "DECISIONS", "EVENTS"], rows)];
    for (const line of lines) process.stdout.write(`${line}\n`);
  }),
});

async function everyProject(ctx: Opened): Promise<Project[]> {
  const projects: Project[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listProjects(ctx.data, cursor ? { cursor } : {}, adminCaller);
    projects.push(...page.projects);
    cursor = page.next_cursor;
  }
  return projects;
}

const show = defineCommand({
  meta: { name: "show", description: "Show one project: facts, decisions, models, recent events" },
  args: {
    slug: { type: "positional", required: true, description: "Name of the project" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
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
        ...fact("memory", `${project.digest.digested} of ${project.digest.total} events digested`),
      ],
      project.decisions.length
        ? [
            "Decisions",
            ...project.decisions.map(
              (one) =>
                `  ${one.valid_from.slice(0, 10)}  ${escapeControls(one.text)}  (${escapeControls(one.source)})`,
            ),
          ]
        : [],
      project.models.length
        ? [
            "Models",
            ...project.models.map(
              (one) =>
                `  ${one.id}  ${one.status}, ${one.guidance_count} sections, ${one.stale_days} days old`,
            ),
          ]
        : [],
      project.events.length
        ? [
            "Recent events",
            ...project.events
              .toReversed()
              .map((one) => feedLine(one, { width, time: "absolute", nowMs: Date.now })),
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
