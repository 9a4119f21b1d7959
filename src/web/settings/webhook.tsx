/** The page of a webhook: what it sends, buttons to test and pause it, and the log of its deliveries. */
import { getWebhook, listWebhookDeliveries } from "../../integrations/operations/webhooks.ts";
import type { DeliveryPage, RotatedSecret, Webhook } from "../../integrations/webhooks/schema.ts";
import { deliveryDays, deliveryOutcomes } from "../../integrations/webhooks/schema.ts";
import { ConfirmForm } from "../confirm-form.tsx";
import { EmptyState, PostForm } from "../layout.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { NewSecret } from "./code.tsx";
import { Delivery } from "./delivery.tsx";
import { type Outcome, settingsFrame } from "./sections.tsx";
import { describeFilters, formatLabel, titleOf, WebhookStatus, webhookPath } from "./webhooks.tsx";

export const webhookParameters = ["cursor", "outcome", "done"];
const deliveriesPerPage = 25;

/** What a form did, by the value of `done` in the URL that it leads to. */
const results: Record<string, [text: string, isGood: boolean]> = {
  delivered: ["The receiver accepted the test.", true],
  failed: ["The test failed. The newest delivery below says why.", false],
  paused: ["Paused. Events are sent once it is resumed.", true],
  resumed: ["Resumed. It continues where it stopped.", true],
  replayed: ["Sending again. New deliveries appear below.", true],
};

/**
 * @param rotated the new secret, this once
 * @throws {Problem} 404 for an unknown webhook
 */
export async function webhookPage(view: View, refusal?: Outcome, rotated?: RotatedSecret): Promise<Page> {
  const { id } = view.params;
  const query = view.url.searchParams;
  const webhook = await callOperation<Webhook>(view, getWebhook, { id });
  const page = await callOperation<DeliveryPage>(view, listWebhookDeliveries, {
    id,
    limit: deliveriesPerPage,
    cursor: query.get("cursor"),
    outcome: query.get("outcome"),
  });
  const [text, isGood] = results[query.get("done") ?? ""] ?? [];
  return settingsFrame(view, "webhooks", {
    title: titleOf(webhook),
    beside: <WebhookStatus webhook={webhook} />,
    outcome: refusal ?? (text === undefined ? undefined : { text, isGood: isGood === true }),
    children: (
      <>
        {webhook.paused_reason !== null && <p class="notice warning">{webhook.paused_reason}</p>}
        {rotated && (
          <NewSecret text={rotated.secret} what="the new signing secret">
            Until <Time ts={rotated.previous_until} as="exact" />, requests are signed with both secrets.{" "}
          </NewSecret>
        )}
        <section>
          <Facts webhook={webhook} />
          <Actions view={view} webhook={webhook} />
        </section>
        <Deliveries view={view} webhook={webhook} page={page} />
        <ReplayForm view={view} webhook={webhook} />
      </>
    ),
  });
}

const Facts = ({ webhook }: { webhook: Webhook }) => (
  <dl class="facts-grid panel">
    <Fact name="URL" value={webhook.url} />
    <Fact name="Format" value={formatLabel(webhook.format)} />
    <Fact name="Events" value={describeFilters(webhook)} />
    <Fact name="Owner" value={webhook.owner ?? "admin"} />
    <Fact name="Created" value={<Time ts={webhook.created_at} />} />
  </dl>
);

function Actions({ view, webhook }: { view: View; webhook: Webhook }) {
  const isActive = webhook.status === "active";
  const change = isActive ? ["pause", "Pause"] : ["resume", "Resume"];
  const path = webhookPath(webhook);
  return (
    <div class="row-forms">
      {[["test", "Send a test"], change].map(([action, label]) => (
        <PostForm view={view} key={action} action={`${path}/${action}`}>
          <button type="submit" class={action === (isActive ? "test" : "resume") ? "primary" : undefined}>
            {label}
          </button>
        </PostForm>
      ))}
      {webhook.format === "json" && (
        <ConfirmForm
          view={view}
          action={`${path}/rotate`}
          verb="Rotate secret"
          of={`of ${titleOf(webhook)}`}
          text="The next page shows the new secret once. For a day, requests are signed with the old one too."
        />
      )}
      <ConfirmForm
        view={view}
        action={`${path}/remove`}
        verb="Remove"
        of={titleOf(webhook)}
        text="Nothing is sent any more, and its log is lost. To stop it for a while, pause it instead."
      />
    </div>
  );
}

const ReplayForm = ({ view, webhook }: { view: View; webhook: Webhook }) => (
  <section>
    <h2>Send events again</h2>
    <PostForm view={view} action={`${webhookPath(webhook)}/replay`} class="filters">
      <label>
        From event <input name="from" inputMode="numeric" pattern="[0-9]*" required />
      </label>
      <label>
        To event <input name="to" inputMode="numeric" pattern="[0-9]*" placeholder="the newest" />
      </label>
      <button type="submit">Send again</button>
    </PostForm>
  </section>
);

interface DeliveriesProps {
  view: View;
  webhook: Webhook;
  page: DeliveryPage;
}

function Deliveries({ view, webhook, page }: DeliveriesProps) {
  const outcome = view.url.searchParams.get("outcome");
  const urlOf = (fields: Record<string, string | null>) => {
    const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== null);
    return `${webhookPath(webhook)}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
  };
  return (
    <section>
      <div class="head">
        <h2>Deliveries</h2>
        <nav class="tabs" aria-label="Outcome">
          {[null, ...deliveryOutcomes].map((one) => (
            <a key={one} href={urlOf({ outcome: one })} aria-current={one === outcome ? "true" : undefined}>
              {one ?? "all"}
            </a>
          ))}
        </nav>
      </div>
      {page.count === 0 ? (
        <EmptyState title={outcome === null ? "No deliveries yet." : `No deliveries ${outcome}.`}>
          <p>Deliveries of the last {deliveryDays} days appear here, with the request and the answer.</p>
        </EmptyState>
      ) : (
        <ol class="deliveries">
          {page.deliveries.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} view={view} />
          ))}
        </ol>
      )}
      {page.next_cursor !== null && (
        <p class="older">
          <a class="button" href={urlOf({ outcome, cursor: page.next_cursor })} rel="next">
            Older deliveries
          </a>
        </p>
      )}
    </section>
  );
}
