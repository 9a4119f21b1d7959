/** What operations on senders and receivers work with. */
import type { Rule } from "../core/operation.ts";
import type { OverviewContext } from "../overview/context.ts";
import type { IntegrationsData } from "./port.ts";

export interface IntegrationsContext extends OverviewContext {
  data: IntegrationsData;
}

export type IntegrationsRule<I, O> = Rule<IntegrationsContext, I, O>;
