/** All reads and writes of the inbox, and of its digests by email. */
import type { DigestReads, DigestWrites } from "../../src/integrations/port.ts";
import type { InboxReads, InboxWrites } from "../../src/overview/port.ts";
import type { Session } from "../engine/session.ts";
import { inboxReads, inboxWrites } from "../overview/inbox/inbox.ts";
import { digestReads, digestWrites } from "./email/digests.ts";

export const notificationReads = (session: Session): InboxReads & DigestReads => ({
  ...inboxReads(session),
  ...digestReads(session),
});

export const notificationWrites = (session: Session): InboxWrites & DigestWrites => ({
  ...inboxWrites(session),
  ...digestWrites(session),
});
