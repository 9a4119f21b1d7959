/** `svc brief`: the brief for a task. */
import { defineCommand } from "citty";
import { isRepositoryPath } from "../../../src/core/repository-path.ts";
import { BriefQuery, briefCharsDefault } from "../../../src/overview/brief/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { checkFlags, printLine, runIdField } from "../../command.ts";
import { serverTarget } from "../../login/target.ts";
import { withAnchorStates } from "../../repository/anchor-states.ts";
import {
  currentProjectArg,
  type ListProjects,
  listProjects,
  projectOfCheckout,
} from "../../repository/current-project.ts";
import { changedFiles } from "../../repository/git.ts";

/** What fits into a URL, where commas separate the paths. */
const filesMax = 50;
const filesToName = (paths: readonly string[]): string[] =>
  paths.filter((path) => isRepositoryPath(path) && !path.includes(",")).slice(0, filesMax);

export default defineCommand({
  args: {
    project: currentProjectArg,
    intent: { type: "positional", required: false, description: "What the task is about" },
    issue: { type: "string", description: "Issue number" },
    task: { type: "string", description: "Task of your tracker, such as PROJ-123", valueHint: "key" },
    branch: { type: "string", description: "Your branch, to see who else works on it" },
    model: { type: "string", description: "Model that works on the task" },
    "max-chars": {
      type: "string",
      description: `Maximum length in characters (default ${briefCharsDefault})`,
    },
    "run-id": { type: "string", description: "Your run: its page shows what it was told" },
    ...apiFlags,
  },
  async run({ args }) {
    const queryOf = async (list: ListProjects) => {
      const project = await projectOfCheckout(list, args, "PROJECT");
      // The files of this checkout are named only to the project that it is linked to.
      const files = args.project === undefined ? filesToName(changedFiles(process.cwd())) : [];
      return checkFlags(BriefQuery, {
        ...args,
        project,
        ...runIdField(args),
        ...(files.length > 0 && { files }),
      });
    };
    const isStored = runIdField(args)["run-id"] !== undefined;
    const local = serverTarget(args) || isStored ? null : await import("../../local-brief.ts");
    const brief =
      (await local?.localBrief(args["data-dir"], queryOf)) ??
      (await withApi(args, async (access) => {
        const { project: slug, ...query } = await queryOf(() => listProjects(access));
        return unwrap(access.api.GET("/projects/{slug}/brief", { params: { path: { slug }, query } }));
      }));
    const text = withAnchorStates(brief.text, brief.anchors, process.cwd());
    await printLine(args.json ? JSON.stringify(brief) : text);
  },
});
