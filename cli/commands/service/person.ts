/** `svc person`: add, list, link, unlink and remove people. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { PersonInput } from "../../../src/core/people/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printJsonLines, printLine, splitList, textFlag } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { note, reportChange } from "../../output/report.ts";
import { type Column, fittedTable } from "../../output/table.ts";

const personArg = {
  person: { type: "positional", required: true, description: "ID of the person" },
} as const;

const identityFlags = {
  email: { type: "string", description: "Email addresses, comma-separated" },
  login: { type: "string", description: "Logins such as github:dana, comma-separated" },
} as const;

interface IdentityArgs {
  email?: string | undefined;
  login?: string | undefined;
}

const identitiesOf = ({ email = "", login = "" }: IdentityArgs): string[] => [
  ...splitList(email).map((address) => `email:${address}`),
  ...splitList(login),
];

async function change(
  args: Parameters<typeof withApi>[0] & Parameters<typeof reportChange>[0] & { person: string },
  fields: Partial<PersonInput>,
  done: string,
): Promise<void> {
  const { id, ...body } = checkFlags(PersonInput, { ...fields, id: args.person });
  await withApi(args, async ({ api, place }) => {
    const params = { path: { id } };
    const changed = await unwrap(api.PUT("/people/{id}", { params, body }));
    await reportChange(args, changed, `${done} ${place}: ${escapeControls(describe(changed))}.`);
  });
}

const describe = ({ name, team, identities }: Schemas["Person"]): string =>
  [name, team && `team ${team}`, ...identities].filter(Boolean).join(", ") || "no team, email or login yet";

const add = defineCommand({
  meta: { name: "add", description: "Add a person, or change their name or team" },
  args: {
    ...personArg,
    name: { type: "string", description: "Full name" },
    team: { type: "string", description: "Team" },
    ...identityFlags,
    ...apiFlags,
  },
  run({ args }) {
    const { name, team } = args;
    const fields = { ...(name !== undefined && { name }), ...(team !== undefined && { team }) };
    return change(args, { ...fields, link: identitiesOf(args) }, `Saved "${args.person}"`);
  },
});

const linking = (field: "link" | "unlink", description: string, done: string) =>
  defineCommand({
    meta: { name: field, description },
    args: { ...personArg, ...identityFlags, ...apiFlags },
    run({ args }) {
      const identities = identitiesOf(args);
      if (identities.length === 0) throw new UsageError("Use --email or --login.");
      return change(args, { [field]: identities }, `${done} "${args.person}"`);
    },
  });

const listCommand = defineCommand({
  meta: { name: "list", description: "List people, with their teams, email addresses and logins" },
  args: { ...apiFlags },
  async run({ args }) {
    const { people } = await withApi(args, ({ api }) => unwrap(api.GET("/people")));
    if (args.json) await printJsonLines(people);
    else if (people.length > 0) await printLine(fittedTable(columns, people.map(toRow)));
    else note(args, "No people yet. Add one: svc person add dana --team platform --email dana@example.com");
  },
});

const unmapped = defineCommand({
  meta: { name: "unmapped", description: "List email addresses and logins of no person" },
  args: {
    keep: textFlag("Let this project keep them; by default, only a count", "project"),
    forget: textFlag("Let this project keep only their count again", "project"),
    ...apiFlags,
  },
  async run({ args }) {
    const project = args.keep ?? args.forget;
    await withApi(args, async ({ api, place }) => {
      if (project !== undefined) {
        const keep = args.keep !== undefined;
        const set = await unwrap(api.PUT("/people", { body: { project, keep } }));
        const line = keep ? "keeps unmapped identities" : "keeps only a count of unmapped identities";
        return reportChange(args, set, `${project} ${line} ${place}.`);
      }
      const { unmapped: rows } = await unwrap(api.GET("/people"));
      if (args.json) await printJsonLines(rows);
      else if (rows.length > 0) await printLine(fittedTable(unmappedColumns, rows.map(toUnmappedRow)));
      else note(args, "No unmapped identities.");
    });
  },
});

const unmappedColumns: Column[] = [
  { head: "IDENTITY", flexible: true },
  { head: "PROJECT" },
  { head: "EVENTS" },
  { head: "LAST", rank: 1 },
];

const toUnmappedRow = ({ identity, project, events, last_at }: Schemas["People"]["unmapped"][number]) =>
  [identity ?? "(not kept)", project ?? "–", String(events), last_at.slice(0, 10)].map(escapeControls);

const columns: Column[] = [
  { head: "PERSON" },
  { head: "NAME", rank: 2, flexible: true },
  { head: "TEAM" },
  { head: "EMAILS AND LOGINS", flexible: true },
  { head: "ADDED", rank: 1 },
];

const toRow = ({ id, name, team, identities, active, created_at }: Schemas["Person"]): string[] =>
  [
    active ? id : `${id} (removed)`,
    name ?? "–",
    team ?? "–",
    identities.join(", ").replaceAll("email:", "") || "–",
    created_at.slice(0, 10),
  ].map(escapeControls);

const remove = defineCommand({
  meta: { name: "remove", description: "Remove a person: nothing new is theirs, and what is recorded stays" },
  args: { ...personArg, ...apiFlags },
  async run({ args }) {
    const params = { path: { id: args.person } };
    await withApi(args, async ({ api, place }) => {
      const removed = await unwrap(api.POST("/people/{id}/remove", { params }));
      await reportChange(args, { ...removed, removed: true }, `Removed "${args.person}" ${place}.`);
    });
  },
});

export default defineCommand({
  subCommands: {
    add,
    list: listCommand,
    link: linking("link", "Count what an email address or a login does as a person's work", "Linked to"),
    unlink: linking("unlink", "Unlink email addresses or logins", "Unlinked from"),
    remove,
    unmapped,
  },
});
