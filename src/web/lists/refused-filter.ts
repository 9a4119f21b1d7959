/** A filter that an operation refused: the page keeps its form, and marks the field. */
import { NotFound, Problem, type Status } from "../../core/problem.ts";
import { requireProjects } from "../../feed/projects/projects.ts";
import type { View } from "../view.ts";
import type { FilterField } from "./fields.tsx";

export class RefusedFilter {
  constructor(
    /** The name of the filter; null if the error names none that the page has. */
    readonly name: string | null,
    readonly status: Status,
    readonly detail: string,
  ) {}
}

/**
 * Loads a list. @returns the filter that an operation refused with 400, or with 404 for the project: also
 * where the API has an empty list, as a stored link or a saved view may be of a removed project
 * @param names the filters of the page
 */
export async function listOrRefused<T>(
  { url, ctx, visitor }: View,
  names: readonly string[],
  load: () => Promise<T>,
): Promise<T | RefusedFilter> {
  try {
    const list = await load();
    const slugs = url.searchParams.getAll("project").flatMap((value) => value.split(",").filter(Boolean));
    if (names.includes("project")) await requireProjects(ctx, slugs, visitor.caller);
    return list;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isProject = error instanceof NotFound && error.resource === "project" && names.includes("project");
    if (error.status !== 400 && !isProject) throw error;
    // The contract of a 400: its detail begins with the field.
    const named = isProject ? "project" : /^\w+/.exec(error.detail)?.[0];
    return new RefusedFilter(named && names.includes(named) ? named : null, error.status, error.detail);
  }
}

/** What is wrong with a value, beside its field. */
export function refusalText(field: FilterField, value: string, { name, detail }: RefusedFilter): string {
  if (name === "project") return `There is no project "${value}".`;
  if (field.as === "number") return `"${value}" is not a number. Enter one such as 12.`;
  if (field.as === "date" && !/^\d{4}-\d\d-\d\d$/.test(value)) return `"${value}" is not a date.`;
  if (field.options && !field.options.includes(value)) return `"${value}" is not one of the choices.`;
  return detail.replace(/^\w+/, field.label).replaceAll("`", "");
}
