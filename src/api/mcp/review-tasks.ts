/**
 * Waits for reviews as tasks: the extension `io.modelcontextprotocol/tasks` (SEP-2663, final), for clients
 * that declare it on their request. Nothing is stored: the id of a task is what it waits for, signed, and its
 * state is that of the reviews, so it survives restarts, and any server of the deployment answers. A task
 * belongs to no token: each question needs the scope that the wait needs.
 */
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { constantTimeEqual } from "../../core/lib/constant-time.ts";
import type { Context } from "../context.ts";

const waitTool = "svc_wait_for_review";
const extension = "io.modelcontextprotocol/tasks";
const ttlMs = 7 * 86_400_000;
const pollIntervalMs = 15_000;

type Params = CallToolRequest["params"];
type TaskResult = Record<string, unknown>;
type CallTool = (params: Params) => Promise<CallToolResult>;

/** What a task waits for, and since when, in milliseconds since 1970. */
interface Wait {
  at: number;
  args: Record<string, unknown>;
}

const declaresTasks = ({ mcpReq }: ServerContext): boolean => {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.extensions?.[extension] !== undefined;
};

/** Whether a call waits for a person, and its client takes a task in place of the wait. */
export const becomesTask = ({ name, arguments: args }: Params, request: ServerContext): boolean =>
  name === waitTool && declaresTasks(request) && Number(args?.timeout_s ?? 1) !== 0;

/** The result of the wait if there is one already, else a task. */
export async function startTask(
  ctx: Context,
  { arguments: args = {} }: Params,
  call: CallTool,
): Promise<TaskResult> {
  const result = await ask(call, args);
  if (!isPending(result)) return result;
  const wait = { at: Math.floor(ctx.now() / 1_000), args };
  return { resultType: "task", ...workingTask(ctx, wait, result) };
}

/** The state of a task. @throws ProtocolError for an id that is not known, or has expired */
export async function readTask(
  ctx: Context,
  taskId: string,
  request: ServerContext,
  call: CallTool,
): Promise<TaskResult> {
  const wait = waitOf(ctx, taskId, request);
  const result = await ask(call, wait.args);
  if (isPending(result)) return workingTask(ctx, wait, result);
  const lastUpdatedAt = new Date(ctx.now() / 1_000).toISOString();
  return { ...workingTask(ctx, wait, result), status: "completed", lastUpdatedAt, result };
}

/** Acknowledges that a client takes no interest in a task any more, or sends it what it did not ask for. */
export function acknowledge(ctx: Context, taskId: string, request: ServerContext): TaskResult {
  waitOf(ctx, taskId, request);
  return {};
}

const ask = (call: CallTool, args: Wait["args"]): Promise<CallToolResult> =>
  call({ name: waitTool, arguments: { ...args, timeout_s: 0 } });

interface Answer {
  state?: unknown;
  items?: { status: string; review_url?: string | null }[];
}
const answerOf = ({ structuredContent }: CallToolResult): Answer => structuredContent ?? {};

const isPending = (result: CallToolResult): boolean => answerOf(result).state === "pending";

function workingTask(ctx: Context, wait: Wait, result: CallToolResult) {
  const createdAt = new Date(wait.at).toISOString();
  const { items = [] } = answerOf(result);
  const { review_url: url } = items.find(({ status }) => status === "pending") ?? {};
  return {
    taskId: idOf(ctx, wait),
    status: "working",
    ...(url && { statusMessage: `Waiting for a person to review it at ${url}` }),
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs,
    pollIntervalMs,
  };
}

const signatureOf = ({ secret }: Context, text: string): string =>
  new Bun.CryptoHasher("sha256", `svc review task ${secret}`).update(text).digest("base64url");

function idOf(ctx: Context, wait: Wait): string {
  const text = Buffer.from(JSON.stringify([wait.at, wait.args])).toString("base64url");
  return `${text}.${signatureOf(ctx, text)}`;
}

function waitOf(ctx: Context, taskId: string, request: ServerContext): Wait {
  if (!declaresTasks(request))
    throw new MissingRequiredClientCapabilityError({
      requiredCapabilities: { extensions: { [extension]: {} } },
    });
  const [text = "", signature = ""] = taskId.split(".");
  if (!constantTimeEqual(signature, signatureOf(ctx, text))) throw unknownTask("is not known");
  const [at, args] = JSON.parse(Buffer.from(text, "base64url").toString()) as [number, Wait["args"]];
  if (ctx.now() / 1_000 > at + ttlMs) throw unknownTask("has expired");
  return { at, args };
}

const unknownTask = (problem: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `The task ${problem}. Call ${waitTool} again.`);
