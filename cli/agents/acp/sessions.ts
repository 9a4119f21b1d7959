/** The sessions of an agent behind `svc acp`: their reports, and the brief of each. */
import type { SessionEvent } from "../../../src/integrations/agent-hooks/agent-hooks.ts";
import { runIdOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import type { PromptContext } from "./add-context.ts";
import { agentNamed, type KnownAgent } from "./agent-name.ts";
import { type DestinationArgs, findDestination } from "./destination.ts";
import type { AcpEvents } from "./messages.ts";
import { SessionReports } from "./session-reports.ts";

/** How long a prompt waits for its brief, which is asked for when the session starts. */
const briefMs = 2_500;
/** How long the end of the agent waits until its reports are on the disk. */
const settleMs = 1_500;

interface Session {
  reports: SessionReports;
  /** What the agent reads; null after it was given, and if there is none. */
  context: Promise<string | null> | null;
  prompts: number;
  toolCalls: number;
  /** The kind and the start of tool calls that have not ended. */
  running: Map<string, { kind: string; at: number }>;
  dollars: number;
  /** The code of the error that the last prompt ended with. */
  problem: number | null;
}

export class AcpSessions implements AcpEvents {
  readonly #sessions = new Map<string, Session>();
  #agent: KnownAgent;
  #takesEmbedded = false;

  constructor(
    readonly args: DestinationArgs,
    readonly command: readonly string[],
  ) {
    this.#agent = agentNamed(undefined, command);
  }

  onAgent(name: string | undefined, takesEmbedded: boolean): void {
    this.#agent = agentNamed(name, this.command);
    this.#takesEmbedded = takesEmbedded;
  }

  onStart(id: string, folder = process.cwd(), isNew = true): void {
    const run_id = runIdOf(id);
    if (run_id === "" || this.#sessions.has(id)) return;
    const destination = findDestination(this.args, this.#agent.id, folder).catch(() => null);
    const reports = new SessionReports(this.#agent, run_id, folder, destination);
    reports.event({ phase: "start", reason: isNew ? undefined : "resume" });
    this.#sessions.set(id, {
      reports,
      context: reports.brief().catch(() => null),
      prompts: 0,
      toolCalls: 0,
      running: new Map(),
      dollars: 0,
      problem: null,
    });
  }

  onPrompt(id: string): void {
    this.#with(id, (session) => {
      session.prompts++;
      session.reports.event({ phase: "working" });
    });
  }

  onPromptEnd(id: string, problem: number | null): void {
    this.#with(id, (session) => {
      session.problem = problem;
      session.running.clear();
      session.reports.event({ phase: "idle" });
    });
  }

  onQuestion(id: string, isAsked: boolean): void {
    this.#with(id, (session) => session.reports.event({ phase: isAsked ? "waiting" : "resumed" }));
  }

  onToolStart(id: string, call: string, kind: string): void {
    this.#with(id, (session) => {
      if (session.running.has(call)) return;
      session.toolCalls++;
      session.running.set(call, { kind: /^[a-z_]{1,20}$/.test(kind) ? kind : "other", at: Date.now() });
    });
  }

  /** A step of an agent that svc reads nothing else of: others report each request to a model. */
  onToolEnd(id: string, call: string, hasFailed: boolean): void {
    this.#with(id, (session) => {
      const started = session.running.get(call);
      if (!started || !session.running.delete(call) || this.#agent.isKnown) return;
      const { label } = this.#agent;
      session.reports.step(`tool:${call}`, {
        summary: `${label} tool: ${started.kind}${hasFailed ? " failed" : ""}`,
        duration_ms: Math.max(0, Date.now() - started.at),
      });
    });
  }

  onCost(id: string, dollars: number): void {
    this.#with(id, (session) => {
      const more = dollars - session.dollars;
      if (this.#agent.isKnown || !(more > 0) || !Number.isFinite(more)) return;
      session.dollars = dollars;
      session.reports.step(`cost:${dollars}`, { summary: `${this.#agent.label} usage`, cost_equiv: more });
    });
  }

  onEnd(id: string): void {
    this.#with(id, (session) => this.#end(session, null));
    this.#sessions.delete(id);
  }

  /** What the next prompt of the session is given beside it, after a bounded wait; null if nothing. */
  async contextFor(id: string): Promise<PromptContext | null> {
    const context = this.#sessions.get(id)?.context;
    if (!context) return null;
    const text = await Promise.race([context, Bun.sleep(briefMs).then(() => null)]);
    return text === null ? null : { text, isEmbedded: this.#takesEmbedded };
  }

  /** The session has its brief. */
  markGiven(id: string): void {
    const session = this.#sessions.get(id);
    if (session) session.context = null;
  }

  /** The agent has ended, and its sessions with it. @param failure why it failed; null if it did not */
  async close(failure: string | null): Promise<void> {
    const open = [...this.#sessions.values()];
    for (const session of open) this.#end(session, failure);
    await Promise.race([Promise.all(open.map(({ reports }) => reports.written)), Bun.sleep(settleMs)]);
  }

  #with(id: string, act: (session: Session) => void): void {
    const session = this.#sessions.get(id);
    if (session) act(session);
  }

  #end(session: Session, failure: string | null): void {
    const { prompts, toolCalls, problem } = session;
    const reason = failure ?? (problem === null ? undefined : `prompt error ${problem}`);
    const counts = ` (${counted(prompts, "prompt")}, ${counted(toolCalls, "tool call")})`;
    const event: SessionEvent = reason === undefined ? { phase: "end" } : { phase: "failed", reason };
    session.reports.event(event, counts);
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
