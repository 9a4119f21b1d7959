/** The webhooks of the deployment, and how each of them does. */
import { actorName } from "../../core/auth/actor-name.ts";
import { kindTitle } from "../../feed/kinds.ts";
import { listWebhooks } from "../../integrations/operations/webhooks.ts";
import { webhookPagePath } from "../../integrations/webhooks/delivery/source.ts";
import { formats } from "../../integrations/webhooks/formats/formats.ts";
import type { CreatedWebhook, Webhook, WebhookList } from "../../integrations/webhooks/schema.ts";
import { pluralize } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Form, type Page, type View } from "../view.ts";
import { NewSecret } from "./code.tsx";
import { projectSlugs } from "./projects.tsx";
import { type Outcome, settingsFrame } from "./sections.tsx";
import { WebhookForm } from "./webhook-form.tsx";

/** `svc webhook list` shows all. */
const webhooksMax = 100;

interface Shown {
  /** Just now: with its secret. */
  created?: CreatedWebhook;
  outcome?: Outcome;
  /** What was typed, if it was refused. */
  given?: Form;
}

/** @throws {Problem} 401 or 403 without the scope */
export async function webhooksPage(view: View, { created, outcome, given }: Shown = {}): Promise<Page> {
  const [{ webhooks, count }, slugs] = await Promise.all([
    callOperation<WebhookList>(view, listWebhooks),
    projectSlugs(view),
  ]);
  const removed = view.url.searchParams.get("done") === "removed";
  return settingsFrame(view, "webhooks", {
    outcome:
      outcome ?? (removed ? { text: "Removed. Nothing is sent to it any more.", isGood: true } : undefined),
    children: (
      <>
        {created && <Created webhook={created} />}
        <section>
          {count === 0 ? (
            <EmptyState title="No webhooks yet.">
              <p>A webhook sends events to a URL, or to a channel of a chat service.</p>
            </EmptyState>
          ) : (
            <Table
              label="Webhooks"
              class="webhooks"
              columns={columns}
              rows={webhooks.slice(0, webhooksMax)}
              keyOf={({ id }) => id}
            />
          )}
          {count > webhooksMax && (
            <p class="soft">{pluralize(count - webhooksMax, "older webhook")} not shown.</p>
          )}
        </section>
        <WebhookForm view={view} slugs={slugs} given={given ?? new Map()} />
      </>
    ),
  });
}

/** Where a new webhook is, and its secret if it signs. */
const Created = ({ webhook }: { webhook: CreatedWebhook }) => {
  const page = <a href={webhookPath(webhook)}>{titleOf(webhook)}</a>;
  return webhook.format === "json" ? (
    <NewSecret text={webhook.secret} what="the signing secret">
      Added {page}.{" "}
    </NewSecret>
  ) : (
    <p class="notice good" role="status">
      Added {page}. Send a test from its page.
    </p>
  );
};

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
    kind: kind?.map((one) => kindTitle(one)),
    actor: actor?.map(actorName),
    ...lists,
  };
  const parts = Object.values(named).flatMap((values) => values?.join(", ") ?? []);
  if (run_id !== undefined) parts.push(`run ${run_id}`);
  if (cost_above !== undefined) parts.push(`above $${cost_above}`);
  return parts.join(" · ") || "all";
}
