/**
 * `svc hook`: what the hooks of agents call. It never breaks the agent: it writes to the spool and exits with
 * 0, whatever happens. Only the hook that gives a session its brief prints, and waits for the server. The
 * entry point loads it before anything else, so everything it imports is small.
 */

import { writeSync } from "node:fs";
import {
  type HookInput,
  hookNameOf,
  isEditTool,
  type SessionEvent,
} from "../../src/integrations/agent-hooks/agent-hooks.ts";
import { agentHooks, type HookedAgent } from "../../src/integrations/agent-hooks/hooked-agents.ts";
import { runIdOf, sessionReport } from "../../src/integrations/agent-hooks/session-report.ts";
import { refuseCommand, reviewTurn, type StoppedSession } from "../checks/stop-agent.ts";
import { readTurnState, writeTurnState } from "../checks/turn-state.ts";
import { gitEmail, gitHead, gitPlace } from "../repository/git-place.ts";
import { chosenTask, sessionContext, waitMs } from "./briefs/session-brief.ts";
import { type Connection, connectionFor } from "./connections.ts";
import { forwardHook, hasForwardTarget } from "./forward-hook.ts";
import { rememberFiles } from "./remember-files.ts";
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
 * Handles one call of a hook, and exits with 0. What most hooks run is not `async`: the body of an async
 * function is a function inside a function, which has no bytecode (`bytecodeDepth` in cli/build/build.ts).
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
  const reader = Bun.stdin.stream().getReader();
  const timer = setTimeout(() => reader.cancel(), inputMs);
  for (let { value } = await reader.read(); value; { value } = await reader.read()) {
    bytes += value.byteLength;
    if (bytes <= inputBytesMax) chunks.push(value);
  }
  clearTimeout(timer);
  return bytes <= inputBytesMax ? Buffer.concat(chunks).toString() : "";
}

function parseInput(text: string): HookInput {
  const input: unknown = JSON.parse(text);
  return typeof input === "object" && input !== null ? (input as HookInput) : {};
}

function handle(agent: HookedAgent, input: HookInput, name: string | undefined): Promise<void> | undefined {
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
  if (!connection)
    return news && run_id && hasForwardTarget() ? forward(agent, hookName, input, folder, news) : undefined;
  const session = { connection, actor: `agent:${agent}`, run_id, folder };
  if (isCommand || isTurn || isEdit) return work(agent, session, input, { isCommand, isTurn, isEdit, news });
  return news ? report(agent, session, news) : undefined;
}

interface HookedWork {
  isCommand: boolean;
  isTurn: boolean;
  isEdit: boolean;
  news: SessionEvent | null;
}

/** Remembers and checks what the agent does. */
async function work(
  agent: HookedAgent,
  session: StoppedSession,
  input: HookInput,
  { isCommand, isTurn, isEdit, news }: HookedWork,
): Promise<void> {
  const { run_id, folder } = session;
  const { command, turn } = agentHooks[agent].checks ?? {};
  if (isEdit) rememberEdit(run_id, folder, input);
  const reported = news ?? (hasUnreportedFiles(run_id, isTurn) ? filesChanged : null);
  if (isCommand && command) {
    const reason = await refuseCommand(session, command.read(input) ?? "");
    if (reason !== null) print(JSON.stringify(command.refuse(reason)));
  }
  if (isTurn && turn) {
    const reason = await reviewTurn(session).catch(() => null);
    if (reason !== null) print(JSON.stringify(turn.hand(reason)));
  }
  if (reported) await report(agent, session, reported);
  else startSender();
}

const filesChanged: SessionEvent = { phase: "edited" };

function rememberEdit(run_id: string, folder: string, input: HookInput): void {
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
function report(
  agent: HookedAgent,
  { connection, run_id, folder }: StoppedSession,
  reported: SessionEvent,
): Promise<void> | undefined {
  const event = withRecentFailure(run_id, reported);
  const { branch, repo } = gitPlace(folder);
  const { project } = connection;
  const add = (report: Report) => addReport(connection, branch, report);
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
  if (isStart) return giveBrief(agent, { connection, run_id, folder }, branch, now);
  startSender();
  return;
}

/** Gives a session that starts its brief, and reports which one that was. */
async function giveBrief(
  agent: HookedAgent,
  { connection, run_id, folder }: Omit<StoppedSession, "actor">,
  branch: string | null,
  now: Date,
): Promise<void> {
  const { project } = connection;
  const add = (report: Report) => addReport(connection, branch, report);
  const { text, brief } = await sessionContext(connection, { branch, folder }, run_id);
  print(JSON.stringify(agentHooks[agent].answer(text)));
  rememberBase(run_id, folder);
  if (brief?.anchors?.length) add({ anchors: { project, folder, anchors: brief.anchors } });
  if (brief) add({ brief: { project, run_id, hash: brief.hash, from: brief.from, ts: now.toISOString() } });
  startSender();
}

/** A full disk costs the report, not the brief. */
function addReport({ server, agent, folder }: Connection, branch: string | null, report: Report): void {
  try {
    addToSpool({ server, connection: { agent, folder }, branch, report });
  } catch {}
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

const subjectOfChosen = (task: NonNullable<ReturnType<typeof chosenTask>>): string =>
  "task" in task ? `task:${task.task}` : `#${task.issue}`;
