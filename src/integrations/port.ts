/** The reads and writes of senders and receivers. Part of the data port. */

import type { OverviewData, OverviewReads, OverviewWrites } from "../overview/port.ts";
import type { DigestReads, DigestWrites } from "./email/port.ts";
import type { TelemetryReads, TelemetryWrites } from "./telemetry/port.ts";
import type { WebhookReads, WebhookWrites } from "./webhooks/port.ts";

export interface IntegrationsReads extends OverviewReads, TelemetryReads, DigestReads, WebhookReads {}

export interface IntegrationsWrites
  extends IntegrationsReads,
    OverviewWrites,
    TelemetryWrites,
    DigestWrites,
    WebhookWrites {}

export interface IntegrationsData extends IntegrationsReads, OverviewData {
  atomically<T>(work: (writes: IntegrationsWrites) => Promise<T>): Promise<T>;
}
