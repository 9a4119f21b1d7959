/** When the last backup that included the files was made. */

import { fromMicros } from "../../core/lib/time.ts";
import type { Context } from "../context.ts";

const settingName = "last_backup";

/** Call after a backup was written. */
export const recordBackup = ({ data, now }: Pick<Context, "data" | "now">): Promise<void> =>
  data.atomically((writes) => writes.setSetting(settingName, fromMicros(now())));

/** The time as text; null before the first backup. */
export const lastBackup = ({ data }: Pick<Context, "data">): Promise<string | null> =>
  data.setting(settingName);
