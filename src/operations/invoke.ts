/** The one door every surface goes through. */
import { authorize, type Caller } from "../auth/caller.ts";
import { checkInput } from "../check.ts";
import type { Context } from "../context.ts";
import { measured } from "../metrics.ts";
import { notImplemented, Problem } from "../problem.ts";
import type { Operation } from "./operation.ts";

/**
 * Scope first, then the input, then the rule. `read` gathers the input: nothing of a body is looked at for a caller who
 * may not send it.
 */
export async function invoke(op: Operation, ctx: Context, caller: Caller, read: Read): ReturnType<Operation["run"]> {
  const { operations, operationDuration, operationsInFlight } = ctx.metrics;
  const meter = { duration: operationDuration.of(op.id), inFlight: operationsInFlight.of(op.id) };
  let status: number = op.http?.status ?? 200;
  try {
    return await measured(meter, () => checkedRun(op, ctx, caller, read));
  } catch (error) {
    status = error instanceof Problem ? error.status : 500;
    throw error;
  } finally {
    operations.of(op.id, String(status)).add();
  }
}

type Read = () => ReadonlyMap<string, unknown> | Promise<ReadonlyMap<string, unknown>>;

async function checkedRun(op: Operation, ctx: Context, caller: Caller, read: Read): ReturnType<Operation["run"]> {
  authorize(caller, op.scope, ctx.config);
  if (op.writes && ctx.config.mock) throw notImplemented("This deployment shows demo data and takes no writes.");
  if (op.needs && !ctx[op.needs]) throw notImplemented(`This deployment has no ${op.needs === "store" ? "asset" : "public"} store.`);
  const given = await read();
  // A form is a stream: its rule checks each field when it comes, by the same schema.
  if (op.http?.media === "multipart/form-data") return op.run(ctx, Object.fromEntries(given), caller);
  return op.run(ctx, checkInput(op.input, given), caller);
}
