/** Netlify's deploy notifications. */
import { type Static, Type } from "@sinclair/typebox";
import { type ForgeName, forgeNames, forges, type SourceRepository } from "../../core/forges/schema.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { Nullable } from "../../core/wire.ts";
import { OptionalText, requireSchema } from "../incoming-webhooks/mapping.ts";
import { json, type Sender } from "../incoming-webhooks/sender.ts";
import { isBodyJwt } from "../incoming-webhooks/signatures.ts";
import { notUsed, previewEvent, pullNumber } from "./preview-event.ts";

const Deploy = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  state: Type.String(),
  context: OptionalText,
  branch: OptionalText,
  commit_url: OptionalText,
  error_message: OptionalText,
  deploy_ssl_url: OptionalText,
  admin_url: OptionalText,
  review_id: Type.Optional(Nullable(Type.Union([Type.Number(), Type.String()]))),
});

export const netlify: Sender = {
  label: "Netlify",
  docs: "/docs/forges#previews",
  media: json,
  proof: "X-Webhook-Signature",
  headers: {},
  isAuthentic: ({ headers, bytes }, secret) =>
    isBodyJwt(headers.get("x-webhook-signature"), bytes, secret, "netlify"),
  parse(delivery) {
    requireSchema("a Netlify deploy notification", Deploy, delivery.body);
    const deploy = delivery.body as Static<typeof Deploy>;
    const { id, state, context, branch, error_message, review_id } = deploy;
    if (state !== "ready" && state !== "error") return notUsed(`state ${cleanLine(state, 64)}`);
    const isReady = state === "ready";
    return previewEvent(delivery, {
      sender: "netlify",
      id,
      isReady,
      name: branch,
      isProduction: context === "production",
      detail: isReady ? null : error_message,
      url: isReady ? deploy.deploy_ssl_url : deploy.admin_url,
      pr: pullNumber(review_id),
      repository: repositoryOfCommit(deploy.commit_url),
    });
  },
};

/** The repository in the URL of a commit: what comes before `/commit/`, `/commits/` or `/-/commit/`. */
function repositoryOfCommit(text: string | null | undefined): SourceRepository | null {
  const url = URL.parse(text ?? "");
  const [, full_name] = /^\/(.+?)(?:\/-)?\/commits?\//.exec(url?.pathname ?? "") ?? [];
  const forge = forgeNames.find((name: ForgeName) => forges[name].host === url?.host);
  return forge && full_name ? { forge, host: forges[forge].host, id: null, full_name } : null;
}
