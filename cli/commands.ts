/** The commands of the program, each with the module that it is. */
import type { CommandDef } from "citty";
import { commit, description, version } from "../src/version.ts";

// biome-ignore lint/suspicious/noExplicitAny: commands of different arguments stand in one table
export type Command = CommandDef<any>;

export const commands: Record<string, [what: string, load: () => Promise<{ default: Command }>]> = {
  serve: ["Apply pending migrations and serve the API and the pages", () => import("./serve.ts")],
  feed: ["Print the feed, newest last, and follow it", () => import("./feed.ts")],
  project: ["Link, list and show projects", () => import("./project.ts")],
  event: ["Append events: one, or a file of the past", () => import("./event.ts")],
  asset: ["Push, list, show, review and publish assets", () => import("./asset.ts")],
  brief: ["Compile what to know before a task", () => import("./brief.ts")],
  recall: ["Ask what is remembered", () => import("./recall.ts")],
  decide: ["Record a decision of a project", () => import("./decide.ts")],
  prefer: ["Set a preference, of a project or for all", () => import("./prefer.ts")],
  model: ["Onboard and list models", () => import("./model.ts")],
  guidance: ["Take a vendor's guidance for its model", () => import("./guidance.ts")],
  consolidate: ["Fold what happened into memory", () => import("./consolidate.ts")],
  mcp: ["Serve the tools on standard input and output", () => import("./mcp.ts")],
  doctor: ["Say what is wrong with this deployment, and how to mend it", () => import("./doctor.ts")],
  backup: ["Keep all rows and bytes in a file or a bucket", () => import("./backup.ts")],
  restore: ["Come back from a backup", () => import("./restore.ts")],
  export: ["Write all rows and bytes into a folder, as NDJSON and files", () => import("./export.ts")],
  import: ["Take over what an export wrote, into any database and store", () => import("./import.ts")],
  audit: ["Say who wrote what, and who was refused", () => import("./audit.ts")],
  licenses: ["Print the licenses of everything the executable contains", () => import("./licenses.ts")],
  token: ["Mint, list, rotate and revoke tokens", () => import("./token.ts")],
};

export const root: Command = {
  meta: { name: "svc", version: `${version} (${commit})`, description },
  // What help lists; none of them is loaded for it.
  subCommands: Object.fromEntries(
    Object.entries(commands).map(([name, [what]]) => [name, { meta: { name, description: what } }]),
  ),
};
