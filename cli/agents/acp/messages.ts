/** What messages of the Agent Client Protocol say of sessions. No text of a prompt or an answer is kept. */

/** What happens in a session, by the messages of both sides. */
export interface AcpEvents {
  /** The agent has told its name, and whether it takes context as an embedded resource. */
  onAgent(name: string | undefined, takesEmbedded: boolean): void;
  onStart(session: string, folder: string | undefined, isNew: boolean): void;
  onPrompt(session: string): void;
  /** @param problem the code of the error that the prompt ended with; null if it did not fail */
  onPromptEnd(session: string, problem: number | null): void;
  /** @param isAsked whether the agent asks for an answer, or has got it */
  onQuestion(session: string, isAsked: boolean): void;
  onToolStart(session: string, id: string, kind: string): void;
  onToolEnd(session: string, id: string, hasFailed: boolean): void;
  /** @param dollars what the session has cost so far */
  onCost(session: string, dollars: number): void;
  onEnd(session: string): void;
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: Fields | null;
  result?: Fields | null;
  error?: { code?: unknown } | null;
}
type Fields = Record<string, unknown>;

interface Pending {
  method: string;
  session: string | undefined;
  folder: string | undefined;
}

const starts = new Set(["session/new", "session/load", "session/resume", "session/fork"]);
const questions = new Set(["session/request_permission", "elicitation/create"]);
/** An agent that never answers does not fill the memory. */
const pendingMax = 10_000;

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

/** Reads the messages of both sides. */
export class AcpReader {
  /** Requests of each side without an answer, by the JSON of their id. */
  readonly #ofClient = new Map<string, Pending>();
  readonly #ofAgent = new Map<string, Pending>();

  constructor(readonly events: AcpEvents) {}

  /** @returns the session of a prompt; undefined for any other message */
  readClient(line: Uint8Array): string | undefined {
    const message = parse(line);
    const method = text(message.method);
    const { sessionId, cwd } = fields(message.params);
    const session = text(sessionId);
    if (method === undefined) {
      const question = take(this.#ofAgent, message.id);
      if (question?.session !== undefined) this.events.onQuestion(question.session, false);
      return undefined;
    }
    if (message.id !== undefined)
      remember(this.#ofClient, message.id, { method, session, folder: text(cwd) });
    if (method !== "session/prompt" || session === undefined) return undefined;
    this.events.onPrompt(session);
    return session;
  }

  readAgent(line: Uint8Array): void {
    const message = parse(line);
    const method = text(message.method);
    const params = fields(message.params);
    const session = text(params.sessionId);
    if (method === undefined) this.#readAnswer(message);
    else if (session === undefined) return;
    else if (method === "session/update") this.#readUpdate(session, fields(params.update));
    else if (questions.has(method) && message.id !== undefined) {
      remember(this.#ofAgent, message.id, { method, session, folder: undefined });
      this.events.onQuestion(session, true);
    }
  }

  #readAnswer({ id, result, error }: Message): void {
    const request = take(this.#ofClient, id);
    if (!request) return;
    const { method, session, folder } = request;
    const isPrompt = method === "session/prompt" && session !== undefined;
    if (isPrompt) this.events.onPromptEnd(session, error ? Number(error.code) || 0 : null);
    if (isPrompt || error) return;
    const answer = fields(result);
    const started = text(answer.sessionId) ?? session;
    if (method === "initialize") {
      const { promptCapabilities } = fields(answer.agentCapabilities);
      this.events.onAgent(
        text(fields(answer.agentInfo).name),
        fields(promptCapabilities).embeddedContext === true,
      );
    } else if (starts.has(method) && started !== undefined)
      this.events.onStart(started, folder, method === "session/new" || method === "session/fork");
    else if (method === "session/close" && session !== undefined) this.events.onEnd(session);
  }

  #readUpdate(session: string, update: Fields): void {
    const { sessionUpdate: type, toolCallId, kind, status, cost } = update;
    const id = text(toolCallId);
    if (type === "tool_call" && id !== undefined) this.events.onToolStart(session, id, text(kind) ?? "other");
    if ((type === "tool_call" || type === "tool_call_update") && id !== undefined)
      if (status === "completed" || status === "failed")
        this.events.onToolEnd(session, id, status === "failed");
    const { amount, currency } = fields(cost);
    if (type === "usage_update" && currency === "USD" && typeof amount === "number")
      this.events.onCost(session, amount);
  }
}

/** The fields of a message; none for a line that is not one, which passes on as it is. */
function parse(line: Uint8Array): Message {
  try {
    return fields(JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString()));
  } catch {
    return {};
  }
}

function remember(pending: Map<string, Pending>, id: unknown, request: Pending): void {
  if (pending.size < pendingMax) pending.set(JSON.stringify(id), request);
}

function take(pending: Map<string, Pending>, id: unknown): Pending | undefined {
  const key = JSON.stringify(id);
  const request = pending.get(key);
  pending.delete(key);
  return request;
}
