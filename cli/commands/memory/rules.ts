/** `svc rules`: keeps the confirmed decisions of a project in the files in which agents read rules. */
import { defineCommand } from "citty";
import { ProjectPath } from "../../../src/feed/projects/schema.ts";
import { type KeptFile, loadRules, planRules, writeRules } from "../../agents/rules/keep-rules.ts";
import { rulesPaths } from "../../agents/rules/rules-files.ts";
import { apiFlags, withApi } from "../../api.ts";
import { checkFlags, printLine, splitList } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { note, type OutputArgs } from "../../output/report.ts";
import { currentProject, currentProjectArg } from "../../repository/current-project.ts";
import { projectFolderOf } from "../../repository/git.ts";

export default defineCommand({
  args: {
    project: currentProjectArg,
    file: {
      type: "string",
      description: `Also these, comma-separated: ${rulesPaths.join(", ")}`,
      valueHint: "files",
    },
    check: { type: "boolean", description: "Write nothing, and fail if a file is behind" },
    remove: { type: "boolean", description: "Remove the decisions from the files" },
    ...apiFlags,
  },
  async run({ args }) {
    const requested = splitList(args.file ?? "");
    const unknown = requested.find((path) => !rulesPaths.includes(path));
    if (unknown !== undefined)
      throw new UsageError(`Unknown file "${unknown}". Files: ${rulesPaths.join(", ")}.`);
    if (args.check && args.remove) throw new UsageError("Use --check or --remove, not both.");
    const folder = projectFolderOf(process.cwd());
    const [project, block] = await withApi(args, async (access) => {
      const { slug } = checkFlags(ProjectPath, { slug: await currentProject(access, args, "PROJECT") });
      return [slug, args.remove ? null : await loadRules(access.api, slug)];
    });
    const files = planRules(folder, project, block, requested);
    if (!args.check) writeRules(folder, files);
    for (const file of files)
      await report(args, file, args.check ? "check" : args.remove ? "remove" : "keep");
    const behind = files.filter(({ changed }) => changed);
    if (args.check && behind.length > 0)
      throw new CommandError(`Behind: ${behind.map(({ path }) => path).join(", ")}. Run svc rules.`);
    if (files.length === 0) note(args, "No file has decisions of svc.");
  },
});

const done = {
  keep: { changed: "written", same: "up to date" },
  check: { changed: "behind", same: "up to date" },
  remove: { changed: "removed", same: "up to date" },
};

async function report(
  args: OutputArgs,
  { path, changed, conflict }: KeptFile,
  what: keyof typeof done,
): Promise<void> {
  if (args.json) return printLine(JSON.stringify({ path, changed, conflict }));
  const repaired = what === "check" ? "a merge conflict touches its block" : "repaired a merge conflict";
  const state = done[what][changed ? "changed" : "same"];
  note(args, `${path}: ${state}${conflict ? ` (${repaired})` : ""}.`);
}
