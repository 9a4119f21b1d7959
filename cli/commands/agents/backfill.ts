/** `svc backfill`: past sessions of agents, from the files that they keep on this machine. */
import { defineCommand } from "citty";
import { agents } from "../../../src/core/agents/agents.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { findSessions, type Inventory, takeInventory } from "../../agents/sessions/inventory.ts";
import { Places } from "../../agents/sessions/places.ts";
import { ProgressFile } from "../../agents/sessions/progress-file.ts";
import { readSessions } from "../../agents/sessions/read-sessions.ts";
import { RunSender } from "../../agents/sessions/sender.ts";
import { CallIds, type Skipped } from "../../agents/sessions/session.ts";
import { type ApiAccess, apiFlags, withApi } from "../../api.ts";
import { ApiError, unwrap } from "../../client/client.ts";
import { printLine } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { yesFlag } from "../../output/agree.ts";
import { instantOf } from "../../output/duration.ts";
import { openProgress } from "../../output/progress.ts";
import { note, type OutputArgs } from "../../output/report.ts";
import { plural } from "../../output/table.ts";
import { confirm } from "../../output/terminal.ts";
import { listProjects } from "../../repository/current-project.ts";

interface BackfillArgs extends OutputArgs {
  since?: string | undefined;
  project?: string | undefined;
  yes?: boolean | undefined;
  "dry-run"?: boolean | undefined;
  watch?: boolean | undefined;
}

const watchEveryMs = 10_000;
/** A followed session that is silent for longer has ended. */
const idleMs = 15 * 60_000;

export default defineCommand({
  args: {
    since: { type: "string", description: "Only sessions since then, such as 30d", valueHint: "time" },
    project: { type: "string", description: "Only sessions of this project's repository", valueHint: "slug" },
    "dry-run": { type: "boolean", description: "Show what there is, and send nothing" },
    watch: { type: "boolean", description: "Keep following, for agents without hooks" },
    ...yesFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const since = args.since === undefined ? 0 : Date.parse(instantOf(args.since));
    await withApi(args, async (access) => {
      const skipped: Skipped = new Map();
      const candidates = findSessions(since, skipped);
      const places = new Places(await listProjects(access));
      if (args.project !== undefined && !places.projects.some(({ slug }) => slug === args.project))
        throw new CommandError(`No project with slug "${args.project}". See svc project list.`);
      let inventory = takeInventory(candidates, places, args.project);
      const isAgreed = await agree(inventory, access, args);
      if (isAgreed && args.project === undefined && (await linkAll(inventory, access, args))) {
        places.projects = await listProjects(access);
        inventory = takeInventory(candidates, places);
      }
      if (args["dry-run"]) return report(args, inventory, skipped);
      if (!isAgreed) throw new CommandError("Nothing was sent.");
      await send(inventory, access, args, skipped);
      while (args.watch) {
        await Bun.sleep(watchEveryMs);
        const found = takeInventory(findSessions(since, skipped), places, args.project);
        await send(found, access, { ...args, quiet: true }, skipped);
      }
    });
  },
});

/** Shows what there is, and asks. @throws UsageError without a terminal */
async function agree(inventory: Inventory, { place }: ApiAccess, args: BackfillArgs): Promise<boolean> {
  for (const line of describe(inventory, place)) note(args, line);
  const { sessions, unlinked } = inventory;
  const links = args.project === undefined ? linkable(unlinked) : [];
  if (args["dry-run"]) return false;
  if (sessions.length + links.length === 0)
    throw new CommandError("No session of a linked project was found.");
  if (args.yes) return true;
  if (!process.stdin.isTTY) throw new UsageError("Add --yes to send this, or --dry-run to only look.");
  const link =
    links.length > 0
      ? `Link ${links.length === 1 ? "this project" : `these ${links.length} projects`}, and send`
      : "Send";
  return confirm(`${link} their numbers, names and times, and no text?`);
}

/** Links a project to each repository that has none. @returns whether one was linked */
async function linkAll({ unlinked }: Inventory, { api }: ApiAccess, args: BackfillArgs): Promise<boolean> {
  let linked = 0;
  for (const { repository } of linkable(unlinked)) {
    const { slug, path, forge } = repository;
    const body = { repo: path, ...(forge && { forge }) };
    try {
      await unwrap(api.PUT("/projects/{slug}", { params: { path: { slug } }, body }));
      linked++;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      note(args, escapeControls(`Cannot link ${path}: ${error.message}`));
    }
  }
  return linked > 0;
}

async function send(
  inventory: Inventory,
  access: ApiAccess,
  args: BackfillArgs,
  skipped: Skipped,
): Promise<void> {
  const bar = openProgress("Reading", inventory.bytes || null, args);
  const sender = new RunSender(access.api, skipped);
  const progress = new ProgressFile(`${access.siteUrl} ${access.place}`);
  await forgetIfReplaced(progress, access);
  const reading = { skipped, calls: new CallIds(), advance: bar.advance };
  const openSince = args.watch ? Date.now() - idleMs : Number.POSITIVE_INFINITY;
  const onRead = (count: number) => bar.show(`${count.toLocaleString("en-US")} sessions`);
  await readSessions(inventory.sessions, { reading, sender, progress, openSince, onRead }).finally(bar.end);
  if (!args.watch || !args.quiet) await report(args, inventory, skipped, sender.totals);
}

/** What was sent to a database that is gone is sent again. */
async function forgetIfReplaced(progress: ProgressFile, { api }: ApiAccess): Promise<void> {
  const { witness } = progress;
  if (!witness) return;
  const { id, project } = witness;
  const { response } = await api.GET("/runs/{id}", { params: { path: { id }, query: { project } } });
  if (response.status === 404) progress.forget();
}

async function report(
  args: BackfillArgs,
  { sessions, unlinked, elsewhere }: Inventory,
  skipped: Skipped,
  totals = { accepted: 0, duplicates: 0, rejected: 0 },
): Promise<void> {
  if (args.json) {
    const left = {
      unlinked: unlinked.map(({ repository, count }) => ({ repo: repository.path, sessions: count })),
      elsewhere,
    };
    await printLine(
      JSON.stringify({ sessions: sessions.length, ...totals, ...left, skipped: Object.fromEntries(skipped) }),
    );
    return;
  }
  if (args["dry-run"]) return;
  note(
    args,
    `Added ${plural(totals.accepted, "event")} of ${plural(sessions.length, "session")}. ` +
      `${plural(totals.duplicates, "event")} had been reported.`,
  );
  for (const [what, count] of skipped) note(args, `Skipped: ${count} x ${escapeControls(what)}`);
}

type Unlinked = Inventory["unlinked"];

/** Those on a public forge: of another host, the forge is not known. */
const linkable = (unlinked: Unlinked): Unlinked =>
  unlinked.filter(({ repository }) => repository.forge !== null);

/** @param place names the server or the database */
function describe(inventory: Inventory, place: string): string[] {
  const { sessions, unlinked, elsewhere, agents: counts, since, bytes } = inventory;
  const projects = Map.groupBy(sessions, ({ to }) => to.project);
  const names = [...counts].map(
    ([agent, count]) => `${agents[agent].label} ${count.toLocaleString("en-US")}`,
  );
  const lines: string[] = [];
  if (sessions.length > 0) {
    const day = new Date(since).toISOString().slice(0, 10);
    const size = `${(bytes / 1e6).toFixed(1)} MB`;
    lines.push(
      `Found ${plural(sessions.length, "session")} of ${plural(projects.size, "linked project")} ${place} ` +
        `since ${day}: ${names.join(", ")} (${size}).`,
    );
  }
  for (const [project, own] of projects)
    lines.push(`  ${escapeControls(project)}: ${plural(own.length, "session")}`);
  if (unlinked.length > 0) lines.push("Not linked to a project:");
  for (const { repository, count } of unlinked) {
    const next = repository.forge
      ? `would be the project ${repository.slug}`
      : "link it with svc project link";
    const name = escapeControls(`${repository.host}/${repository.path}`);
    lines.push(`  ${name}: ${plural(count, "session")}, ${next}`);
  }
  if (elsewhere > 0) lines.push(`Left out: ${plural(elsewhere, "session")} without a Git remote.`);
  return lines;
}
