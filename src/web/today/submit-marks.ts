/** The forms that mark items of Today as done, snooze them, and put them back. */

import { markInboxDone, snoozeInbox } from "../../overview/operations/inbox.ts";
import { callOperation, type View } from "../view.ts";

/** The view that a form is on, which its answer shows again. */
export const viewQuery = ({ url: { searchParams } }: View): string => {
  const named = searchParams.get("view");
  return named ? `?${new URLSearchParams({ view: named })}` : "";
};

/** The name of a checkbox is this and the id of its item: forms have one value for a name. */
export const pickName = "pick ";

/** The ids that a button names or, if it names none, those of the selected items. */
function idsOf(form: ReadonlyMap<string, string>, named: string | undefined): string[] {
  if (named) return named.split(",");
  return [...form.keys()].filter((key) => key.startsWith(pickName)).map((key) => key.slice(pickName.length));
}

/** Marks the items of a form as done, or puts them back. @returns where to go next */
export async function submitDone(view: View, form: ReadonlyMap<string, string>): Promise<string> {
  const undo = form.get("undo");
  const ids = idsOf(form, undo ?? form.get("item"));
  if (ids.length === 0) return `/${viewQuery(view)}`;
  await callOperation(view, markInboxDone, { ids, done: undo === undefined });
  return undo === undefined ? `/?${new URLSearchParams({ marked: ids.join() })}` : `/${viewQuery(view)}`;
}

/** Snoozes the items of a form. @returns where to go next */
export async function submitSnooze(view: View, form: ReadonlyMap<string, string>): Promise<string> {
  const [length, id] = (form.get("snooze") ?? "").split(" ");
  const ids = idsOf(form, id);
  if (ids.length === 0) return "/";
  const input = { ids, for: length, time_zone: form.get("time_zone") };
  const { until } = await callOperation<{ until: string }>(view, snoozeInbox, input);
  return `/?${new URLSearchParams({ marked: ids.join(), until })}`;
}
