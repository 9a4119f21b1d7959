/** The formats of webhooks by name. */
import type { Format, FormatName } from "./format.ts";
import { json } from "./services/json.ts";

export const formats: Partial<Record<FormatName, Format>> = { json };
