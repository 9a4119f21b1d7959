/**
 * Cloudflare's notifications about Pages deployments. Cloudflare documents the envelope, but not the keys of
 * `data`: the event and the environment are searched in its values, then in the text.
 */
import { type Static, Type } from "@sinclair/typebox";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { Nullable } from "../../core/wire.ts";
import { OptionalText, requireSchema } from "../incoming-webhooks/mapping.ts";
import { json, type Sender } from "../incoming-webhooks/sender.ts";
import { isSecret, sha256 } from "../incoming-webhooks/signatures.ts";
import { notUsed, previewEvent } from "./preview-event.ts";

const Notification = Type.Object({
  name: OptionalText,
  text: OptionalText,
  alert_type: OptionalText,
  data: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
});

export const cloudflare: Sender = {
  label: "Cloudflare Pages",
  docs: "/docs/forges#previews",
  media: json,
  proof: "cf-webhook-auth",
  headers: {},
  isAuthentic: ({ headers }, secret) => isSecret(headers.get("cf-webhook-auth"), secret),
  parse(delivery) {
    requireSchema("a Cloudflare notification", Notification, delivery.body);
    const { alert_type, text, data } = delivery.body as Static<typeof Notification>;
    if (alert_type !== "pages_event_alert") return notUsed(`alert ${cleanLine(alert_type ?? "", 64)}`);
    const values = Object.values(data ?? {}).filter((value) => typeof value === "string");
    const searched = `${values.join(" ")} ${text ?? ""}`;
    const [outcome] = /\b(?:EVENT_DEPLOYMENT_)?(SUCCESS|FAILED|FAILURE)/i.exec(searched) ?? [];
    if (!outcome) return notUsed("a deployment that has not ended");
    return previewEvent(delivery, {
      sender: "cloudflare",
      id: sha256(delivery.bytes),
      isReady: /success/i.test(outcome),
      name: values.length > 0 && typeof data?.project_name === "string" ? data.project_name : null,
      isProduction: /\b(ENVIRONMENT_)?PRODUCTION\b/i.test(values.join(" ")),
      url: values.find((value) => /^https:\/\/[^ ]+\.pages\.dev(\/|$)/.test(value)),
      repository: null,
    });
  },
};
