/** The list of raw operations, in the order of the OpenAPI document. */
import type { RawOperation } from "./raw-operation.ts";
import { uploads } from "./uploads.ts";

export const rawOperations: readonly RawOperation[] = [...uploads];
