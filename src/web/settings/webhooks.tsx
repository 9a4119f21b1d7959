/** @jsxImportSource preact */
/** The webhooks of the deployment, and how each of them does. */
import { actorName } from "../../core/auth/actor-name.ts";
import { kindTitle } from "../../feed/kinds.ts";
import type { EventKind } from "../../feed/schema.ts";
import { listWebhooks } from "../../integrations/operations/webhooks.ts";
import { webhookPagePath } from "../../integrations/webhooks/delivery/source.ts";
import { formats } from "../../integrations/webhooks/formats/formats.ts";
import type { Webhook, WebhookList } from "../../integrations/webhooks/schema.ts";
import { pluralize } from "../format.ts";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";
import { Code } from "./code.tsx";

/** `svc webhook list` shows all. */
const webhooksMax = 100;

export interface WebhookSummary {
  webhooks: Webhook[];
  count: number;
}

export async function loadWebhooks(view: Pick<View, "ctx" | "visitor">): Promise<WebhookSummary> {
  const { webhooks, count } = await callOperation<WebhookList>(view, listWebhooks);
  return { webhooks: webhooks.slice(0, webhooksMax), count };
}

export const webhookPath = ({ id }: Pick<Webhook, "id">): string => webhookPagePath(id);
export const formatLabel = (format: Webhook["format"]): string => formats[format]?.label ?? format;

/** Its name, or where it sends to. */
export const titleOf = ({ name, url }: Pick<Webhook, "name" | "url">): string => name ?? url;

export const WebhookStatus = ({ webhook: { status } }: { webhook: Pick<Webhook, "status"> }) => (
  <span class={`status ${status === "active" ? "good" : "warn"}`}>{status}</span>
);

/** Classes of outcomes, which color them. */
export const outcomeClasses: Record<string, string> = { delivered: "good", failed: "bad", refused: "bad" };

const columns: readonly Column<Webhook>[] = [
  {
    label: "Webhook",
    isName: true,
    cell: (webhook) => <a href={webhookPath(webhook)}>{titleOf(webhook)}</a>,
  },
  { label: "Format", cell: ({ format }) => formatLabel(format) },
  { label: "Events", class: "wraps", cell: describeFilters },
  { label: "Owner", cell: ({ owner }) => owner ?? "admin" },
  { label: "Status", cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  { label: "Last delivery", cell: (webhook) => <LastDelivery webhook={webhook} /> },
];

export const Webhooks = ({ webhooks, count }: WebhookSummary) => (
  <section id="webhooks">
    <h2>Webhooks</h2>
    {webhooks.length > 0 && (
      <Table label="Webhooks" class="webhooks" columns={columns} rows={webhooks} keyOf={({ id }) => id} />
    )}
    {count > webhooks.length && (
      <p class="soft">{pluralize(count - webhooks.length, "older webhook")} not shown.</p>
    )}
    <p class="soft">
      Webhooks send events to a URL, or to a channel of a chat service:{" "}
      <a href="/docs/webhooks">Notifications and webhooks</a>.
    </p>
    <Code text={"svc webhook add https://example.com/hooks/svc --name deploys --kind run.failed"} />
  </section>
);

function LastDelivery({ webhook: { last_delivery: last } }: { webhook: Webhook }) {
  if (last === null) return <>none yet</>;
  return (
    <>
      <span class={outcomeClasses[last.outcome]}>{last.outcome}</span> <Time ts={last.at} />
    </>
  );
}

/** `Run failed · atlas · above $5`; `all` without filters. */
export function describeFilters({ filters }: Pick<Webhook, "filters">): string {
  const { cost_above, run_id, kind, actor, ...lists } = filters;
  const named = {
    kind: kind?.map((one) => kindTitle(one as EventKind)),
    actor: actor?.map(actorName),
    ...lists,
  };
  const parts = Object.values(named).flatMap((values) => values?.join(", ") ?? []);
  if (run_id !== undefined) parts.push(`run ${run_id}`);
  if (cost_above !== undefined) parts.push(`above $${cost_above}`);
  return parts.join(" · ") || "all";
}
