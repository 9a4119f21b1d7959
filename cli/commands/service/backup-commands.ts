/** What `svc backup`, `restore`, `export` and `import` share. */
import type { ArgsDef } from "citty";
import type { End, Entry } from "../../../src/api/backup/archive.ts";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { recordBackup } from "../../../src/api/backup/last-backup.ts";
import { withManifests } from "../../../src/api/backup/manifest.ts";
import { type Restored, restore } from "../../../src/api/backup/restore.ts";
import { openArchive } from "../../../src/api/backup/targets.ts";
import { ownershipWarning } from "../../../src/files/stores/owned-store.ts";
import { actorFrom } from "../../command.ts";
import { databaseName } from "../../login/target.ts";
import { auditFailure, commandAct, configured, type OpenContext, open } from "../../open.ts";
import { openProgress } from "../../output/progress.ts";
import { note, type OutputArgs, reportChange } from "../../output/report.ts";
import { plural } from "../../output/table.ts";
import { writeError } from "../../output/terminal.ts";

export const bytesFlag = {
  bytes: {
    type: "boolean",
    default: true,
    description: "Include the asset files",
    negativeDescription: "Leave out the asset files: database rows only",
  },
} as const satisfies ArgsDef;

export const forceFlag = {
  force: { type: "boolean", description: "Replace the data that the database already has" },
} as const satisfies ArgsDef;

export const takeOverFlag = {
  "take-over": {
    type: "boolean",
    description: "Make this deployment the owner of the stores, even if they belong to another one",
  },
} as const satisfies ArgsDef;

type Entries = AsyncIterable<Entry>;

/** Passes all rows and files of the deployment to `write`, with progress and warnings on standard error. */
export async function writeBackup<T>(
  title: string,
  ctx: OpenContext,
  { bytes, quiet }: { bytes: boolean } & OutputArgs,
  write: (entries: Entries) => Promise<T>,
  transform: (entries: Entries) => Entries = (entries) => entries,
): Promise<T> {
  const { onBytes, done } = progressCounter(title, { quiet });
  const { entries, summary } = openBackupContents(ctx, { bytes });
  let end: End | undefined;
  const onEnd = (manifest: End) => {
    end = manifest;
  };
  const written = await write(withManifests(transform(entries), summary, { onBytes, onEnd })).finally(done);
  if (end) warnOfDamage(end);
  if (bytes)
    await recordBackup(ctx).catch((error: Error) =>
      writeError(`svc: cannot record the time of the backup: ${error.message}\n`),
    );
  return written;
}

interface RestoreArgs extends OutputArgs {
  force?: boolean | undefined;
  bytes: boolean;
  "take-over"?: boolean | undefined;
  "data-dir"?: string | undefined;
}

/** Restores a backup or an export, with progress, warnings and an audit entry. */
export async function restoreFrom(
  command: "restore" | "import",
  location: string,
  args: RestoreArgs,
): Promise<void> {
  const flags = { SVC_DATA_DIR: args["data-dir"] };
  const archive = await openArchive(location, configured(flags).s3);
  const ctx = await open(flags, { create: true });
  if (ctx.createdFile) note(args, `Created the database ${ctx.createdFile}.`);
  const { onBytes, onStep, done } = progressCounter(command === "import" ? "Importing" : "Restoring", args);
  const audit = commandAct(actorFrom(undefined), command);
  const end = await auditFailure(ctx, audit, async () => {
    const options = { force: args.force ?? false, bytes: args.bytes, takeOver: args["take-over"] ?? false };
    const end = await restore(ctx, archive, { ...options, audit, onBytes, onStep }).finally(done);
    await warnOfOwners(ctx);
    return end;
  }).finally(() => ctx.close());
  warnOfDamage(end);
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  const verb = command === "import" ? "Imported" : "Restored";
  const place = databaseName(ctx.config.databaseUrl);
  await reportChange(
    args,
    { rows: end.rows, missing: end.missing, damaged: end.damaged, revived: end.revived },
    `${verb} ${plural(rows, "row")} into ${place}. Restart all servers of this deployment.`,
  );
  for (const line of revivedLines(end)) note(args, line);
}

/** What is valid as it was when the backup was made, and how to end it. */
function revivedLines({ made_at, revived }: Restored): string[] {
  const kinds: [keyof Restored["revived"], noun: string, command: string][] = [
    ["tokens", "token", "svc token revoke NAME"],
    ["shares", "share link", "svc share revoke ID"],
    ["webhooks", "webhook", "svc webhook remove ID"],
    ["email_digests", "email digest", "svc email remove ID"],
  ];
  return kinds.flatMap(([kind, noun, command]) => {
    const names = revived[kind];
    if (names.length === 0) return [];
    const verb = names.length === 1 ? "is" : "are";
    return [
      `${plural(names.length, noun)} ${verb} valid as in the backup of ${made_at.slice(0, 16)}Z: ` +
        `${names.join(", ")}. End again what was ended since: ${command}`,
    ];
  });
}

/** Shows the progress on a terminal: the step, and the bytes of that step. */
function progressCounter(title: string, args: OutputArgs) {
  const bar = openProgress(title, null, args);
  let step = "";
  let bytes = 0;
  let drawnAt = 0;
  const show = () => {
    drawnAt = performance.now();
    bar.show(`${step}${step && " "}${(bytes / 1e6).toFixed(1)} MB`);
  };
  return {
    onStep(next: string) {
      step = next;
      bytes = 0;
      show();
    },
    onBytes(count: number) {
      bytes += count;
      if (performance.now() - drawnAt > 100) show();
    },
    done: bar.end,
  };
}

/** Warns about stores that belong to another deployment. */ async function warnOfOwners({
  store,
  publicStore,
}: OpenContext): Promise<void> {
  for (const [name, opened] of Object.entries({ asset: store, public: publicStore })) {
    const why = opened && ownershipWarning(await opened.owner());
    if (why) writeError(`svc: the ${name} store: ${why}\n`);
  }
}

/** Warns about files that are missing or damaged in the backup. */
function warnOfDamage({ missing, damaged }: End): void {
  const summarize = (names: string[]) =>
    `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
  if (missing.length > 0)
    writeError(`svc: missing from the store: ${summarize(missing)}. Run svc doctor for details.\n`);
  if (damaged.length > 0)
    writeError(
      `svc: content differs from its SHA-256: ${summarize(damaged)}. Run svc doctor --deep for details.\n`,
    );
}
