/** Hooks of agents over HTTP: a session needs no `svc` on its machine, only the URL and a token. */
import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../core/auth/caller.ts";
import { paths } from "../../../core/info.ts";
import { parseJson, readBytes, requireJson } from "../../../core/lib/http/request-body.ts";
import { badRequest, notFound } from "../../../core/problem.ts";
import type { HookInput } from "../../../integrations/agent-hooks/agent-hooks.ts";
import { agentHooks, type HookedAgent } from "../../../integrations/agent-hooks/hooked-agents.ts";
import { type HookOrigin, receiveHook } from "../../../integrations/agent-hooks/receive.ts";
import type { Context } from "../../context.ts";
import { pathOf } from "../../http/api-middleware.ts";
import { bearer, jsonContent, type RawOperation, type RawParameter } from "./raw-operation.ts";

const MiB = 2 ** 20;
/** The output of a tool can be in a hook. */
const hookBytesMax = 4 * MiB;

const names = Object.keys(agentHooks) as HookedAgent[];

/** The field of a session's place → the header that a hook sends it in. */
const originHeaders = {
  repository: "svc-repository",
  branch: "svc-branch",
  email: "svc-email",
  task: "svc-task",
} as const;

const header = (description: string, example: string): RawParameter => ({
  in: "header",
  required: false,
  description,
  schema: Type.String({ maxLength: 2048 }),
  example,
});

export const agentHookOperations: readonly RawOperation[] = [
  {
    id: "receiveAgentHook",
    tag: "runs",
    method: "POST",
    path: `${paths.hooks}/agents/{agent}`,
    server: { of: "siteUrl", description: "The site root: hooks have the form of each agent." },
    summary: "Receive a hook of an agent",
    description:
      "The JSON that the agent gives its hooks. The session becomes a run; the answer to its start is what " +
      "the agent adds to the session: its brief. Prompts, answers and what tools read are dropped.\n\n" +
      "Scope `feed:write`, and `memory:read` for the brief.",
    token: { scope: "feed:write", limit: { name: "hooks", counter: "hooks", factor: 10 } },
    security: { bearer },
    parameters: {
      agent: {
        in: "path",
        required: true,
        description: "The agent.",
        schema: Type.Unsafe<HookedAgent>({ type: "string", enum: names }),
        example: "claude-code",
      },
      hook: {
        in: "query",
        required: false,
        description: "Name of the hook, if its JSON has none.",
        schema: Type.String(),
        example: "sessionStart",
      },
      [originHeaders.repository]: header(
        "URL of the remote `origin`. Without it, the project is that of the run, or the token's only one.",
        "git@github.com:acme/atlas.git",
      ),
      [originHeaders.branch]: header("Branch, which can name the task.", "issue-12"),
      [originHeaders.email]: header("Who commits there.", "dana@example.com"),
      [originHeaders.task]: header("Task, in place of the one that the branch names.", "PROJ-123"),
    },
    body: {
      content: jsonContent(Type.Unsafe<object>({ type: "object", description: "As the agent writes it." }), {
        hook_event_name: "SessionStart",
        session_id: "01a2",
        source: "startup",
      }),
    },
    responses: {
      200: {
        description: "The output of the hook, in the form of the agent; empty if it adds nothing.",
        content: jsonContent(Type.Unsafe<object>({ type: "object" }), {}),
      },
    },
    errors: [400, 401, 403, 404, 405, 413, 415, 429, 500, 501, 503],
    handler: (ctx) => (request, _, caller) => receive(ctx, request, caller),
  },
];

async function receive(ctx: Context, request: Request, caller: Caller): Promise<Response> {
  // No id of an agent needs percent-encoding.
  const agent = pathOf(request.url).split("/").at(-1) ?? "";
  if (!Object.hasOwn(agentHooks, agent))
    throw notFound(`No hooks of the agent ${JSON.stringify(agent)} are known. Known: ${names.join(", ")}.`);
  requireJson(request);
  const input = parseJson(await readBytes(request, hookBytesMax, null));
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw badRequest("The body is not a JSON object.");
  const hook = new URL(request.url).searchParams.get("hook") ?? undefined;
  const answer = await receiveHook(
    ctx,
    agent as HookedAgent,
    hook,
    input as HookInput,
    originIn(request),
    caller,
  );
  return Response.json(answer, { headers: { "cache-control": "no-store" } });
}

function originIn({ headers }: Request): HookOrigin {
  const sent = Object.entries(originHeaders).map(([field, name]) => [field, textOf(headers.get(name))]);
  return Object.fromEntries(sent.filter(([, value]) => value)) as HookOrigin;
}

/** Programs write headers in UTF-8, which are read as Latin-1. */
const textOf = (header: string | null): string =>
  Buffer.from(header ?? "", "latin1")
    .toString()
    .trim();
