/**
 * `svc hook`: what the hooks of agents call. It never breaks the agent: it writes to the spool and exits with
 * 0, whatever happens. Only the hook that gives a session its brief prints, and waits for the server. The
 * entry point loads it before anything else, so everything it imports is small.
 */

import { writeSync } from "node:fs";
import { defaultTaskOfBranch, taskNamed } from "../../src/feed/projects/default-branch-task.ts";
import {
  type HookInput,
  hookNameOf,
  isEditTool,
  type SessionEvent,
} from "../../src/integrations/agent-hooks/agent-hooks.ts";
import { agentHooks, type HookedAgent } from "../../src/integrations/agent-hooks/hooked-agents.ts";
import { contextText, currentAge, missingBrief } from "../../src/integrations/agent-hooks/session-context.ts";
import { runIdOf, sessionReport } from "../../src/integrations/agent-hooks/session-report.ts";
import { refuseCommand, reviewTurn, type StoppedSession } from "../checks/stop-agent.ts";
import { readTurnState, writeTurnState } from "../checks/turn-state.ts";
import { gitEmail, gitHead, gitPlace } from "../repository/git-place.ts";
import { type CachedBrief, readBrief } from "./briefs/brief-cache.ts";
import { type BriefedSession, briefKey, fetchBrief } from "./briefs/fetch-brief.ts";
import { type Connection, connectionFor } from "./connections.ts";
import { forwardHook } from "./forward-hook.ts";
import {
  hasUnreportedFiles,
  rememberFailure,
  rememberWait,
  takeRecentFailure,
  takeTouchedFiles,
  takeWait,
} from "./session-marks.ts";
import { addToSpool, type Report } from "./spool/spool.ts";
import { startSender } from "./spool/start-sender.ts";

/** How long to wait for the agent to write and close standard input. */
const inputMs = 1_000;
/** How long a hook that is not read waits for the server; agents stop the hooks of an end soon. */
const forwardMs = 1_200;
/** Longer input is read to its end, so that the agent can write it, and not understood. */
const inputBytesMax = 4 * 2 ** 20;

/**
 * Handles one call of a hook, and exits with 0.
 * @param name the name of the hook, for an agent whose input does not hold it
 */
export async function runHook(agent = "", name?: string): Promise<never> {
  try {
    if (Object.hasOwn(agentHooks, agent))
      await handle(agent as HookedAgent, parseInput(await readInput()), name);
  } catch {} // a full disk, a folder that cannot be written: the agent must not notice
  process.exit(0);
}

/** Reads without `process.stdin`, even to ask whether it is a terminal: loading that takes 4 ms of CPU. */
async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const read = async () => {
    const reader = Bun.stdin.stream().getReader();
    for (let { value } = await reader.read(); value; { value } = await reader.read()) {
      bytes += value.byteLength;
      if (bytes <= inputBytesMax) chunks.push(value);
    }
  };
  await Promise.race([read(), Bun.sleep(inputMs)]);
  return bytes <= inputBytesMax ? Buffer.concat(chunks).toString() : "";
}

function parseInput(text: string): HookInput {
  const input: unknown = JSON.parse(text);
  return typeof input === "object" && input !== null ? (input as HookInput) : {};
}

async function handle(agent: HookedAgent, input: HookInput, name: string | undefined): Promise<void> {
  const hooks = agentHooks[agent];
  const hookName = hookNameOf(hooks, name, input);
  const { command, turn } = hooks.checks ?? {};
  const event = Object.hasOwn(hooks.events, hookName) ? hooks.events[hookName]?.(input) : null;
  const isCommand = hookName === command?.hook;
  const isTurn = hookName === turn?.hook;
  const run_id = runIdOf(hooks.session(input) ?? "");
  const news = event && tellsNews(run_id, event) ? event : null;
  const folder = hooks.folder(input) ?? process.cwd();
  const isEdit = hookName === hooks.afterTool && isEditTool(input);
  const isWork = news || isCommand || isTurn || isEdit;
  const connection = isWork && run_id ? connectionFor(agent, folder) : null;
  if (!connection) {
    if (news && run_id) await forward(agent, hookName, input, folder, news);
    return;
  }
  if (isEdit) await rememberEdit(run_id, folder, input);
  const reported = news ?? (hasUnreportedFiles(run_id, isTurn) ? filesChanged : null);
  const session = { connection, actor: `agent:${agent}`, run_id, folder };
  if (isCommand) {
    const reason = await refuseCommand(session, command.read(input) ?? "");
    if (reason !== null) print(JSON.stringify(command.refuse(reason)));
  }
  if (isTurn) {
    const reason = await reviewTurn(session).catch(() => null);
    if (reason !== null) print(JSON.stringify(turn.hand(reason)));
  }
  if (reported) await report(agent, session, reported);
  else startSender();
}

const filesChanged: SessionEvent = { phase: "edited" };

async function rememberEdit(run_id: string, folder: string, input: HookInput): Promise<void> {
  const { rememberFiles } = await import("./remember-files.ts");
  try {
    rememberFiles(run_id, folder, input);
  } catch {} // a folder that cannot be written costs the names of files, not what else the hook reports
}

/** Without a connection, only the start of a session is waited for as long as for a brief. */
async function forward(
  agent: HookedAgent,
  hookName: string,
  input: HookInput,
  folder: string,
  { phase, subagent }: SessionEvent,
): Promise<void> {
  const isStart = phase === "start" && !subagent;
  const text = await forwardHook(agent, hookName, input, folder, isStart ? waitMs() : forwardMs);
  if (isStart) print(text);
}

/** Reports what the hook says of its session. One that starts is given its brief. */
async function report(
  agent: HookedAgent,
  { connection, run_id, folder }: StoppedSession,
  reported: SessionEvent,
): Promise<void> {
  const hooks = agentHooks[agent];
  const event = withRecentFailure(run_id, reported);
  const { branch, repo } = gitPlace(folder);
  const { server, project } = connection;
  /** A full disk costs the report, not the brief. */
  const add = (report: Report) => {
    try {
      addToSpool({ server, connection: { agent, folder: connection.folder }, branch, report });
    } catch {}
  };
  const now = new Date();
  if (!event.isContinued)
    add({
      event: {
        ...sessionReport(agent, run_id, event, { project, repo, email: gitEmail(folder) }, now),
        ...chosenTask(),
        ...(!event.subagent && takeTouchedFiles(run_id, event.phase === "end" || event.phase === "failed")),
      },
    });
  const isStart = event.phase === "start" && !event.subagent;
  const task = isStart && !event.isContinued ? chosenTask() : null;
  if (task) add({ claim: { project, subjects: [subjectOfChosen(task)], run_id } });
  if (isStart) {
    const { text, brief } = await sessionContext(connection, { branch, folder }, run_id);
    print(JSON.stringify(hooks.answer(text)));
    rememberBase(run_id, folder);
    if (brief?.anchors?.length) add({ anchors: { project, folder, anchors: brief.anchors } });
    if (brief) add({ brief: { project, run_id, hash: brief.hash, from: brief.from, ts: now.toISOString() } });
  }
  startSender();
}

/** Remembers what the files of a session are compared with at the end of its turns. */
function rememberBase(run_id: string, folder: string): void {
  try {
    const { handed, base } = readTurnState(run_id);
    writeTurnState(run_id, { base: base ?? gitHead(folder), handed });
  } catch {} // without it, what it commits is not judged at the end of a turn
}

/** False for an agent that goes on without having asked for an answer. */
function tellsNews(run_id: string, { phase, subagent }: SessionEvent): boolean {
  if (phase === "waiting") rememberWait(run_id);
  else if (!subagent) return takeWait(run_id) || phase !== "resumed";
  return true;
}

/** A session that ends right after a failure has failed. */
function withRecentFailure(run_id: string, event: SessionEvent): SessionEvent {
  if (event.subagent || (event.phase !== "end" && event.phase !== "failed")) return event;
  if (event.phase === "failed") {
    rememberFailure(run_id, event.reason);
    return event;
  }
  const reason = takeRecentFailure(run_id);
  return reason === null ? event : { phase: "failed", reason: reason || undefined };
}

/** Prints all of the text before the process exits. */
function print(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
}

/**
 * When to stop waiting for the server, in milliseconds since the process started. A TLS connection with 80 ms
 * each way takes four round trips, 640 ms, before it answers (test/faults/fresh-brief.test.ts).
 */
const answerByMs = 1_500;

interface SessionContext {
  /** What the agent reads. */
  text: string;
  /** The brief in it; null if there is none. */
  brief: CachedBrief | null;
}

/**
 * Returns what a session on a branch reads: the brief as it is now, or without an answer in time the one that
 * was saved for the branch or for the project. The first line says how old it is.
 * @param run_id the run of the session
 * @param elapsedMs since the process started
 */
export async function sessionContext(
  connection: Connection,
  { branch, folder }: { branch: string | null; folder: string },
  run_id: string,
  elapsedMs = performance.now(),
): Promise<SessionContext> {
  const { age, brief } = await newestBrief(connection, { branch, run_id }, elapsedMs);
  const text = brief ? await withStates(brief, folder) : undefined;
  return { text: contextText(age, run_id, text), brief };
}

/** Only a brief with anchors loads what compares them with the checkout. */
async function withStates({ text, anchors }: CachedBrief, folder: string): Promise<string> {
  if (!anchors || anchors.length === 0) return text;
  const { withAnchorStates } = await import("../repository/anchor-states.ts");
  return withAnchorStates(text, anchors, folder);
}

async function newestBrief(
  connection: Connection,
  session: BriefedSession,
  elapsedMs: number,
): Promise<{ age: string; brief: CachedBrief | null }> {
  try {
    const brief = await askServer(connection, session, waitMs() - elapsedMs);
    return { age: currentAge(brief.at), brief };
  } catch (error) {
    const fault = (error as Error).message;
    const brief = readBrief(briefKey(connection, session.branch)) ?? readBrief(briefKey(connection, null));
    return { age: brief ? savedAge(brief, fault) : missingBrief(fault), brief };
  }
}

/** SVC_HOOK_WAIT_MS, if it is a number of milliseconds up to a minute. */
function waitMs(text = process.env.SVC_HOOK_WAIT_MS): number {
  const chosen = /^\d{1,5}$/.test(text ?? "") ? Number(text) : answerByMs;
  return Math.min(chosen, 60_000);
}

/** The task that SVC_TASK names; null without one. */
const chosenTask = () => taskNamed(process.env.SVC_TASK ?? "");

const subjectOfChosen = (task: NonNullable<ReturnType<typeof chosenTask>>): string =>
  "task" in task ? `task:${task.task}` : `#${task.issue}`;

/** @throws Error that says why there is no answer, after at most `timeLeft` milliseconds */
async function askServer(
  connection: Connection,
  session: BriefedSession,
  timeLeft: number,
): Promise<CachedBrief> {
  // The engine for a pattern of its own is too large for a hook: the brief of the project has the newest
  // rejection too.
  const { branch } = session;
  const isDefault = connection.branch_pattern === null && branch !== null;
  const task = chosenTask() ?? (isDefault ? defaultTaskOfBranch(branch) : null);
  const deadline = AbortSignal.timeout(Math.max(0, timeLeft));
  return fetchBrief(connection, isDefault ? branch : null, task, deadline, session);
}

const savedAge = ({ at }: CachedBrief, fault: string): string =>
  `This brief from svc, the shared memory of this project, is ${ageText(Date.now() - at)} old: ${fault}. ` +
  "Newer decisions and rejections are missing from it; call svc_brief for the current one.";

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 24 * 60
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / (24 * 60)), "day"];
  return count === 0 ? "less than a minute" : `${count} ${unit}${count === 1 ? "" : "s"}`;
}
