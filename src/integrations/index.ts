/** The door of the integrations: other rooms, `db` and `cli` import these files, and no others. */
export * from "./agent-hooks/agent-hooks.ts";
export * from "./agent-hooks/edited-files.ts";
export * from "./agent-hooks/hooked-agents.ts";
export * from "./agent-hooks/receive.ts";
export * from "./agent-hooks/sent-fields.ts";
export * from "./agent-hooks/session-context.ts";
export * from "./agent-hooks/session-report.ts";
export * from "./backfill/schema.ts";
export * from "./context.ts";
export * from "./email/deliver.ts";
export * from "./email/digests.ts";
export * from "./email/links.ts";
export * from "./email/schema.ts";
export * from "./email/sign-in-renewal.ts";
export * from "./forges/forges.ts";
export * from "./incoming-webhooks/receive.ts";
export * from "./incoming-webhooks/received.ts";
export * from "./incoming-webhooks/schema.ts";
export {
  json,
  jsonOrForm,
  type ParsedDelivery,
  type Sender,
  type SetupReport,
  type SignedRequest,
} from "./incoming-webhooks/sender.ts";
export * from "./incoming-webhooks/senders.ts";
export * from "./incoming-webhooks/signatures.ts";
export * from "./offboarding/schema.ts";
export * from "./operations/backfill.ts";
export * from "./operations/email.ts";
export * from "./operations/offboarding.ts";
export * from "./operations/share-links.ts";
export * from "./operations/webhooks.ts";
export * from "./outbox/outbox.ts";
export * from "./port.ts";
export * from "./rows.ts";
export * from "./telemetry/gateways/langfuse.ts";
export * from "./telemetry/gateways/litellm.ts";
export * from "./telemetry/ingest.ts";
export * from "./telemetry/map.ts";
export * from "./telemetry/otlp/body.ts";
export * from "./telemetry/otlp/read-records.ts";
export * from "./telemetry/otlp/schema.ts";
export * from "./telemetry/prices.ts";
export * from "./telemetry/sources/source.ts";
export * from "./telemetry/unplaced.ts";
export * from "./webhooks/delivery/delivery.ts";

export { matches, type Position, sourceKey, webhookPagePath } from "./webhooks/delivery/source.ts";
export * from "./webhooks/formats/formats.ts";
export * from "./webhooks/schema.ts";
