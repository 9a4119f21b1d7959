/** `svc checklist`: set, list, show, remove. */
import { type ArgsDef, defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { assetKinds } from "../../../src/library/assets/schema.ts";
import { itemsOfLines, lineOfItem } from "../../../src/library/checklists/items.ts";
import { ChecklistInput, ChecklistQuery, ChecklistsPath } from "../../../src/library/checklists/requests.ts";
import { type ApiArgs, apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, printJsonLines, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { openInput } from "../../input-file.ts";
import { note, type OutputArgs, reportChange } from "../../output/report.ts";
import { fittedTable, plural } from "../../output/table.ts";
import { currentProject, currentProjectArg } from "../../repository/current-project.ts";

const placeArgs = {
  project: { type: "positional", required: true, description: "Project slug" },
  kind: { type: "positional", required: true, description: `Kind of assets: ${assetKinds.join(", ")}` },
} as const satisfies ArgsDef;

const set = defineCommand({
  meta: {
    name: "set",
    description: "Set what reviewers check, one item a line; '(optional)' at its end makes one optional",
  },
  args: {
    ...placeArgs,
    file: {
      type: "positional",
      required: false,
      description: "Text file, or - for standard input",
      default: "-",
    },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const items = itemsOfLines(await (await openInput(args.file)).text());
    if (items.length === 0)
      throw new UsageError("There are no items. To remove a checklist, use svc checklist remove.");
    await save(args, items);
  },
});

const remove = defineCommand({
  meta: { name: "remove", description: "Remove a checklist; what was answered stays" },
  args: { ...placeArgs, ...byFlag, ...apiFlags },
  run: ({ args }) => save(args, []),
});

type SetArgs = ApiArgs & OutputArgs & { project: string; kind: string };

async function save(args: SetArgs, items: ChecklistInput["items"]): Promise<void> {
  const { slug, kind, ...body } = checkFlags(ChecklistInput, {
    slug: args.project,
    kind: args.kind,
    items,
    ...byField(args),
  });
  await withApi(args, async ({ api, place }) => {
    const params = { path: { slug, kind } };
    const checklist = await unwrap(api.PUT("/projects/{slug}/checklists/{kind}", { params, body }));
    await reportChange(args, checklist, `${describeChange(checklist)} ${place}.`);
  });
}

function describeChange({ project, kind, version, items, changed }: Schemas["ChecklistSet"]): string {
  const name = `the checklist of ${project} for the kind ${kind}`;
  if (!changed) return `No change to ${name}, version ${version},`;
  return items.length === 0
    ? `Removed ${name}`
    : `Set ${name}, version ${version}, with ${plural(items.length, "item")}`;
}

const listCommand = defineCommand({
  meta: { name: "list", description: "List the checklists of a project" },
  args: { project: currentProjectArg, ...apiFlags },
  async run({ args }) {
    const { slug, checklists } = await withApi(args, async (access) => {
      const path = checkFlags(ChecklistsPath, { slug: await currentProject(access, args, "PROJECT") });
      const found = await unwrap(access.api.GET("/projects/{slug}/checklists", { params: { path } }));
      return { ...path, ...found };
    });
    if (args.json) await printJsonLines(checklists);
    else if (checklists.length === 0) note(args, `No checklists. Set one: svc checklist set ${slug} image`);
    else await printLine(fittedTable(columns, checklists.map(rowOf)));
  },
});

const columns = [
  { head: "KIND" },
  { head: "VERSION" },
  { head: "ITEMS" },
  { head: "CHANGED", rank: 1 },
  { head: "BY", flexible: true as const },
];

const rowOf = ({ kind, version, items, changed_at, changed_by }: Schemas["Checklist"]): string[] => [
  ...[kind, `v${version}`, String(items.length), changed_at.slice(0, 10), escapeControls(changed_by)],
];

const show = defineCommand({
  meta: { name: "show", description: "Show a checklist in the form that set reads" },
  args: {
    ...placeArgs,
    version: { type: "string", description: "An older version", valueHint: "number" },
    ...apiFlags,
  },
  async run({ args }) {
    const { slug, kind, version } = checkFlags(ChecklistQuery, {
      slug: args.project,
      kind: args.kind,
      version: args.version,
    });
    const params = { path: { slug, kind }, query: version === undefined ? {} : { version } };
    const checklist = await withApi(args, ({ api }) =>
      unwrap(api.GET("/projects/{slug}/checklists/{kind}", { params })),
    );
    if (args.json) return printLine(JSON.stringify(checklist));
    for (const item of checklist.items) await printLine(escapeControls(lineOfItem(item)));
  },
});

export default defineCommand({ subCommands: { set, list: listCommand, show, remove } });
