/** `svc doctor`: diagnoses problems of a deployment and suggests fixes. */
import { defineCommand } from "citty";
import { repairBundles } from "../../../src/api/doctor/bundles.ts";
import { checkClock, checkConfiguration, checkDatabase } from "../../../src/api/doctor/deployment.ts";
import { checkDatabaseFile, checkDiskSpace } from "../../../src/api/doctor/disk.ts";
import { checkFiles } from "../../../src/api/doctor/files.ts";
import { type Finding, ok, warning, wrong } from "../../../src/api/doctor/finding.ts";
import { checkRows } from "../../../src/api/doctor/inconsistencies.ts";
import { checkReviewPolicies } from "../../../src/api/doctor/review-policies.ts";
import { checkEmail, checkTelemetry, checkWebhooks } from "../../../src/api/doctor/webhooks.ts";
import type { Action } from "../../../src/core/audit/port.ts";
import type { Environment, StoreLocation } from "../../../src/core/config.ts";
import { probeStore } from "../../../src/files/stores/objects.ts";
import { ownershipWarning, takeOver } from "../../../src/files/stores/owned-store.ts";
import { allowsBrowserUploads } from "../../../src/files/stores/s3/bucket-cors.ts";
import type { OwnedStore } from "../../../src/files/stores/store.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import { spoolLines } from "../../agents/connect/connection-list.ts";
import { spoolStatus } from "../../agents/spool/status.ts";
import { actorFrom, dataDirFlag, printLine, reportErrors } from "../../command.ts";
import { auditFailure, commandAct, type OpenContext, open, verifiesCertificates } from "../../open.ts";
import { outputFlags } from "../../output/report.ts";
import { styles } from "../../output/terminal.ts";

export default defineCommand({
  args: {
    deep: {
      type: "boolean",
      description: "Read every file and compare its hash, and check the integrity of the database",
    },
    fix: {
      type: "boolean",
      description:
        "Recompute counters, totals and runs, and delete expired and orphaned files; with --deep, also " +
        "restore the files of bundles from their zips",
    },
    "take-over": {
      type: "boolean",
      description: "Make this deployment the owner of the stores, so that it can delete unused files",
    },
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const options = {
      deep: args.deep ?? false,
      fix: args.fix ?? false,
      takeOver: args["take-over"] ?? false,
    };
    const findings = await examine({ SVC_DATA_DIR: args["data-dir"] }, options);
    const marks = { ok: styles.green("✓"), warning: styles.yellow("!"), error: styles.red("✗") };
    for (const finding of findings)
      if (!args.quiet || finding.level !== "ok")
        await printLine(
          args.json
            ? JSON.stringify(finding)
            : `${marks[finding.level]} ${finding.what.padEnd(14)} ${finding.detail}`,
        );
    process.exit(findings.some(({ level }) => level === "error") ? 1 : 0);
  }),
});

interface DoctorOptions {
  deep: boolean;
  fix: boolean;
  takeOver: boolean;
}

/** Runs all checks. If the configuration or the database cannot be opened, that is the only finding. */
async function examine(flags: Environment, { deep, fix, takeOver }: DoctorOptions): Promise<Finding[]> {
  let ctx: OpenContext;
  try {
    ctx = await open(flags, { log: () => {} });
  } catch (error) {
    const { name, message } = error as Error;
    return [wrong(name === "ConfigError" ? "configuration" : "database", message)];
  }
  const { config } = ctx;
  const step = (what: string, work: () => Promise<Finding[]>) =>
    work().catch((error: Error) =>
      ctx.data.isDamaged() ? [] : [wrong(what, `check failed: ${error.message}`)],
    );
  const repairs = [
    ...(takeOver ? await step("taken over", () => takeStoresOver(ctx)) : []),
    ...(fix ? await step("fixed", () => repair(ctx, deep)) : []),
  ];
  const findings = [
    ...checkConfiguration(config, verifiesCertificates()),
    ...(await step("database", () => checkDatabase(ctx))),
    ...(await step("clock", () => checkClock(ctx))),
    ...(await checkStore("asset store", config.assetStore, ctx.store)),
    ...(await checkBrowserUpload(ctx)),
    ...(await checkStore("public store", config.publicStore, ctx.publicStore)),
    ...(await checkHelperPrograms(ctx)),
    ...repairs,
    ...(await step("rows", () => checkRows(ctx, { deep }))),
    ...(await checkDatabaseFile(ctx)),
    ...(await checkDiskSpace(ctx)),
    ...(await step("files", () => checkFiles(ctx, { deep }))),
    ...(await step("telemetry", () => checkTelemetry(ctx))),
    ...(await checkEmail(ctx)),
    ...(await step("webhooks", () => checkWebhooks(ctx))),
    ...(await step("review policies", () => checkReviewPolicies(ctx))),
    ...spoolLines(spoolStatus()).map((line) => warning("reports", line)),
  ];
  if (ctx.data.isDamaged())
    findings.push(wrong("database file", "damaged; stop all servers and restore a backup"));
  await ctx.close();
  return findings;
}

/**
 * Makes the safe repairs: recomputes what is derived from rows, and deletes expired and orphaned files, as
 * the cleanup of a server does; after a deep check, also restores what was unpacked from reviewed zips.
 */
async function repair(ctx: OpenContext, deep: boolean): Promise<Finding[]> {
  const act = commandAct(actorFrom(undefined), "doctor --fix");
  return auditFailure(ctx, act, () => repairAs(ctx, act, deep));
}

async function repairAs(ctx: OpenContext, act: Action, deep: boolean): Promise<Finding[]> {
  const before = await ctx.data.findInconsistencies();
  await ctx.data.rebuildDerivedRows(before.map(({ kind }) => kind));
  await ctx.data.atomically((writes) => writes.addAudit({ ...act, at: ctx.now(), status: 200 }));
  const { expired, uploads, orphans } = await cleanUpAssets(ctx);
  const bundles = deep ? await repairBundles(ctx) : 0;
  const left = new Set((await ctx.data.findInconsistencies()).map(({ kind }) => kind));
  const recounted = before.filter(({ kind }) => !left.has(kind)).length;
  return [
    ok(
      "fixed",
      `recomputed ${recounted} kinds of rows; deleted ${expired + uploads} expired and ${orphans} orphaned files` +
        (deep ? `; restored files of ${bundles} bundles` : ""),
    ),
  ];
}

async function checkStore(what: string, place: StoreLocation, store: OwnedStore | null): Promise<Finding[]> {
  if (place === "none" || !store) return [warning(what, "none: uploads and publishing are disabled (501)")];
  if (place === "demo") return [ok(what, "demo images, read-only")];
  const location =
    "bucket" in place ? `s3://${place.bucket}${place.prefix && `/${place.prefix}`}` : place.folder;
  try {
    const weaknesses = await probeStore(store);
    return [
      ok(what, `${location}: writes, reads and deletes`),
      ...weaknesses.map((weakness) => warning(what, weakness)),
      ...(await checkOwner(what, store)),
    ];
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    const fix =
      "bucket" in place
        ? "check S3_ENDPOINT, the credentials and the bucket policy"
        : "check the folder's owner and permissions, and the free space on its disk";
    return [wrong(what, `${location}: ${cause?.message ?? message}; ${fix}`)];
  }
}

/**
 * A store of another deployment is an error: two deployments cannot share a store. A store without a
 * deployment ID, as after an upgrade, is a warning: only deletions are off.
 */
async function checkOwner(what: string, store: OwnedStore): Promise<Finding[]> {
  const owner = await store.owner();
  const why = ownershipWarning(owner);
  if (why === null) return [];
  return [(owner === "other" ? wrong : warning)(what, why)];
}

async function takeStoresOver(ctx: OpenContext): Promise<Finding[]> {
  const act = commandAct(actorFrom(undefined), "doctor --take-over");
  return auditFailure(ctx, act, async () => {
    const changed = await takeOver(ctx);
    if (changed.length === 0)
      return [ok("taken over", "nothing to do: the stores already belong to this deployment")];
    await ctx.data.atomically((writes) => writes.addAudit({ ...act, at: ctx.now(), status: 200 }));
    return [ok("taken over", `the ${changed.join(" and the ")} store`)];
  });
}

/** Checks the CORS rules of the bucket: browsers upload to it directly. */
async function checkBrowserUpload({ config, store }: OpenContext): Promise<Finding[]> {
  const what = "browser upload";
  const allowed = store && (await allowsBrowserUploads(store, config.siteUrl).catch(() => false));
  if (allowed === null) return [];
  if (allowed) return [ok(what, `pages of ${config.siteUrl} can upload to the bucket`)];
  const rule = `AllowedOrigins ${config.siteUrl}, AllowedMethods PUT, AllowedHeaders content-type`;
  return [
    warning(what, `pages of ${config.siteUrl} cannot upload to the bucket; add a CORS rule with ${rule}`),
  ];
}

async function checkHelperPrograms({ probe }: OpenContext): Promise<Finding[]> {
  const programs = await probe.helpers();
  return programs.map(({ name, purpose, version }) =>
    version ? ok(name, version) : warning(name, `not found; without it there are no ${purpose}`),
  );
}
