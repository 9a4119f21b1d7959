/** Runs an operation on behalf of a caller. HTTP and MCP both go through it. */
import { actionOf, type Subject, subjectOf } from "../../core/audit/action.ts";
import type { Action } from "../../core/audit/port.ts";
import { authorize, requireAdmin, requireToken } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { type PersonDoor, personDoor } from "../../core/auth/persons.ts";
import type { RequestControl } from "../../core/context.ts";
import { type FormPart, withFileForm } from "../../core/lib/http/file-form.ts";
import { checkInput } from "../../core/lib/validate.ts";
import type { Operation } from "../../core/operation.ts";
import { notImplemented, Problem } from "../../core/problem.ts";
import { withAuditRow } from "../../feed/audit-row.ts";
import type { Context } from "../context.ts";

type Input = ReadonlyMap<string, unknown>;

/**
 * Checks the scope, reads and validates the input, then runs the operation. `readInput` is called only after
 * the scope check, so the body of an unauthorized request is never read. A write adds an audit row in its own
 * transaction; refused writes and denied access are audited too. @throws Problem
 */
export async function invoke(
  op: Operation,
  ctx: Context,
  caller: Caller,
  readInput: ReadInput,
  control?: RequestControl,
): Promise<Awaited<ReturnType<Operation["run"]>>> {
  const { operations, operationDuration, operationsInFlight } = ctx.metrics;
  const inFlight = operationsInFlight.of(op.id);
  const startedAt = performance.now();
  let status: number = op.http?.status ?? 200;
  let subject = subjectOf(null);
  let door: PersonDoor | null = null;
  inFlight.add(1);
  try {
    requireAccess(op, ctx, caller);
    door = await personDoor(ctx, caller);
    const given = await readInput();
    if (!isFields(given))
      return await withFileForm(op.input, given, async (form) => {
        subject = subjectOf(form.earlyFields);
        const answer = await op.run(auditedContext(op, ctx, caller, subject), form, caller);
        return door ? door.hide(answer) : answer;
      });
    subject = subjectOf(Object.fromEntries(given));
    const checked = checkInput(op.input, given);
    const input = door ? door.reveal(checked) : checked;
    const answer = await op.run(auditedContext(op, ctx, caller, subject), input, caller, control);
    return door ? door.hide(answer) : answer;
  } catch (error) {
    status = error instanceof Problem ? error.status : 500;
    if (door && error instanceof Problem) error.detail = door.hideText(error.detail);
    if (op.writes || isAccessDenied(error)) ctx.audit.recordRefusal(auditAct(op, caller, subject), error);
    throw error;
  } finally {
    inFlight.add(-1);
    operationDuration.of(op.id).observe((performance.now() - startedAt) / 1000);
    operations.of(op.id, String(status)).add();
  }
}

/** Fields, or the parts of a form with a file. */
type Given = Input | AsyncIterable<FormPart>;
type ReadInput = () => Given | Promise<Given>;

function requireAccess(op: Operation, ctx: Context, caller: Caller): void {
  if (!op.isPersonal || caller.session === undefined) authorize(caller, op.scope, ctx.config);
  if (op.token === "any") requireToken(caller, ctx.config);
  if (op.token === "admin") requireAdmin(caller, ctx.config);
  if (op.writes && ctx.config.mock)
    throw notImplemented("This deployment shows demo data and takes no writes.");
  if (op.needs && !ctx[op.needs])
    throw notImplemented(`This deployment has no ${op.needs === "store" ? "asset" : "public"} store.`);
}

const isFields = (given: Given): given is Input => given instanceof Map;

const auditedContext = (op: Operation, ctx: Context, caller: Caller, subject: Subject): Context =>
  op.writes ? withAuditRow(ctx, auditAct(op, caller, subject), caller) : ctx;

/** Not copied, which would read the address. */
function auditAct(op: Operation, caller: Caller, subject: Subject): Action {
  const act = actionOf(caller, op.id);
  if (act.via === "mcp" || act.via === "stdio") act.what = op.tool?.name ?? op.id;
  return Object.assign(act, subject);
}

/** Refused reads are audited only when access was denied. */
const isAccessDenied = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 401 || error.status === 403);
