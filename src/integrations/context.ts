/** What operations on senders and receivers work with. */
import type { OverviewContext } from "../overview/context.ts";
import type { IntegrationsData } from "./port.ts";

export interface IntegrationsContext extends OverviewContext {
  data: IntegrationsData;
}
