/** @jsxImportSource preact */
/** The incoming webhooks of the last days by sender. */
import { secretVariable } from "../../core/forges/schema.ts";
import { days, type SenderSummary } from "../../integrations/incoming-webhooks/received.ts";
import { senders } from "../../integrations/incoming-webhooks/senders.ts";
import { Time } from "../time.tsx";

export function IncomingWebhooks({ webhooks }: { webhooks: SenderSummary[] }) {
  const shown = webhooks.filter(
    ({ isConfigured, recorded, refused }) => isConfigured || recorded + refused > 0,
  );
  const off = webhooks.filter(({ isConfigured }) => !isConfigured);
  return (
    <section>
      <h2>Incoming webhooks</h2>
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        <section class="wide-table" tabIndex={0} aria-label="Incoming webhooks by sender">
          <table>
            <thead>
              <tr>
                {["Sender", "Last recorded", `Recorded, ${days} days`, `Refused, ${days} days`].map(
                  (head) => (
                    <th key={head} scope="col">
                      {head}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {shown.map((sender) => (
                <SenderRow key={sender.name} {...sender} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {off.length > 0 && (
        <p class="soft">
          Off, until a secret is set:{" "}
          {off.map(({ name }, index) => (
            <>
              {index > 0 && ", "}
              <a href={senders[name].docs}>{senders[name].label}</a> (<code>{secretVariable(name)}</code>)
            </>
          ))}
          .
        </p>
      )}
    </section>
  );
}

function SenderRow({ name, isConfigured, recorded, refused, isMinimum, last }: SenderSummary) {
  const shown = (count: number) => `${count}${isMinimum && count > 0 ? " or more" : ""}`;
  return (
    <tr>
      <th scope="row">
        <a href={senders[name].docs}>{senders[name].label}</a>
        {!isConfigured && " (off)"}
      </th>
      <td>{last === null ? `none in ${days} days` : <Time ts={last} />}</td>
      <td>{shown(recorded)}</td>
      <td class={refused > 0 ? "bad" : undefined}>{shown(refused)}</td>
    </tr>
  );
}
