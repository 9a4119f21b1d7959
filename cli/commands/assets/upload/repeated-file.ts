/** Stops the upload of a file that was already rejected, unless the user says why it comes back. */
import { escapeControls } from "../../../../src/core/lib/strings/display-text.ts";
import { repeatText } from "../../../../src/library/repeats/text.ts";
import type { ApiAccess } from "../../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../../client/client.ts";
import { CommandError } from "../../../command-errors.ts";

/** The file was not uploaded. Other files of the same push still are. */
export class RepeatedFileError extends CommandError {}

/** The answer to a read, or null for a token that may only write: the upload's answer then says the same. */
export async function ifReadable<T>(read: Promise<T>): Promise<T | null> {
  return read.catch((error) => {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  });
}

/** @returns whether the file was rejected @throws {RepeatedFileError} if it must not be uploaded as it is */
export async function checkRepeat(
  { api }: Pick<ApiAccess, "api">,
  path: string,
  sha256: string,
  { project, replaces, resubmit }: Pick<Schemas["FinalizeRequest"], "project" | "replaces" | "resubmit">,
): Promise<boolean> {
  const params = { path: { slug: project }, query: { sha256, ...(replaces !== undefined && { replaces }) } };
  const found = await ifReadable(unwrap(api.GET("/projects/{slug}/repeats", { params })));
  if (!found?.repeats) return false;
  const { id } = found.repeats;
  if (found.refused)
    throw refused(
      path,
      found.repeats,
      `${project} refuses such files: change it, or ask for a review of ${id}.`,
    );
  if (resubmit === undefined)
    throw refused(path, found.repeats, "Change it, or say why you upload it again: --resubmit REASON");
  return true;
}

const refused = (path: string, repeats: Schemas["Repeats"], advice: string): RepeatedFileError =>
  new RepeatedFileError(`${path} was not uploaded. ${describeRepeat(repeats)} ${advice}`);

export const describeRepeat = (repeats: Schemas["Repeats"]): string =>
  escapeControls(repeats.text ?? repeatText(repeats)).replaceAll("\n", " ");
