import { Type } from "@sinclair/typebox";
import type { Config } from "../../core/config.ts";
import { describeService, Info, Methodology, methodology } from "../../core/info.ts";
import { perObject } from "../../core/lib/cache.ts";
import { Json } from "../../core/wire.ts";
import { operation } from "./operation.ts";

/** Serialized once: a configuration never changes. */
const infoDocument = perObject((config: Config) => new Json<Info>(JSON.stringify(describeService(config))));

export const getInfo = operation({
  id: "getInfo",
  tag: "info",
  summary: "Describe the service",
  description: "What the service is, its five rules, the task flow, and links to machine-readable documents.",
  scope: "public",
  stable: true,
  http: { method: "GET", path: "/info" },
  tool: { name: "svc_get_info", title: "Describe the service" },
  input: Type.Object({}),
  output: Info,
  run: async ({ config }) => infoDocument(config),
});

export const getMethodology = operation({
  id: "getMethodology",
  tag: "info",
  summary: "Explain how the team works",
  description: "The five rules and the task flow, as text. Read it once before your first task.",
  scope: "public",
  stable: true,
  tool: { name: "svc_get_methodology", title: "Explain how the team works", text: ({ text }) => text },
  input: Type.Object({}),
  output: Methodology,
  run: async ({ config }) => methodology(config),
});
