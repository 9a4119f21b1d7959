/** The incoming webhooks of the last days by sender. */
import { secretVariable } from "../../core/forges/schema.ts";
import { days, type SenderSummary } from "../../integrations/incoming-webhooks/received.ts";
import { senders } from "../../integrations/incoming-webhooks/senders.ts";
import { type Column, Table } from "../lists/table.tsx";
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
        <Table
          label="Incoming webhooks by sender"
          columns={columns}
          rows={shown}
          keyOf={({ name }) => name}
        />
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

const countText = (count: number, { isMinimum }: SenderSummary): string =>
  `${count}${isMinimum && count > 0 ? " or more" : ""}`;

const columns: readonly Column<SenderSummary>[] = [
  {
    label: "Sender",
    isName: true,
    cell: ({ name, isConfigured }) => (
      <>
        <a href={senders[name].docs}>{senders[name].label}</a>
        {!isConfigured && " (off)"}
      </>
    ),
  },
  {
    label: "Last recorded",
    cell: ({ last }) => (last === null ? `none in ${days} days` : <Time ts={last} />),
  },
  { label: `Recorded, ${days} days`, cell: (sender) => countText(sender.recorded, sender) },
  {
    label: `Refused, ${days} days`,
    cell: (sender) => (
      <span class={sender.refused > 0 ? "bad" : undefined}>{countText(sender.refused, sender)}</span>
    ),
  },
];
