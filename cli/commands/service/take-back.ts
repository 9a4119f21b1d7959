/** What commands that take something back share: a preview, an export, a question. */
import { stat } from "node:fs/promises";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import type { RemovalSubjectInput } from "../../../src/library/removals/schema.ts";
import { type ApiAccess, type ApiArgs, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { requireAgreement } from "../../output/agree.ts";
import { note, type OutputArgs, reportChange } from "../../output/report.ts";
import { formatCount } from "../../output/table.ts";

export const takeBackFlags = {
  reason: { type: "string", description: "Why; it stays, so do not repeat what you remove" },
  preview: { type: "boolean", description: "Only show what would change" },
  export: { type: "string", description: "First save the rows that change, as NDJSON", valueHint: "file" },
} as const;

interface TakeBackArgs extends OutputArgs, ApiArgs {
  reason?: string | undefined;
  preview?: boolean | undefined;
  export?: string | undefined;
  yes?: boolean | undefined;
}

/** @param what it does, as a question asks */
export async function takeBackWith(
  args: TakeBackArgs,
  { also, ...of }: Omit<RemovalSubjectInput, "also"> & { also?: string | undefined },
  what: string,
): Promise<void> {
  const { reason } = args;
  if (reason === undefined && !args.preview) throw new UsageError("Say why: --reason TEXT.");
  const subject = { ...of, ...(also !== undefined && { also }) };
  await withApi(args, async (access) => {
    const { api, place } = access;
    const plan = await unwrap(api.GET("/removals/plan", { params: { query: subject } }));
    const lines = [
      ...(plan.names.length > 0 ? [`Names: ${plan.names.map(escapeControls).join(", ")}`] : []),
      ...plan.places.map((one) => `${formatCount(one.rows)} in ${escapeControls(one.place)}`),
    ];
    if (args.preview || reason === undefined) return reportChange(args, plan, lines.join("\n"));
    await requireAgreement(args, lines, `${what} ${place}?`);
    if (args.export !== undefined) await saveRows(access, subject, args.export);
    const removal = await unwrap(api.POST("/removals", { body: { ...subject, reason } }));
    if (removal.finished_at === null)
      note(args, "Copies in files are not deleted yet. svc serve tries again.");
    await reportChange(args, removal, `Done ${place}: ${removal.kind} ${escapeControls(removal.subject)}.`);
  });
}

async function saveRows({ api }: ApiAccess, subject: RemovalSubjectInput, file: string): Promise<void> {
  if (await stat(file).catch(() => null)) throw new CommandError(`${file} exists; choose another name.`);
  const { rows } = await unwrap(api.GET("/removals/rows", { params: { query: subject } }));
  await Bun.write(file, rows.map(({ table, row }) => `{"table":"${table}","row":${row}}\n`).join(""));
}
