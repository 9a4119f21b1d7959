/** Schemas of the params of methods that extensions add, which the MCP library does not know. */
import type { StandardSchemaV1 } from "@modelcontextprotocol/server";

type Params<F extends string> = Record<F, string>;

/** Params that have these texts; others are ignored. */
export const textParams = <F extends string>(...fields: F[]): StandardSchemaV1<unknown, Params<F>> => ({
  "~standard": {
    version: 1,
    vendor: "svc",
    validate: (value) => {
      const given = (value ?? {}) as Partial<Params<F>>;
      const wrong = fields.find((field) => typeof given[field] !== "string" || given[field] === "");
      return wrong === undefined
        ? { value: given as Params<F> }
        : { issues: [{ message: `${wrong} must be a text`, path: [wrong] }] };
    },
  },
});
