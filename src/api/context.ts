/** What every surface works with: the context of all rooms. */
export type { IntegrationsContext as Context } from "../integrations/context.ts";
