/** All reads and writes of the inbox, and of its digests by email. */
import type { IntegrationsReads, IntegrationsWrites } from "../../src/integrations/port.ts";
import type { Session } from "../engine/session.ts";
import { inboxReads, inboxWrites } from "../overview/inbox/inbox.ts";
import { digestReads, digestWrites } from "./email/digests.ts";

export const notificationReads = (session: Session) =>
  ({
    ...inboxReads(session),
    ...digestReads(session),
  }) satisfies Partial<IntegrationsReads>;

export const notificationWrites = (session: Session) =>
  ({
    ...inboxWrites(session),
    ...digestWrites(session),
  }) satisfies Partial<IntegrationsWrites>;
