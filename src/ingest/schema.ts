/** What a webhook is answered. */
import { type Static, Type } from "@sinclair/typebox";
import { AppendResult } from "../feed/schema.ts";
import { Nullable } from "../wire.ts";

const ignored = Type.Optional(
  Type.String({ description: "Why nothing was added.", examples: ["repository acme/atlas is not linked"] }),
);

export const DeliveryResult = Type.Object(
  { ...AppendResult.properties, ignored },
  { $id: "DeliveryResult", description: "What became of a webhook delivery." },
);
export type DeliveryResult = Static<typeof DeliveryResult>;

export const WebhookSetup = Type.Object(
  {
    ...DeliveryResult.properties,
    repository: Nullable(
      Type.String({
        description: "Repository that the webhook belongs to; null for an organization's.",
        examples: ["acme/atlas"],
      }),
    ),
    project: Nullable(Type.String({ description: "Project that is linked to it.", examples: ["atlas"] })),
    events: Type.Array(Type.String(), {
      description: "Events that it sends and that are used.",
      examples: [["issues", "pull_request"]],
    }),
    missing: Type.Array(Type.String(), {
      description: "Events that are used, and that it does not send.",
      examples: [["workflow_run"]],
    }),
  },
  { $id: "WebhookSetup", description: "Answer to the first delivery of a webhook, `ping`." },
);
export type WebhookSetup = Static<typeof WebhookSetup>;
