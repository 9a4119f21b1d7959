/** The operation that makes the checks of `svc doctor` which take a moment. */
import { Type } from "@sinclair/typebox";
import { operationOf } from "../../core/operation.ts";
import { Choice } from "../../core/wire.ts";
import type { Context } from "../context.ts";
import { quickChecks } from "./checks.ts";

const levels = ["ok", "warning", "error"] as const;

export const listChecks = operationOf<Context>("info")({
  id: "listChecks",
  summary: "Check the deployment",
  description: "What svc doctor finds in a moment: it writes nothing, and reads no files. For admins.",
  scope: "public",
  token: "admin",
  http: { method: "GET", path: "/checks", errors: [401, 403] },
  input: Type.Object({}),
  output: Type.Object({
    checks: Type.Array(
      Type.Object({
        what: Type.String({ examples: ["database"] }),
        level: Choice(levels),
        detail: Type.String({ description: "The result, and how to fix it.", examples: ["responds"] }),
      }),
    ),
  }),
  run: async (ctx) => ({ checks: await quickChecks(ctx) }),
});
