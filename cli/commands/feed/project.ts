/** `svc project`: link, list, show, remove. */
import { defineCommand } from "citty";
import { forgeNames, placeName } from "../../../src/core/forges/schema.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { LinkInput } from "../../../src/feed/projects/schema.ts";
import type { Event } from "../../../src/feed/schema.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, printJsonLines, printLine } from "../../command.ts";
import { yesFlag } from "../../output/agree.ts";
import { note, reportChange } from "../../output/report.ts";
import { fittedTable, formatAge, wrapIndented } from "../../output/table.ts";
import { terminalWidth } from "../../output/terminal.ts";
import { currentProject, currentProjectArg, listProjects } from "../../repository/current-project.ts";
import { takeBackFlags, takeBackWith } from "../service/take-back.ts";
import { feedLine } from "./feed-line.ts";

const link = defineCommand({
  meta: { name: "link", description: "Link a project to a repository, or change it" },
  args: {
    slug: { type: "positional", description: "Project slug, [a-z0-9-]" },
    repo: { type: "string", required: true, description: "Repository, owner/name or group/subgroup/name" },
    forge: { type: "string", description: `${forgeNames.join(", ")} (default: github)` },
    host: { type: "string", description: "Host of the forge (default: the public one, such as gitlab.com)" },
    stack: { type: "string", description: "Tech stack" },
    summary: { type: "string", description: "Short description" },
    "check-cmd": { type: "string", description: "Command that checks a change, such as bun test" },
    "branch-pattern": {
      type: "string",
      description: "Regular expression whose group is the issue or task of a branch; empty for the default",
    },
    "task-url": {
      type: "string",
      description: "URL of a task of your tracker, such as https://example.com/{task}; empty for none",
      valueHint: "url",
    },
    lanes: { type: "string", description: "Comma-separated lanes (default: all)" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const branchPattern = args["branch-pattern"] === "" ? null : args["branch-pattern"];
    const taskUrl = args["task-url"] === "" ? null : args["task-url"];
    const given = { ...args, "branch-pattern": branchPattern, "task-url": taskUrl };
    const { slug, ...fields } = checkFlags(LinkInput, given);
    const body = { ...fields, ...byField(args) } as Schemas["LinkProjectRequest"];
    await withApi(
      args,
      async ({ api, place, createdFile }) => {
        if (createdFile !== null) note(args, `Created the database ${createdFile}.`);
        const project = await unwrap(api.PUT("/projects/{slug}", { params: { path: { slug } }, body }));
        const line = project.linked
          ? `Linked project "${slug}" to ${escapeControls(placeName(project))} ${place}.`
          : `Updated project "${slug}" ${place}.`;
        await reportChange(args, { ...fields, ...project }, line);
      },
      { create: true },
    );
  },
});

const columns = [
  { head: "PROJECT" },
  { head: "REPOSITORY", rank: 1, flexible: true as const },
  { head: "ACTIVE" },
  { head: "OPEN ISSUES", rank: 3 },
  { head: "DECISIONS", rank: 4 },
  { head: "EVENTS", rank: 2 },
];

const listCommand = defineCommand({
  meta: { name: "list", description: "List projects, sorted by latest activity" },
  args: { ...apiFlags },
  async run({ args }) {
    const projects = await withApi(args, listProjects);
    if (args.json) return printJsonLines(projects);
    const rows = projects.map((project) => [
      project.slug,
      placeName(project),
      project.lastActivity ? formatAge(Date.now() - Date.parse(project.lastActivity)) : "never",
      String(project.openIssues),
      String(project.decisionsCount),
      String(project.digest?.total ?? 0),
    ]);
    await printLine(fittedTable(columns, rows));
  },
});

const show = defineCommand({
  meta: { name: "show", description: "Show a project with its decisions, models and recent events" },
  args: {
    project: currentProjectArg,
    ...apiFlags,
  },
  async run({ args }) {
    const project = await withApi(args, async (access) => {
      const slug = await currentProject(access, args, "PROJECT");
      return unwrap(access.api.GET("/projects/{slug}", { params: { path: { slug } } }));
    });
    await printLine(args.json ? JSON.stringify(project) : formatProject(project));
  },
});

function formatProject(project: Schemas["ProjectDetail"]): string {
  const fact = (name: string, value: string | null) =>
    value === null ? [] : [`${name.padEnd(10)} ${escapeControls(value)}`];
  const width = terminalWidth();
  const parts = [
    [
      `${project.slug}  ${placeName(project)}`,
      ...fact("stack", project.stack),
      ...fact("summary", project.summary),
      ...fact("check", project.check_cmd),
      ...fact("branches", project.branch_pattern),
      ...fact("tasks at", project.task_url),
      ...fact("lanes", project.lanes.join(", ") || "all"),
      ...fact("issues", `${project.openIssues} open`),
      ...fact("memory", `${project.digest.digested} of ${project.digest.total} events summarized`),
    ],
    project.decisions.length
      ? [
          "Decisions",
          ...project.decisions.flatMap(({ valid_from, text, source }) => {
            const lines = `${text} (${source})`.split("\n").map(escapeControls).join("\n");
            const [first = "", ...rest] = wrapIndented(lines, width, " ".repeat(14));
            return [`  ${valid_from.slice(0, 10)}  ${first.trimStart()}`, ...rest];
          }),
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
            .map((event) => feedLine(event as Event, { width, time: "absolute", nowMs: Date.now })),
        ]
      : [],
  ];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}

const remove = defineCommand({
  meta: { name: "remove", description: "Delete a project with all of its rows and files" },
  args: {
    slug: { type: "positional", required: true, description: "Project slug" },
    ...takeBackFlags,
    ...yesFlag,
    ...apiFlags,
  },
  run: ({ args }) =>
    takeBackWith(args, { kind: "project", subject: args.slug }, `Delete all of the project ${args.slug}`),
});

export default defineCommand({
  subCommands: { link, list: listCommand, show, remove },
});
