/** @jsxImportSource preact */
/**
 * The settings page for admins: the deployment, sign-in links for others, and webhooks. Other changes are
 * made with the command line.
 */

import { lastBackup } from "../../api/backup/last-backup.ts";
import type { Context } from "../../api/context.ts";
import { quickChecks } from "../../api/doctor/checks.ts";
import { databaseName } from "../../api/doctor/deployment.ts";
import type { Finding } from "../../api/doctor/finding.ts";
import { listTokens } from "../../core/auth/authentication.ts";
import { isAllowed } from "../../core/auth/authorization.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import type { CreatedSignInLink } from "../../core/auth/sign-in-link-schema.ts";
import type { StoreLocation } from "../../core/config.ts";
import { forbidden, Problem } from "../../core/problem.ts";
import { commit, version } from "../../core/version.ts";
import { loadIncomingWebhooks } from "../../integrations/incoming-webhooks/received.ts";
import { SingleKeysSwitch } from "../keys.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import type { Page, View } from "../view.ts";

import { Code, NewLink } from "./code.tsx";
import { IncomingWebhooks } from "./incoming-webhooks.tsx";
import { Tokens } from "./tokens.tsx";
import { loadWebhooks, Webhooks } from "./webhooks.tsx";

/**
 * @param link a sign-in link that was just created
 * @throws {Problem} 401 or 403 unless the visitor is an admin
 */
export async function settingsPage({ ctx, visitor }: View, link?: CreatedSignInLink): Promise<Page> {
  if (!isAdmin(visitor.caller)) {
    if (!visitor.signedIn && !ctx.config.mock) throw new Problem(401, "Sign in as an admin.");
    throw forbidden(
      ctx.config.mock
        ? "The demo data has no settings."
        : "The settings are for admins. Sign in with svc open, or with a token that has the role admin.",
    );
  }
  const [tokens, backup, webhooks, incoming, findings] = await Promise.all([
    listTokens(ctx),
    lastBackup(ctx),
    isAllowed(visitor.caller, "webhooks:write", ctx.config) ? loadWebhooks({ ctx, visitor }) : null,
    loadIncomingWebhooks(ctx),
    quickChecks(ctx),
  ]);
  const body = (
    <>
      <div class="head">
        <h1>Settings</h1>
      </div>
      <div class="settings">
        {link && (
          <NewLink url={link.url}>
            Send this link to {link.name} only: until <Time ts={link.expires_at} as="exact" />, it signs in
            the first person who uses it.{" "}
          </NewLink>
        )}
        <Deployment ctx={ctx} backup={backup} />
        <Tokens tokens={tokens} hasMail={!!ctx.config.smtpUrl} now={ctx.now()} visitor={visitor} />
        <section>
          <h2>Sign-in links</h2>
          <p class="soft">
            On the machine that holds the database, <code>svc open</code> signs you in without a token. For a
            colleague, create a link beside their token, or with <code>svc open --for NAME</code>. To revoke
            all links that were not used yet, and end all sessions opened with one:
          </p>
          <Code text="svc open --revoke" />
        </section>
        <section>
          <h2>Share links</h2>
          <p class="soft">
            Links to assets for people without a token are listed <a href="/shares">on a page of their own</a>
            .
          </p>
        </section>
        <section>
          <h2>Keyboard</h2>
          <p class="soft">
            Without the shortcuts of a single letter, digit, or punctuation mark, no key press acts by
            accident, as with speech input. Everyone can switch them on the list of shortcuts, too, which{" "}
            <kbd>?</kbd> opens.
          </p>
          <SingleKeysSwitch />
        </section>
        {webhooks && <Webhooks {...webhooks} />}
        <IncomingWebhooks webhooks={incoming} />
        <Checks findings={findings} />
      </div>
    </>
  );
  return { title: "Settings", navEntry: null, body, islands: ["copy.js"] };
}

function Deployment({ ctx, backup }: { ctx: Context; backup: string | null }) {
  const { config } = ctx;
  return (
    <section>
      <h2>Deployment</h2>
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
