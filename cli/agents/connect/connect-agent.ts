/** Connects one agent: plans, shows, asks, writes, and checks. */
import { type Agent, featuresOf } from "../../../src/core/agents/agents.ts";
import { printLine } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import type { OutputArgs } from "../../output/report.ts";
import { confirm } from "../../output/terminal.ts";
import { excludeFromCommits } from "../../repository/git-secrets.ts";
import { refreshConnection } from "../briefs/refresh-briefs.ts";
import { connectionFor, readConnections, saveConnection } from "../connections.ts";
import { applyConnect, diffText, isChanged, requireCurrent, withoutTokens } from "./changes/apply-changes.ts";
import { type ConnectChange, planConnect } from "./changes/file-changes.ts";
import { hookCommand, inRunnerCache, type Scope, settingsPath } from "./hook-command.ts";
import { needsTokenFile, requireUntracked, saveTokens, secretPaths, tokenFile } from "./secret-files.ts";
import { type CheckResult, checkConnection } from "./self-check.ts";
import { readSettingsFile } from "./settings/settings-file.ts";
import { pathNotes, secrecyNotes, tokenFileNote } from "./setup-notes.ts";
import {
  createAgentToken,
  createTelemetryToken,
  isUsable,
  requireAgentToken,
  type TokenPlace,
  tokenInfo,
} from "./token-choice.ts";
import { type AgentSetup, keptInVariable, telemetryTokenVariable } from "./writers/writer.ts";

export interface ConnectRequest extends OutputArgs {
  scope: Scope;
  projectFolder: string;
  server: string;
  project: string;
  local: { dataDir: string | undefined } | null;
  /** From `--token-stdin`, the login or the environment; undefined where this command creates tokens. */
  givenToken: string | undefined;
  givenTelemetryToken: string | undefined;
  yes: boolean;
  dryRun: boolean;
}

export interface Outcome {
  agent: string;
  project: string;
  server: string;
  scope: Scope;
  files: { path: string; changed: boolean }[];
  notes: string[];
  /** Null: planned only. */
  checks: CheckResult[] | null;
}

/** Stands in for a token that is not created yet: a dry run creates none. */
const newToken = `svc_${"new".padEnd(40, "0")}`;

/** @returns null if the user says no */
export async function connectAgent(agent: Agent, request: ConnectRequest): Promise<Outcome | null> {
  const { scope, projectFolder, server, project } = request;
  const hasHooks = featuresOf(agent, scope).includes("hooks");
  if (hasHooks) requireLastingProgram();
  const folder = scope === "user" ? null : projectFolder;
  const present = readConnections().find((one) => one.agent === agent.id && one.folder === folder) ?? null;
  const place = { agent, server, project, local: request.local };
  const isKept =
    request.givenToken === undefined &&
    present?.server === server &&
    present.project === project &&
    (await isUsable(place, present.token));
  const setup: AgentSetup = {
    agent,
    scope,
    projectFolder,
    server,
    hookCommand: hookCommand(agent.id),
    token: isKept ? present.token : (request.givenToken ?? newToken),
    telemetryToken: await telemetryTokenFor(place, request, isKept),
  };
  if (!request.local && !isKept) await requireAgentToken(place, request.givenToken);
  const draft = planConnect(setup);
  const outcome = (files: ConnectChange[], notes: string[]): Outcome => ({
    agent: agent.id,
    project,
    server,
    scope,
    notes,
    checks: null,
    files: files.map((file) => ({ path: file.path, changed: isChanged(file) })),
  });
  const isUnchanged = isKept && !draft.files.some(isChanged);
  if (!request.json) await showChanges(draft.files);
  requireUntracked(secretPaths(setup, project, draft.files));
  if (request.dryRun) return outcome(draft.files, draft.notes);
  requireCurrent(draft.files.filter(isChanged));
  if (!isUnchanged && !(await isAgreed(agent, request))) return null;

  const tokens = {
    token: setup.token === newToken ? await createAgentToken(place) : setup.token,
    telemetryToken:
      setup.telemetryToken === newToken ? await createTelemetryToken(place) : setup.telemetryToken,
  };
  const { files, notes } = planConnect({ ...setup, ...tokens });
  const excluded = secretPaths({ ...setup, ...tokens }, project, files).filter(excludeFromCommits);
  notes.push(...secrecyNotes(files, excluded));
  const connected_at = isKept ? present.connected_at : new Date().toISOString();
  const branch_pattern = present?.project === project ? present.branch_pattern : null;
  const connection = {
    agent: agent.id,
    folder,
    server,
    project,
    token: tokens.token,
    branch_pattern,
    connected_at,
  };
  // The connection first: after a crash, the next run finds its token there and goes on.
  if (!isKept) saveConnection(connection);
  applyConnect(files);
  if (needsTokenFile(files)) {
    const isKnown = tokens.telemetryToken !== keptInVariable;
    saveTokens(tokenFile(connection), tokens.token, isKnown ? tokens.telemetryToken : null);
    notes.push(tokenFileNote(tokenFile(connection)));
  }
  if (connectionFor(agent.id, projectFolder)?.token !== tokens.token)
    notes.push("A connection of a folder above this one, or of this folder, comes before it here.");
  const telemetryUrl = telemetryUrlIn(files);
  const checks = await checkConnection({
    agent,
    connection,
    telemetryUrl,
    isNew: !isKept,
    hookCommand: hasHooks ? setup.hookCommand : null,
  });
  await refreshConnection(connection); // so that the first session starts with a brief
  const hidden = checks.map((check) => ({ ...check, fault: check.fault && withoutTokens(check.fault) }));
  return { ...outcome(files, [...notes, ...pathNotes(setup, files)]), checks: hidden };
}

/** @throws CommandError if hooks would call a program that a package runner deletes */
function requireLastingProgram(): void {
  const path = inRunnerCache();
  if (path !== null)
    throw new CommandError(
      `Hooks would call ${path}, which is in the cache of a package runner and will be deleted. ` +
        "Install svc in a folder that stays, and run svc connect from there.",
    );
}

/** The token in the telemetry URL of an agent that sends no headers, else a new one; null for others. */
async function telemetryTokenFor(
  place: TokenPlace,
  { scope, projectFolder, local, givenTelemetryToken }: ConnectRequest,
  isKept: boolean,
): Promise<string | null> {
  const { agent, server } = place;
  if (agent.telemetry !== "path") return null;
  if (givenTelemetryToken) return givenTelemetryToken;
  for (const file of agent.files[scope]) {
    const text = readSettingsFile(settingsPath(agent, file, projectFolder)) ?? "";
    if (isKept && text.includes(`$${telemetryTokenVariable}`)) return keptInVariable;
    const present = /\/api\/otlp\/t\/(svc_\w{40})\b/.exec(text)?.[1];
    if (present && (await tokenInfo(server, present))) return present;
  }
  return local ? newToken : null;
}

/** The OTLP URL that a settings file holds. */
function telemetryUrlIn(files: readonly ConnectChange[]): string | null {
  for (const { after } of files) {
    const found = /"(https?:\/\/[^"\s]+\/api\/otlp(?:\/t\/\w+)?)(?:\/v1\/logs)?"/.exec(after)?.[1];
    if (found && !found.includes("$")) return found;
  }
  return null;
}

async function showChanges(files: readonly ConnectChange[]): Promise<void> {
  const changed = files.filter(isChanged);
  if (changed.length === 0) return;
  const isColored = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;
  for (const file of changed) await printLine(`${diffText(file, isColored)}\n`);
}

async function isAgreed(agent: Agent, { yes }: ConnectRequest): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY)
    throw new UsageError("Add --yes to write these changes, or --dry-run to only see them.");
  return confirm(`Connect ${agent.label} with these changes?`);
}
