/** Leaves Ajv out of the MCP library, 0.9 MB: it checks answers to forms, and svc sends clients no forms. */
import type { BunPlugin } from "bun";

const contents = `
  export { default as process } from "node:process";
  export class DefaultJsonSchemaValidator {
    getValidator() {
      throw new Error("This executable has no validator of forms, see cli/build/without-ajv.ts");
    }
  }`;

export const withoutAjv: BunPlugin = {
  name: "MCP without Ajv",
  setup(build) {
    build.onLoad({ filter: /@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/ }, () => ({
      contents,
      loader: "js",
    }));
  },
};
