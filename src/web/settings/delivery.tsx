/** One delivery in the log of a webhook: its outcome, and on demand the request and the answer. */
import type { WebhookDelivery } from "../../integrations/webhooks/schema.ts";
import { formatDuration } from "../format.ts";
import { PostForm } from "../layout.tsx";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";
import { outcomeClasses, webhookPath } from "./webhooks.tsx";

export const Delivery = ({ delivery, view }: { delivery: WebhookDelivery; view: View }) => (
  <li>
    <details>
      <summary>
        <span class={`status ${outcomeClasses[delivery.outcome]}`}>{delivery.outcome}</span>
        <Time ts={delivery.at} />
        <span class="soft">{describe(delivery)}</span>
      </summary>
      {delivery.error !== null && <p class="bad">{delivery.error}</p>}
      <Body title="Request" text={delivery.request} />
      {delivery.response !== null && <Body title={`Answer ${delivery.status}`} text={delivery.response} />}
      {!delivery.is_test && (
        <PostForm view={view} action={`${webhookPath({ id: delivery.webhook })}/replay`}>
          <input type="hidden" name="delivery" value={delivery.id} />
          <button type="submit">Send again</button>
        </PostForm>
      )}
    </details>
  </li>
);

/** `200 in 84 ms · event 4711 · atlas · attempt 2 · sent again`. */
function describe(delivery: WebhookDelivery): string {
  const { status, duration_ms, first_event: first, last_event: last, project, attempt } = delivery;
  const took = formatDuration(duration_ms);
  return [
    status === null ? `no answer after ${took}` : `${status} in ${took}`,
    first === null ? "test" : first === last ? `event ${first}` : `events ${first} to ${last}`,
    delivery.is_test ? null : project,
    attempt > 1 ? `attempt ${attempt}` : null,
    delivery.is_replay ? "sent again" : null,
  ]
    .filter(Boolean)
    .join(" · ");
}

const Body = ({ title, text }: { title: string; text: string }) => (
  <>
    <h3>{title}</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
    <pre tabIndex={0}>
      <code>{indented(text) || "(empty)"}</code>
    </pre>
  </>
);

/** JSON with line breaks; a text that is cut or is not JSON stays. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
