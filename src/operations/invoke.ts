/** The one door every surface goes through. */
import { actionOf, subjectOf, withAuditRow } from "../audit/action.ts";
import { authorize, type Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { checkInput } from "../lib/validate.ts";
import { measure } from "../metrics.ts";
import { notImplemented, Problem } from "../problem.ts";
import type { Operation } from "./operation.ts";

type Input = ReadonlyMap<string, unknown>;

/**
 * Scope first, then the input, then the rule. `read` gathers the input: nothing of a body is looked at for a
 * caller who may not send it. What writes leaves a row of the audit with what it wrote; what was refused is
 * counted.
 */
export async function invoke(
  op: Operation,
  ctx: Context,
  caller: Caller,
  read: Read,
): Promise<Awaited<ReturnType<Operation["run"]>>> {
  const { operations, operationDuration, operationsInFlight } = ctx.metrics;
  const meter = { duration: operationDuration.of(op.id), inFlight: operationsInFlight.of(op.id) };
  let status: number = op.http?.status ?? 200;
  try {
    return await measure(meter, () => checkedRun(op, ctx, caller, read));
  } catch (error) {
    status = error instanceof Problem ? error.status : 500;
    throw error;
  } finally {
    operations.of(op.id, String(status)).add();
  }
}

type Read = () => Input | Promise<Input>;

async function checkedRun(
  op: Operation,
  ctx: Context,
  caller: Caller,
  read: Read,
): Promise<Awaited<ReturnType<Operation["run"]>>> {
  let given: Input | undefined;
  try {
    authorize(caller, op.scope, ctx.config);
    if (op.writes && ctx.config.mock)
      throw notImplemented("This deployment shows demo data and takes no writes.");
    if (op.needs && !ctx[op.needs])
      throw notImplemented(`This deployment has no ${op.needs === "store" ? "asset" : "public"} store.`);
    given = await read();
    const written = op.writes
      ? withAuditRow(ctx, { ...actNamed(op, caller), ...subjectOf(Object.fromEntries(given)) })
      : ctx;
    // A form is a stream: its rule checks each field when it comes, by the same schema.
    if (op.http?.media === "multipart/form-data")
      return await op.run(written, Object.fromEntries(given), caller);
    return await op.run(written, checkInput(op.input, given), caller);
  } catch (error) {
    if (op.writes || isAccess(error))
      ctx.audit.recordRefusal(
        { ...actNamed(op, caller), ...subjectOf(Object.fromEntries(given ?? [])) },
        error,
      );
    throw error;
  }
}

const actNamed = (op: Operation, caller: Caller) => {
  const act = actionOf(caller, op.id);
  return act.via === "mcp" || act.via === "stdio" ? { ...act, what: op.tool?.name ?? op.id } : act;
};

/** Of what only reads, a refusal is worth a word where it says who may. */
const isAccess = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 401 || error.status === 403);
