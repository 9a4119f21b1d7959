/** @jsxImportSource preact */
/** The GitHub webhooks of the last days, from the audit log. */
import type { Context } from "../../context.ts";
import { paths } from "../../info.ts";
import { dayMicros, fromMicros } from "../../lib/time.ts";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";

const days = 7;
/** Rows of the audit log that are read; more are shown as a minimum. */
const rowsMax = 1_000;

interface WebhookSummary {
  recorded: number;
  /** Refused, for example because of a wrong signature. */
  refused: number;
  isMinimum: boolean;
  /** When the last one was recorded. */
  last: string | null;
}

export async function loadWebhooks({ data, now }: Pick<Context, "data" | "now">): Promise<WebhookSummary> {
  const rows = await data.audit({
    what: ["webhook", "webhook rename", paths.webhook],
    since: now() - days * dayMicros,
    limit: rowsMax,
  });
  const count = (isRecorded: boolean) =>
    rows.filter(({ status }) => (status === 200) === isRecorded).reduce((sum, row) => sum + row.count, 0);
  const last = rows.find(({ status }) => status === 200);
  return {
    recorded: count(true),
    refused: count(false),
    isMinimum: rows.length === rowsMax,
    last: last ? fromMicros(last.at) : null,
  };
}

export function Webhooks({ webhooks, isConfigured }: { webhooks: WebhookSummary; isConfigured: boolean }) {
  const { recorded, refused, isMinimum, last } = webhooks;
  const shown = (count: number) => `${count}${isMinimum && count > 0 ? " or more" : ""}`;
  return (
    <section>
      <h2>GitHub webhooks</h2>
      {!isConfigured && (
        <p class="soft">
          Webhooks are off: <code>SVC_GITHUB_WEBHOOK_SECRET</code> is not set. See{" "}
          <a href="/docs/github">Connect GitHub</a>.
        </p>
      )}
      <dl class="facts-grid panel">
        <Fact
          name="Last recorded"
          value={last === null ? `none in ${days} days` : <Time ts={last} as="date-time" />}
        />
        <Fact name={`Recorded, ${days} days`} value={shown(recorded)} />
        <Fact name={`Refused, ${days} days`} value={shown(refused)} isBad={refused > 0} />
      </dl>
    </section>
  );
}
