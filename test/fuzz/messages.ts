/** Messages to /mcp in both eras: every method, with any parameters, and what is no message at all. */
import fc, { type Arbitrary } from "fast-check";
import { eras, mcpRequest } from "../support/agents/mcp-clients.ts";
import type { FuzzedRequest } from "./requests.ts";
import { anything, hostileText, type Known } from "./schema.ts";

const methods = [
  ...[
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
  ],
  ...[
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "resources/subscribe",
    "notifications/cancelled",
  ],
];

export function anyMessage(token: string, existing: Known): Arbitrary<FuzzedRequest> {
  const right = Object.values(existing).flat().map(String);
  const text = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: hostileText },
  );
  const kind = fc.constantFrom("project", "decision", "brief", "asset", "guidance", "nothing");
  const uri = fc.oneof(
    fc
      .tuple(kind, fc.array(text, { maxLength: 2 }))
      .map(
        ([scheme, parts]) =>
          `svc://${scheme}/${parts.map((one) => encodeURIComponent(one.toWellFormed())).join("/")}`,
      ),
    hostileText,
  );
  const argumentsOf = fc.dictionary(
    fc.constantFrom("project", "intent", "model", "asset", "id", "slug", "query", "__proto__"),
    text,
    {
      maxKeys: 3,
    },
  );
  const name = fc.oneof(
    fc.constantFrom(
      "start_task",
      "address_rejection",
      "svc_recall",
      "svc_brief",
      "svc_decide",
      "svc_asset_get",
    ),
    hostileText,
  );
  const ref = fc.oneof(
    name.map((one) => ({ type: "ref/prompt", name: one })),
    uri.map((one) => ({ type: "ref/resource", uri: one })),
    anything,
  );
  const output = fc.record(
    {
      name,
      uri,
      cursor: text,
      arguments: argumentsOf,
      ref,
      argument: fc.record({ name: text, value: text }),
      protocolVersion: text,
      level: text,
    },
    { requiredKeys: [] },
  );
  const params = fc.oneof(
    { weight: 8, arbitrary: output },
    { weight: 1, arbitrary: output.chain((one) => anything.map((odd) => ({ ...one, arguments: odd }))) },
  );
  return fc
    .tuple(fc.constantFrom(...eras), fc.constantFrom(...methods), params)
    .map(([era, method, given]) => {
      const { headers, json } = mcpRequest(era, method, given as Record<string, unknown>);
      // A field of a header carries no more than that.
      const fields = Object.entries(headers as Record<string, string>).map(([field, value]) => [
        field,
        value.replace(/[^\x20-\x7e]/g, "").slice(0, 2_000),
      ]);
      return {
        ...{ path: "/mcp", method: "POST", body: JSON.stringify(json) },
        headers: {
          ...Object.fromEntries(fields),
          "content-type": "application/json",
          authorization: `Bearer ${token}`,
        },
      };
    });
}
