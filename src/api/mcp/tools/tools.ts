/**
 * Operations as MCP tools. A tool is a row of `src/<room>/operations`; its arguments are the input of the
 * row, a schema in the `schema.ts` of its noun.
 */
import type { Caller } from "../../../core/auth/caller.ts";
import type { RequestControl } from "../../../core/context.ts";
import { dataTagger, tagData } from "../../../core/lib/strings/untrusted-text.ts";
import type { Operation, ToolBinding } from "../../../core/operation.ts";
import { Json } from "../../../core/rendered-json.ts";
import type { Context } from "../../context.ts";
import { toolOperations } from "../../operations/index.ts";
import { invoke } from "../../operations/invoke.ts";

/** Resolves the caller of each request: a token may be revoked while a connection is open. */
export type ResolveCaller = () => Caller | Promise<Caller>;

export type ToolOperation = Operation & { tool: ToolBinding };

const toolsByName = new Map(toolOperations.map((op) => [op.tool.name, op]));

export const findTool = (name: string): ToolOperation | undefined => toolsByName.get(name);

/** The output of a tool. Each form of it is made when it is read. */
class ToolOutput {
  constructor(
    readonly op: ToolOperation,
    readonly output: unknown,
    readonly secret: string,
  ) {}

  get value(): unknown {
    return this.output instanceof Json ? JSON.parse(this.output.text) : this.output;
  }

  get json(): string {
    return this.output instanceof Json ? this.output.text : JSON.stringify(this.output);
  }

  /** For a model. */
  get text(): string {
    const { tool } = this.op;
    return tool.text
      ? tool.text(this.value, dataTagger(this.secret))
      : jsonForModel(this.op, this.secret, this.json);
  }
}

/** Public output is written by the service. Other output may contain text that its named authors wrote. */
export const jsonForModel = ({ scope }: ToolOperation, secret: string, json: string): string =>
  scope === "public" ? json : tagData(secret, "the authors named in it", json);

/** Runs the operation of a tool. @throws Problem if it is refused */
export async function runTool(
  ctx: Context,
  caller: Caller,
  op: ToolOperation,
  args: Record<string, unknown>,
  control?: RequestControl,
): Promise<ToolOutput> {
  const output = await invoke(op, ctx, caller, () => new Map(Object.entries(args)), control);
  return new ToolOutput(op, output, ctx.secret);
}
