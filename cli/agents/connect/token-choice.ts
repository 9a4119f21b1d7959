/**
 * The tokens for an agent: those it has already, else new ones from the database of this machine, else the
 * one of the login. A token that can do more than an agent's work never gets into the settings of an agent.
 */

import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline/promises";
import type { Agent } from "../../../src/core/agents/agents.ts";
import type { Role } from "../../../src/core/auth/scopes.ts";
import { type ApiAccess, openRemote, requireProject } from "../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../client/client.ts";
import { actorFrom } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { createTokenFromFlags } from "../../create-token.ts";
import { commandAct, withAuditedContext } from "../../open.ts";
import { terminalText } from "../../output/terminal.ts";
import { listProjects, projectsLinkedTo } from "../../repository/current-project.ts";
import { originOf } from "../../repository/git-place.ts";

export interface TokenPlace {
  agent: Agent;
  server: string;
  project: string;
  /** The data folder of a local database; null for a server elsewhere. */
  local: { dataDir: string | undefined } | null;
}

type TokenInfo = Schemas["Token"];

/** What the server says about a token; null if it is not valid. */
export async function tokenInfo(server: string, token: string): Promise<TokenInfo | null> {
  const { api } = openRemote({ url: server, source: "--server", token, tokenSource: null });
  return unwrap(api.GET("/token")).catch((error) => {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  });
}

/** @throws CommandError unless the token can report to the project, and cannot review */
export async function requireAgentToken(place: TokenPlace, token: string | undefined): Promise<string> {
  const info = token === undefined ? null : await tokenInfo(place.server, token);
  const fault = !info ? "There is no valid token for this server" : faultOf(info, place.project);
  if (token !== undefined && fault === null) return token;
  const { agent, project, server } = place;
  throw new CommandError(
    `${fault}. On the machine that runs ${server}, create one: ` +
      `svc token create ${newName(agent.id)} --role agent --project ${project} ` +
      `and pipe it to: svc connect ${agent.id} --server ${server} --project ${project} --token-stdin --yes`,
  );
}

function faultOf({ name, scopes, projects }: TokenInfo, project: string): string | null {
  if (scopes.includes("assets:review"))
    return `The token "${name}" can review assets, so it does not belong into the settings of an agent`;
  if (!scopes.includes("feed:write")) return `The token "${name}" cannot report runs (feed:write)`;
  return projects && !projects.includes(project)
    ? `The token "${name}" has no access to the project "${project}"`
    : null;
}

/** Whether the agent's present token still does its work. */
export async function isUsable({ server, project }: TokenPlace, token: string): Promise<boolean> {
  const info = await tokenInfo(server, token);
  return info !== null && faultOf(info, project) === null;
}

/** Creates a token of the role `agent` that is limited to the project. */
export const createAgentToken = (place: TokenPlace): Promise<string> =>
  create(place, newName(place.agent.id), { role: "agent" });

/** Creates a token that can only send telemetry, for a URL. */
export const createTelemetryToken = (place: TokenPlace): Promise<string> =>
  create(place, newName(`${place.agent.id}-telemetry`), { role: "telemetry" });

/** Token names cannot be reused, so they end in random letters. */
const newName = (name: string): string => `${name}-${randomBytes(3).toString("hex")}`;

async function create({ local, project }: TokenPlace, name: string, access: { role: Role }): Promise<string> {
  const act = commandAct(actorFrom(undefined), "token create", name);
  const { token } = await withAuditedContext(act, { SVC_DATA_DIR: local?.dataDir }, (ctx) =>
    createTokenFromFlags(ctx, { name, project, ...access }),
  );
  return token;
}

/** `--project`, else the project of the repository in `cwd`, else the only project; else asks. */
export async function chooseProject(
  access: Pick<ApiAccess, "api" | "place">,
  cwd: string,
  chosen: string | undefined,
): Promise<string> {
  if (chosen !== undefined) {
    await requireProject(access, chosen);
    return chosen;
  }
  const projects = await listProjects(access);
  const origin = originOf(cwd);
  const [first, ...others] = projects;
  if (!first)
    throw new CommandError(
      `No project ${access.place}. Link one: svc project link NAME --repo ${origin?.path ?? "owner/name"}`,
    );
  const [linked, ...moreLinked] = origin ? projectsLinkedTo(projects, origin) : [];
  if (linked && moreLinked.length === 0) return linked.slug;
  return others.length === 0 ? first.slug : askForProject(projects);
}

async function askForProject(projects: readonly Schemas["Project"][]): Promise<string> {
  const names = projects.map(({ slug }) => slug);
  const listed = names.slice(0, 20).join(", ");
  if (!process.stdin.isTTY) throw new UsageError(`Choose a project with --project: ${listed}.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await terminal.question(terminalText(`Project (${listed}): `))).trim();
    if (!names.includes(answer)) throw new UsageError(`No project "${answer}".`);
    return answer;
  } finally {
    terminal.close();
  }
}
