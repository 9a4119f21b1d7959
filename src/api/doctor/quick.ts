/** The checks for the settings page: they write nothing, and take as long for a million rows as for one. */
import { ulid } from "ulid";
import { probeKey } from "../../files/stores/keys.ts";
import { ownershipWarning } from "../../files/stores/owned-store.ts";
import type { OwnedStore } from "../../files/stores/store.ts";
import type { Context } from "../context.ts";
import { checkClock, checkConfiguration, checkDatabase } from "./deployment.ts";
import { checkDiskSpace } from "./disk.ts";
import { type Finding, ok, warning, wrong } from "./finding.ts";
import { checkReviewPolicies } from "./review-policies.ts";
import { checkEmail, checkTelemetry, checkWebhooks } from "./webhooks.ts";

type Needs = Pick<Context, "config" | "data" | "now" | "store" | "publicStore">;

/** Findings without paths of the server. `svc doctor` also checks rows, files, and the environment. */
export async function quickChecks(ctx: Needs): Promise<Finding[]> {
  const { config, store, publicStore } = ctx;
  const findings = [
    checkConfiguration(config, true),
    checkDatabase(ctx),
    checkClock(ctx),
    checkStore("asset store", store),
    checkStore("public store", publicStore),
    checkDiskSpace(ctx, { showsFolders: false }),
    checkTelemetry(ctx),
    checkEmail(ctx),
    checkWebhooks(ctx),
    checkReviewPolicies(ctx),
  ];
  return (await Promise.all(findings)).flat();
}

async function checkStore(what: string, store: OwnedStore | null): Promise<Finding[]> {
  if (!store) return [warning(what, "none: uploads and publishing are disabled (501)")];
  try {
    await store.stat(probeKey(ulid()));
    const why = ownershipWarning(store.lastOwner() ?? (await store.owner()));
    return [why === null ? ok(what, "responds") : warning(what, why)];
  } catch {
    return [wrong(what, "does not respond; run svc doctor on the server for the cause")];
  }
}
