/** The operation that takes sessions of the past from an agent's own files. */
import { operationOf } from "../../core/operation.ts";
import { backfillRuns as backfill } from "../backfill/backfill.ts";
import { BackfillRequest, BackfillResult } from "../backfill/schema.ts";
import type { IntegrationsContext } from "../context.ts";

const operation = operationOf<IntegrationsContext>("runs");

export const backfillRuns = operation({
  id: "backfillRuns",
  summary: "Backfill runs",
  description:
    "Sessions of the past, which `svc backfill` reads from the files of agents. Their events keep their " +
    "times, and cause no notification. What hooks or telemetry have reported is not added again.",
  scope: "feed:write",
  http: { method: "POST", path: "/runs/backfill", body: "BackfillRequest", bodyBytesMax: 4 * 2 ** 20 },
  input: BackfillRequest,
  output: BackfillResult,
  run: (ctx, input, caller) => backfill(ctx, input, caller),
});
