/** The list of raw operations, in the order of the OpenAPI document. */
import { agentHookOperations } from "./agent-hooks.ts";
import { gateways } from "./gateways.ts";
import { otlp } from "./otlp.ts";
import type { RawOperation } from "./raw-operation.ts";
import { uploads } from "./uploads.ts";
import { webhooks } from "./webhooks.ts";

export const rawOperations: readonly RawOperation[] = [
  ...webhooks,
  ...agentHookOperations,
  ...uploads,
  ...otlp,
  ...gateways,
];
