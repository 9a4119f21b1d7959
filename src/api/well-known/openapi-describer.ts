import type { TSchema } from "@sinclair/typebox";
import type { DescriptionContext } from "../../core/context.ts";
import type { JsonSchema } from "../../core/lib/json-schema.ts";

/** Context for functions that describe a part of the document. */
export interface Describer {
  site: DescriptionContext;
  /** Converts a schema; one with a name (`$id`) becomes a component. */
  schema(type: TSchema): JsonSchema;
  /** Adds a component once and returns a reference to it. */
  component(name: string, describe: () => JsonSchema): JsonSchema;
}
