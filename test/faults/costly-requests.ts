/** The costliest request that one can craft for each route that reads a body or a query. */
import { bearer, between, type CostlyRequest, json, KiB, MiB } from "./costly-request.ts";
import { costlyTelemetry } from "./costly-telemetry.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };
const delivery = { "x-gitea-event": "push", "x-gitea-delivery": "1" };
const marks = (bytes: number) => `a${"\u0301".repeat(bytes / 4)}${"\u0316".repeat(bytes / 4)}`;

const events = () => ({
  events: Array.from({ length: 1_000 }, (_, index) => ({
    ...{ kind: "step.usage", actor: `agent:a${index}`, summary: `step ${index} `.repeat(50).trim() },
    ...{ project: "atlas", model: `model-${index}`, run_id: `run-${index}` },
    ...{ tokens_in: index, tokens_out: 1, cost_equiv: 0.5, dedupe_key: `${performance.now()} ${index}` },
  })),
});

export const costlyRequests: CostlyRequest[] = [
  {
    route: "POST /mcp",
    what: "350,000 objects, without a token",
    headers: json,
    body: between(MiB, '{"a":[', "{},", "{}]}"),
  },
  {
    route: "POST /mcp",
    what: "64 KB of combining marks, without a token",
    headers: json,
    body: () => Buffer.from(JSON.stringify({ jsonrpc: marks(64 * KiB) })),
  },
  {
    route: "POST /mcp",
    what: "99,000 objects in a call, without a token",
    headers: json,
    body: between(
      300_000,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_get_info","arguments":{"a":[',
      "{},",
      "{}]}}}",
    ),
  },
  {
    route: "POST /sign-in",
    what: "60 KB of combining marks",
    headers: form,
    body: () => Buffer.from(`token=${marks(60 * KiB)}`),
  },
  {
    route: "POST /sign-in",
    what: "6,000 fields that are not UTF-8",
    headers: form,
    body: () =>
      Buffer.from(
        `${Array.from({ length: 6_000 }, (_, at) => `${at.toString(36)}=%FF`).join("&")}&z=%EF%BF%BD`,
      ),
  },
  {
    route: "POST /api/hooks/gitea",
    what: "form of 6.5 million fields, without a signature",
    headers: { ...form, ...delivery, "x-gitea-signature": "0" },
    body: between(25 * MiB, "payload={}", "&a=1", ""),
  },
  {
    route: "POST /api/hooks/gitea",
    what: "form of 25 MiB, with a wrong signature",
    headers: { ...form, ...delivery, "x-gitea-signature": "0".repeat(64) },
    body: between(25 * MiB, "payload=", "%7B", ""),
  },
  {
    route: "POST /api/hooks/gitea",
    what: "JSON of 25 MiB, with a wrong signature",
    headers: { ...json, ...delivery, "x-gitea-signature": "0".repeat(64) },
    body: between(25 * MiB, '{"a":"', "a", '"}'),
  },
  {
    route: "POST /api/hooks/gitlab",
    what: "8.7 million objects, with the secret",
    headers: { ...json, "x-gitlab-token": "a secret", "x-gitlab-event": "Push Hook" },
    body: between(25 * MiB, '{"object_kind":[', "{},", "{}]}"),
  },
  {
    route: "GET /api/v1/recall",
    what: "a query of 1,000 words",
    query: `?query=${Array.from({ length: 1_000 }, (_, at) => `word${at}`).join("+")}`,
    headers: bearer,
  },
  {
    route: "POST /api/v1/events",
    what: "1.4 million objects",
    headers: { ...json, ...bearer },
    body: between(4 * MiB, '{"events":[', "{},", "{}]}"),
  },
  {
    route: "POST /api/v1/events",
    what: "1,000 events of 1,000 runs, actors and models",
    headers: { ...json, ...bearer },
    body: () => Buffer.from(JSON.stringify(events())),
  },
  ...costlyTelemetry,
];
