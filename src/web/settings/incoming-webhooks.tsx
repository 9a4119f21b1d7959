/** @jsxImportSource preact */
/** The incoming webhooks of the last days by sender, from the audit log. */
import type { Context } from "../../api/context.ts";
import { type SenderName, secretVariable, senderNames } from "../../core/forges/schema.ts";
import { dayMicros, fromMicros } from "../../core/lib/time.ts";
import type { AuditRow } from "../../core/rows.ts";
import { senders, webhookPath } from "../../integrations/incoming-webhooks/senders.ts";
import { Time } from "../time.tsx";

const days = 7;
/** Rows of the audit log that are read; more are shown as a minimum. */
const rowsMax = 1_000;

interface SenderSummary {
  name: SenderName;
  isConfigured: boolean;
  recorded: number;
  /** Refused, for example because of a wrong signature. */
  refused: number;
  isMinimum: boolean;
  /** When the last one was recorded. */
  last: string | null;
}

export async function loadIncomingWebhooks({
  config,
  data,
  now,
}: Pick<Context, "config" | "data" | "now">): Promise<SenderSummary[]> {
  const rows = await data.audit({
    what: ["webhook", "webhook rename", ...senderNames.map(webhookPath)],
    since: now() - days * dayMicros,
    limit: rowsMax,
  });
  return senderNames.map((name) => {
    const ofSender = rows.filter(({ who, what }) => who === name || what === webhookPath(name));
    const [recorded, refused] = [true, false].map((isRecorded) =>
      ofSender.filter(({ status }) => (status === 200) === isRecorded),
    ) as [AuditRow[], AuditRow[]];
    return {
      name,
      isConfigured: config.webhookSecrets[name].length > 0,
      recorded: total(recorded),
      refused: total(refused),
      isMinimum: rows.length === rowsMax,
      last: recorded[0] ? fromMicros(recorded[0].at) : null,
    };
  });
}

const total = (rows: AuditRow[]): number => rows.reduce((sum, row) => sum + row.count, 0);

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
      <td>{last === null ? `none in ${days} days` : <Time ts={last} as="date-time" />}</td>
      <td>{shown(recorded)}</td>
      <td class={refused > 0 ? "bad" : undefined}>{shown(refused)}</td>
    </tr>
  );
}
