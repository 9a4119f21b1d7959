/** Ready beginnings of a task: filled with what the memory and the library hold. */
import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { AssetDetail } from "../assets/schema.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { dataTagRule, tagData } from "../lib/data-tags.ts";
import { runTool, toolNamed } from "./tools.ts";

type Arguments = Record<string, string>;

/** Runs a tool for its text and its value. */
type Ask = (tool: string, args: Record<string, unknown>) => ReturnType<typeof runTool>;

interface Filled extends Prompt {
  /** The tool without which there is nothing to fill it with. */
  needs: string;
  fill(ask: Ask, args: Arguments, ctx: Context): Promise<string>;
}

const all: Filled[] = [
  {
    name: "start_task",
    title: "Start a task",
    description:
      "Begin with what the project knows: its brief for what is intended, and the vendor's guidance for the model.",
    arguments: [
      { name: "project", description: "Slug of the project.", required: true },
      { name: "intent", description: "What is to be done, in a sentence." },
      { name: "model", description: "The model that does the work." },
    ],
    needs: "svc_brief",
    fill: startTask,
  },
  {
    name: "address_rejection",
    title: "Address a rejection",
    description: "Make the next version of a rejected asset, from the reviewer's note.",
    arguments: [{ name: "asset", description: "Id of the rejected asset.", required: true }],
    needs: "svc_asset_get",
    fill: addressRejection,
  },
];

const filled = all.filter(({ needs }) => toolNamed(needs));

export const prompts: Prompt[] = filled.map(({ needs: _, fill: __, ...prompt }) => prompt);

export async function getPrompt(
  ctx: Context,
  caller: Caller,
  name: string,
  args: Arguments,
): Promise<GetPromptResult> {
  const prompt = filled.find((one) => one.name === name);
  if (!prompt) throw invalid(`There is no prompt '${name}'; prompts/list names them.`);
  for (const { name, required } of prompt.arguments ?? [])
    if (required && !args[name]) throw invalid(`${name} is required.`);
  const ask: Ask = (tool, said) => {
    const op = toolNamed(tool);
    if (!op) throw invalid(`This server has no ${tool}.`);
    return runTool(ctx, caller, op, said);
  };
  const text = await prompt.fill(ask, args, ctx);
  return {
    description: prompt.description ?? "",
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

async function startTask(ask: Ask, { project, intent, model }: Arguments): Promise<string> {
  const brief = await ask("svc_brief", { project, ...(intent && { intent }) });
  const guidance = model ? await ask("svc_guidance", { model }) : null;
  return [
    `Begin a task in the project ${project}.${intent ? ` What is intended: ${intent}` : ""}`,
    dataTagRule,
    "Follow the current decisions and preferences below; where one stands in the way, say so before you work around it. Before you finish, run the project's check command, and record with svc_decide what the next attempt must know.",
    `# Brief\n\n${brief.text}`,
    ...(guidance ? [`# Guidance for ${model}\n\n${guidance.text}`] : []),
  ].join("\n\n");
}

async function addressRejection(ask: Ask, { asset: id }: Arguments, ctx: Context): Promise<string> {
  const asset = (await ask("svc_asset_get", { id })).value as AssetDetail;
  if (asset.status !== "rejected")
    throw invalid(`Asset ${id} is ${asset.status}: there is no rejection to address.`);
  const note = tagData(ctx.secret, asset.reviewed_by ?? "the reviewer", asset.review_note ?? "");
  const said = [asset.title, asset.description].filter(Boolean).join("\n");
  return [
    `Version ${asset.version} of an asset of the project ${asset.project} was rejected. Make the next version, so that it answers the reviewer's note.`,
    dataTagRule,
    `The note: ${note}`,
    `What the asset says of itself: ${tagData(ctx.secret, asset.created_by, said)}`,
    `It is ${asset.mime}, ${asset.size} bytes; svc://assets/${id} shows it${asset.task_url ? `, its task is ${asset.task_url}` : ""}.`,
    `When it is done, call svc_asset_request_upload with project ${asset.project} and replaces ${id}, send the bytes as it says, and call svc_asset_finalize. The note is a decision of the project now, so svc_brief repeats it until a version is approved.`,
  ].join("\n\n");
}
