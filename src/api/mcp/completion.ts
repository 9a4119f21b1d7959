/**
 * Argument completion for project slugs, model ids and asset ids. Returns only what the caller may see, and
 * nothing without the scope.
 */
import {
  type CompleteRequestParams,
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { authorize } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { Problem } from "../../core/problem.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import type { AssetList } from "../../library/assets/schema.ts";
import type { Context } from "../context.ts";
import { invoke } from "../operations/invoke.ts";
import { prompts } from "./prompts.ts";
import { resourceTemplates } from "./resources/resources.ts";
import { findTool, runTool } from "./tools/tools.ts";

const valuesMax = 100;
/** Pages of projects to search; a longer prefix finds the rest. */
const pagesMax = 10;

type Completer = (ctx: Context, caller: Caller, prefix: string) => Promise<string[]>;

/** Completers by argument name. */
const completers: Record<string, Completer> = {
  slug: completeSlugs,
  project: completeSlugs,
  model: completeModels,
  id: assetCompleter({}),
  asset: assetCompleter({ status: "rejected" }),
};

/**
 * `completion/complete`: values for an argument of a prompt or a resource template; none without the scope.
 */
export async function complete(
  ctx: Context,
  caller: Caller,
  { ref, argument }: CompleteRequestParams,
): Promise<CompleteResult> {
  requireExistingRef(ref);
  const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  const values = (await completer?.(ctx, caller, argument.value).catch(emptyWithoutScope)) ?? [];
  return {
    completion: {
      values: values.slice(0, valuesMax),
      total: values.length,
      hasMore: values.length > valuesMax,
    },
  };
}

function requireExistingRef(ref: CompleteRequestParams["ref"]): void {
  const exists =
    ref.type === "ref/prompt"
      ? prompts.some(({ name }) => name === ref.name)
      : resourceTemplates.some(({ uriTemplate }) => uriTemplate === ref.uri);
  if (!exists)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown prompt or resource template.");
}

function emptyWithoutScope(error: unknown): string[] {
  if (error instanceof Problem && (error.status === 401 || error.status === 403)) return [];
  throw error;
}

async function completeSlugs(ctx: Context, caller: Caller, prefix: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax && found.length <= valuesMax; page++) {
    const input = new Map<string, unknown>(cursor === null ? [] : [["cursor", cursor]]);
    const list = (await invoke(listProjects, ctx, caller, () => input)) as ProjectList;
    found.push(...list.projects.map(({ slug }) => slug).filter((slug) => slug.startsWith(prefix)));
    if ((cursor = list.next_cursor) === null) break;
  }
  return found;
}

async function completeModels(ctx: Context, caller: Caller, prefix: string): Promise<string[]> {
  authorize(caller, "memory:read", ctx.config);
  return (await ctx.data.models()).map(({ id }) => id).filter((id) => id.startsWith(prefix));
}

/** Completes the ids of the newest assets. */
function assetCompleter(filter: Record<string, unknown>): Completer {
  return async (ctx, caller, prefix) => {
    const op = findTool("svc_asset_list");
    if (!op) return [];
    const { value } = await runTool(ctx, caller, op, { ...filter, limit: 200 });
    return (value as AssetList).assets.map(({ id }) => id).filter((id) => id.startsWith(prefix));
  };
}
