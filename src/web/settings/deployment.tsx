/** The deployment: version, stores, backup, what its checks find, and who sends webhooks to it. */
import { lastBackup } from "../../api/backup/last-backup.ts";
import type { Context } from "../../api/context.ts";
import { databaseName } from "../../api/doctor/deployment.ts";
import type { Finding } from "../../api/doctor/finding.ts";
import { listChecks } from "../../api/doctor/operations.ts";
import type { StoreLocation } from "../../core/config.ts";
import { secretVariable } from "../../core/forges/schema.ts";
import { commit, version } from "../../core/version.ts";
import {
  days,
  loadIncomingWebhooks,
  type SenderSummary,
} from "../../integrations/incoming-webhooks/received.ts";
import { senders } from "../../integrations/incoming-webhooks/senders.ts";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { Code } from "./code.tsx";
import { requireAdminVisitor, settingsFrame } from "./sections.tsx";

/** @throws {Problem} 401 or 403 unless the visitor is an admin */
export async function deploymentPage(view: View): Promise<Page> {
  requireAdminVisitor(view);
  const { ctx } = view;
  const [backup, incoming, { checks }] = await Promise.all([
    lastBackup(ctx),
    loadIncomingWebhooks(ctx),
    callOperation<{ checks: Finding[] }>(view, listChecks),
  ]);
  return settingsFrame(view, "deployment", {
    children: (
      <>
        <Facts ctx={ctx} backup={backup} />
        <IncomingWebhooks webhooks={incoming} />
        <Checks findings={checks} />
      </>
    ),
  });
}

function Facts({ ctx, backup }: { ctx: Context; backup: string | null }) {
  const { config } = ctx;
  return (
    <section>
      <dl class="facts-grid panel">
        <Fact name="Version" value={`${version} (${commit})`} />
        <Fact name="Database" value={databaseName(ctx)} />
        <Fact name="Private files" value={describeStore(config.assetStore)} />
        <Fact name="Published files" value={describeStore(config.publicStore)} />
        <Fact name="Public read" value={config.publicRead ? "on" : "off"} />
        <Fact
          name="Last backup"
          value={backup === null ? "never" : <Time ts={backup} />}
          isBad={backup === null}
        />
      </dl>
      {backup === null && <Code text="svc backup svc-backup.tar" />}
    </section>
  );
}

/** The kind of a store and its bucket; never a path on the server. */
function describeStore(place: StoreLocation): string {
  if (place === "none") return "none";
  if (place === "demo") return "demo files";
  return "bucket" in place ? `s3://${place.bucket}` : "local disk";
}

/** What `svc doctor` finds in a moment. */
const labels: Record<Finding["level"], [text: string, className: string]> = {
  ok: ["OK", "good"],
  warning: ["Warning", "warn"],
  error: ["Error", "bad"],
};

const Checks = ({ findings }: { findings: Finding[] }) => (
  <section>
    <h2>Checks</h2>
    <table>
      <tbody>
        {findings.map(({ what, level, detail }) => (
          <tr key={what + detail}>
            <th scope="row">{what}</th>
            <td>
              <span class={`status ${labels[level][1]}`}>{labels[level][0]}</span>
            </td>
            <td class="grow">{detail}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <p class="soft">To check all rows and files as well, run this on the machine that holds the database:</p>
    <Code text="svc doctor" />
  </section>
);

/** The incoming webhooks of the last days by sender. */
function IncomingWebhooks({ webhooks }: { webhooks: SenderSummary[] }) {
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
