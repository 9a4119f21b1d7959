/** `svc doctor`: diagnoses problems of a deployment and suggests fixes. */
import { defineCommand } from "citty";
import { attempt, examine } from "../../../src/api/doctor/checks.ts";
import { type Finding, warning, wrong } from "../../../src/api/doctor/finding.ts";
import { repair, takeStoresOver } from "../../../src/api/doctor/repairs.ts";
import type { Environment } from "../../../src/core/config.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { spoolLines } from "../../agents/connect/connection-list.ts";
import { spoolStatus } from "../../agents/spool/status.ts";
import { type ApiArgs, apiFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { actorFrom, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { auditFailure, commandAct, type OpenContext, open, verifiesCertificates } from "../../open.ts";
import { openProgress } from "../../output/progress.ts";
import { styles } from "../../output/styles.ts";

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
    ...apiFlags,
  },
  async run({ args }) {
    const options = {
      deep: args.deep ?? false,
      fix: args.fix ?? false,
      takeOver: args["take-over"] ?? false,
    };
    const progress = openProgress("svc doctor: ", null, args);
    const findings =
      args.server === undefined
        ? await diagnose({ SVC_DATA_DIR: args["data-dir"] }, options, progress.show)
        : await askServer(args, options);
    progress.clear();
    const marks = { ok: styles.green("✓"), warning: styles.yellow("!"), error: styles.red("✗") };
    for (const finding of findings)
      if (!args.quiet || finding.level !== "ok")
        await printLine(
          args.json
            ? JSON.stringify(finding)
            : `${marks[finding.level]} ${finding.what.padEnd(14)} ${finding.detail}`,
        );
    process.exit(findings.some(({ level }) => level === "error") ? 1 : 0);
  },
});

interface DoctorOptions {
  deep: boolean;
  fix: boolean;
  takeOver: boolean;
}

/** The checks that a server makes in a moment. */
async function askServer(args: ApiArgs, options: DoctorOptions): Promise<Finding[]> {
  if (Object.values(options).some(Boolean))
    throw new UsageError("--deep, --fix and --take-over work on the files and the database of this machine.");
  const { checks } = await withApi(args, ({ api }) => unwrap(api.GET("/checks")));
  return checks.map((check) => ({
    ...check,
    what: escapeControls(check.what),
    detail: escapeControls(check.detail),
  }));
}

/** Runs all checks. If the configuration or the database cannot be opened, that is the only finding. */
async function diagnose(
  flags: Environment,
  { deep, fix, takeOver }: DoctorOptions,
  tell: (what: string) => void,
): Promise<Finding[]> {
  let ctx: OpenContext;
  try {
    // After an upgrade the database is brought up to date first.
    tell("opening the database");
    ctx = await open(flags, {
      log(_, message, { tasks, migration, step } = {}) {
        if (tasks) tell(`${message}: ${tasks}`);
        if (migration) tell(`${message}: ${migration}, ${step}`);
      },
    });
  } catch (error) {
    const { name, message } = error as Error;
    return [wrong(name === "ConfigError" ? "configuration" : "database", message)];
  }
  const repairAs = (what: string, command: string, work: typeof takeStoresOver) => {
    const action = commandAct(actorFrom(undefined), command);
    return attempt(ctx, what, () => auditFailure(ctx, action, () => work(ctx, action)));
  };
  const repairs = [
    ...(takeOver ? await repairAs("taken over", "doctor --take-over", takeStoresOver) : []),
    ...(fix
      ? await repairAs("fixed", "doctor --fix", (_, action) => repair(ctx, action, { deep, tell }))
      : []),
  ];
  const findings = await examine({
    ...ctx,
    deep,
    repairs,
    verifiesCertificates: verifiesCertificates(),
    tell,
  });
  findings.push(...spoolLines(spoolStatus()).map((line) => warning("reports", line)));
  await ctx.close();
  return findings;
}
