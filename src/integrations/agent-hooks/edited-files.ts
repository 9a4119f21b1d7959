/** The files that a tool of an agent changed: their names, and nothing of what it wrote. */
import type { HookInput } from "./agent-hooks.ts";

/** The fields that name the file, and those that hold a patch in the form of Codex. */
const pathFields = ["file_path", "notebook_path", "filePath", "path"];
const patchFields = ["command", "input", "patch", "patchText"];
const patchedFile = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The names as the tool was given them: absolute, or relative to the folder of the session. */
export function editedFiles({ tool_input }: HookInput): string[] {
  const fields = typeof tool_input === "string" ? { input: tool_input } : tool_input;
  if (typeof fields !== "object" || fields === null) return [];
  const textOf = (name: string) => {
    const value = (fields as Record<string, unknown>)[name];
    return typeof value === "string" && value !== "" ? [value] : [];
  };
  const named = pathFields.flatMap(textOf);
  const patched = patchFields
    .flatMap(textOf)
    .flatMap((patch) => [...patch.matchAll(patchedFile)].map(([, path = ""]) => path.trim()));
  return [...new Set([...named, ...patched])];
}
