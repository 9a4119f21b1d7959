import { Type } from "@sinclair/typebox";
import { describeService, Info } from "../info.ts";
import { operation } from "./operation.ts";

export const getInfo = operation({
  id: "getInfo",
  tag: "info",
  summary: "Describe the service",
  description: "What the service is, its five rules, a task's life, and links to everything a machine can read.",
  scope: "public",
  stable: true,
  http: { method: "GET", path: "/info" },
  input: Type.Object({}),
  output: Info,
  run: async ({ config }) => describeService(config),
});
