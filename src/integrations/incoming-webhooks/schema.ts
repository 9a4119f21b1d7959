/** The responses to deliveries of webhooks. */

import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { Nullable } from "../../core/wire.ts";
import { AppendResult } from "../../feed/ingest/schema.ts";

const ignored = Type.Optional(
  Type.String({ description: "Why nothing was added.", examples: ["repository acme/atlas is not linked"] }),
);

export const DeliveryResult = Type.Object(
  { ...AppendResult.properties, ignored },
  { $id: "DeliveryResult", description: "Result of a webhook delivery." },
);

export type DeliveryResult = Static<typeof DeliveryResult>;

export const WebhookSetup = Type.Object(
  {
    ...DeliveryResult.properties,
    repository: Nullable(
      Type.String({
        description: "Repository of the webhook; null for an organization webhook.",
        examples: ["acme/atlas"],
      }),
    ),
    project: Nullable(Type.String({ description: "Project linked to the repository.", examples: ["atlas"] })),
    events: Type.Array(Type.String(), {
      description: "Events that the webhook sends and svc uses.",
      examples: [["issues", "pull_request"]],
    }),
    missing: Type.Array(Type.String(), {
      description: "Events that svc uses but the webhook does not send.",
      examples: [["workflow_run"]],
    }),
  },
  { $id: "WebhookSetup", description: "Response to `ping`, the first delivery of a webhook." },
);

export type WebhookSetup = Static<typeof WebhookSetup>;
