/** The checks of `svc doctor`, and those of them that the settings page makes. */
import { describeFailure, openProvider } from "../../core/auth/oidc/provider.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { priceList } from "../../integrations/telemetry/prices.ts";
import { explanations, recentlyUnplaced } from "../../integrations/telemetry/unplaced.ts";
import type { Context } from "../context.ts";
import { checkClock, checkConfiguration, checkDatabase } from "./deployment.ts";
import { checkDatabaseFile, checkDiskSpace } from "./disk.ts";
import { checkFiles } from "./files.ts";
import { type Finding, ok, warning, wrong } from "./finding.ts";
import { checkRows } from "./inconsistencies.ts";
import { checkReviewPolicies } from "./review-policies.ts";
import { checkBrowserUpload, checkStore, checkStoreResponds } from "./stores.ts";
import { checkWebhooks } from "./webhooks.ts";

type QuickContext = Pick<Context, "config" | "data" | "now" | "store" | "publicStore">;

/** A context with what the command says. */
interface Examined extends Context {
  deep: boolean;
  verifiesCertificates: boolean;
  /** What the repairs before the checks have found. */
  repairs: Finding[];
  /** Gets what is checked next. */
  tell?: (what: string) => void;
}

type Findings = Finding[] | Promise<Finding[]>;

interface Check {
  what: string;
  run(ctx: Examined): Findings;
  /**
   * On the settings page: it writes nothing, names no path of the server, and takes as long for a million
   * rows as for one. Null: only `svc doctor` makes it.
   */
  quick: ((ctx: QuickContext) => Findings) | null;
}

/** A check that is the same in both places. */
const both = (what: string, run: (ctx: QuickContext) => Findings): Check => ({ what, run, quick: run });

/** In the order of their findings. */
const checks: Check[] = [
  {
    what: "configuration",
    run: ({ config, verifiesCertificates }) => checkConfiguration(config, verifiesCertificates),
    quick: ({ config }) => checkConfiguration(config, true),
  },
  both("database", checkDatabase),
  both("clock", checkClock),
  {
    what: "asset store",
    run: ({ config, store }) => checkStore("asset store", config.assetStore, store),
    quick: ({ store }) => checkStoreResponds("asset store", store),
  },
  { what: "browser upload", run: checkBrowserUpload, quick: null },
  {
    what: "public store",
    run: ({ config, publicStore }) =>
      checkStore(
        "public store",
        config.publicStore,
        publicStore,
        config.publicBaseUrl || publicStore?.baseUrl,
      ),
    quick: ({ publicStore }) => checkStoreResponds("public store", publicStore),
  },
  { what: "programs", run: checkPrograms, quick: null },
  { what: "repairs", run: ({ repairs }) => repairs, quick: null },
  { what: "rows", run: (ctx) => checkRows(ctx, ctx), quick: null },
  { what: "database file", run: checkDatabaseFile, quick: null },
  {
    what: "disk",
    run: (ctx) => checkDiskSpace(ctx),
    quick: (ctx) => checkDiskSpace(ctx, { showsFolders: false }),
  },
  { what: "files", run: (ctx) => checkFiles(ctx, ctx), quick: null },
  both("telemetry", checkTelemetry),
  both("email", checkEmail),
  both("webhooks", checkWebhooks),
  // The settings page must not wait for another server.
  { what: "single sign-on", run: checkIdentityProvider, quick: null },
  both("review policies", checkReviewPolicies),
];

export async function quickChecks(ctx: QuickContext): Promise<Finding[]> {
  return (await Promise.all(checks.map(({ quick }) => quick?.(ctx) ?? []))).flat();
}

/** Makes all checks, one after the other. */
export async function examine(ctx: Examined): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { what, run } of checks) {
    ctx.tell?.(what);
    findings.push(...(await attempt(ctx, what, async () => run(ctx))));
  }
  if (ctx.data.isDamaged())
    findings.push(wrong("database file", "damaged; stop all servers and restore a backup"));
  return findings;
}

/** What failed is a finding; of a damaged database one says it for all. */
export const attempt = (
  { data }: Pick<Context, "data">,
  what: string,
  work: () => Promise<Finding[]>,
): Promise<Finding[]> =>
  work().catch((error: Error) => (data.isDamaged() ? [] : [wrong(what, `check failed: ${error.message}`)]));

async function checkPrograms({ probe }: Pick<Context, "probe">): Promise<Finding[]> {
  const programs = await probe.helpers();
  return programs.map(({ name, purpose, version }) =>
    version ? ok(name, version) : warning(name, `not found; without it there are no ${purpose}`),
  );
}

const findingsMax = 5;

export async function checkEmail({ config, data }: Pick<Context, "config" | "data">): Promise<Finding[]> {
  const digests = await data.emailDigests();
  if (digests.length === 0) return [];
  if (!config.smtpUrl)
    return [warning("email", `${digests.length} digests are not sent; set SVC_SMTP_URL to your mail server`)];
  const failing = digests.filter(({ problem }) => problem !== null);
  if (failing.length === 0) return [ok("email", `digests: ${digests.length}`)];
  const shown = failing.slice(0, findingsMax).map(({ id, address, status, problem }) => {
    const fix =
      status === "paused"
        ? `fix it and run svc email send ${id}, or svc email remove ${id}`
        : "svc tries again";
    return warning(
      "email",
      `the digest to ${address} ${status === "paused" ? "is paused" : "failed"}: ${problem}; ${fix}`,
    );
  });
  const more = failing.length - shown.length;
  return more > 0 ? [...shown, warning("email", `${more} more digests fail; see svc email list`)] : shown;
}

const what = "single sign-on";

async function checkIdentityProvider({ config }: Pick<Context, "config">): Promise<Finding[]> {
  const { oidc } = config;
  if (!oidc) return [];
  try {
    const provider = await openProvider(oidc);
    const { scopes_supported, code_challenge_methods_supported } = provider.serverMetadata();
    const unknown =
      scopes_supported && oidc.scope.split(" ").filter((one) => !scopes_supported.includes(one));
    if (unknown && unknown.length > 0)
      return [warning(what, `${oidc.label} does not list the scope ${unknown.join(", ")} of SVC_OIDC_SCOPE`)];
    const proof = code_challenge_methods_supported?.includes("S256") ? "" : ", without PKCE";
    return [ok(what, `${oidc.label} answers${proof}`)];
  } catch (error) {
    return [warning(what, `${oidc.label} cannot be used: ${describeFailure(error)}; check SVC_OIDC_ISSUER`)];
  }
}

/** One warning for each source and reason of the last seven days. */
async function checkTelemetry(ctx: Pick<Context, "config" | "data" | "now">): Promise<Finding[]> {
  const rows = await recentlyUnplaced(ctx);
  const findings = rows.map(({ source, reason, count, token, last_at }) =>
    warning(
      "telemetry",
      `${count} records of ${source} fit no project (${reason}; last from token ${token}, ` +
        `${fromMicros(last_at).slice(0, 16)}Z); ${explanations[reason].fix}`,
    ),
  );
  return [...(findings.length > 0 ? findings : [ok("telemetry", "all of it fits a project")]), prices(ctx)];
}

function prices({ config }: Pick<Context, "config">): Finding {
  const builtIn = `built-in list of ${priceList.date} (genai-prices ${priceList.version})`;
  if (!config.prices) return ok("prices", builtIn);
  const count = Object.keys(config.prices.models).length;
  return ok("prices", `${count} models of SVC_PRICES of ${config.prices.date}, then the ${builtIn}`);
}
