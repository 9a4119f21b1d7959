/** Which URLs each format takes, and how it reads the answers of its service. */
import { describe, expect, test } from "bun:test";
import { formats } from "../../../../src/integrations/webhooks/formats/formats.ts";
import { type FormatName, formatNames } from "../../../../src/integrations/webhooks/schema.ts";

const own: Record<FormatName, string[]> = {
  json: ["https://example.com/hooks/svc", "https://example.com"],
  slack: [
    "https://hooks.slack.com/services/T0123/B0123/abcdef",
    "https://chat.example.com/hooks/abc",
    "https://discord.com/api/webhooks/123/abc/slack",
  ],
  discord: ["https://discord.com/api/webhooks/123/abc-_", "https://discord.com/api/v10/webhooks/123/abc"],
  teams: [
    "https://prod-01.westeurope.logic.azure.com:443/workflows/0a/triggers/manual/paths/invoke?sig=x",
    "https://a.1.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/0a/triggers",
  ],
  mattermost: ["https://chat.example.com/hooks/abc123", "https://example.com/chat/hooks/abc123"],
  telegram: [
    "https://api.telegram.org/bot123:abc/sendMessage?chat_id=-100123",
    "https://bots.example.com/bot123:abc/sendMessage?chat_id=@harbor&message_thread_id=4",
  ],
  ntfy: ["https://ntfy.sh/harbor-9f2c", "https://ntfy.example.com/harbor?auth=QmVhcmVy"],
};

const refused: [FormatName, string, string][] = [
  ["slack", "https://discord.com/api/webhooks/123/abc", "URL of Discord"],
  ["slack", "https://hooks.slack.com/", "/services/"],
  ["slack", "https://hooks.slack.com/workflows/T1/A1/1", "incoming webhook"],
  ["discord", "https://discord.com/channels/123/456", "api/webhooks"],
  ["discord", "https://hooks.slack.com/services/T0/B0/a", "URL of Slack"],
  ["teams", "https://acme.webhook.office.com/webhookb2/0a", "retired"],
  ["teams", "https://example.com/", "logic.azure.com"],
  ["mattermost", "https://chat.example.com/team/channels/town-square", "/hooks/"],
  ["telegram", "https://api.telegram.org/bot123:abc/sendMessage", "chat_id"],
  ["telegram", "https://api.telegram.org/bot123:abc/sendPhoto?chat_id=1", "sendMessage"],
  ["ntfy", "https://ntfy.sh/", "topic"],
  ["ntfy", "https://ntfy.sh/a/b", "topic"],
];

describe("the URL of a webhook", () => {
  test.each([...formatNames])("of format %s has the shape that the service gives", (name) => {
    for (const url of own[name]) expect([url, formats[name].checkUrl(new URL(url))]).toEqual([url, null]);
  });

  test.each(refused)("of format %s is not %s", (name, url, words) => {
    expect(formats[name].checkUrl(new URL(url))).toContain(words);
  });
});

const answer = (status: number, body: unknown = "") => ({
  ...{ status, retryAfterMs: null },
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const ok = { ok: true };
const failed = { ok: false };
const gone = { ok: false, isPermanent: true };

/** Format, its answer, and what that means. */
const answers: [FormatName, ReturnType<typeof answer>, object][] = [
  ["slack", answer(200, "ok"), ok],
  ["slack", answer(200, "invalid_blocks"), failed],
  ["slack", answer(400, "invalid_payload"), failed],
  ["slack", answer(404, "no_service"), gone],
  ["slack", answer(410, "channel_is_archived"), gone],
  ["slack", answer(429, "rate_limited"), failed],
  ["discord", answer(204), ok],
  ["discord", answer(429, { message: "limited", retry_after: 0.65 }), { ok: false, retryAfterMs: 650 }],
  ["discord", answer(404, { message: "Unknown Webhook", code: 10015 }), gone],
  ["discord", answer(401, { code: 50027 }), gone],
  ["discord", answer(404, "<html>"), failed],
  ["teams", answer(202), ok],
  ["teams", answer(413, "too large"), failed],
  ["teams", answer(404, { error: { code: "WorkflowNotFound" } }), gone],
  ["teams", answer(400, { error: { code: "WorkflowTriggerIsNotEnabled" } }), failed],
  ["mattermost", answer(200, "ok"), ok],
  ["mattermost", answer(200, "<html>a login page</html>"), failed],
  ["mattermost", answer(400, { id: "web.incoming_webhook.invalid.app_error" }), gone],
  ["telegram", answer(200, { ok: true, result: {} }), ok],
  ["telegram", answer(200, { ok: false, error_code: 400 }), failed],
  [
    ...(["telegram", answer(429, { ok: false, error_code: 429, parameters: { retry_after: 7 } })] as const),
    { ok: false, retryAfterMs: 7000 },
  ],
  ["telegram", answer(403, { ok: false, error_code: 403, description: "Forbidden: bot was blocked" }), gone],
  ["telegram", answer(400, { ok: false, error_code: 400, description: "Bad Request: chat not found" }), gone],
  ["telegram", answer(400, { ok: false, error_code: 400, parameters: { migrate_to_chat_id: -1 } }), gone],
  ["ntfy", answer(200, { id: "a" }), ok],
  ["ntfy", answer(429, { code: 42901 }), failed],
];

describe("the answer", () => {
  test.each(answers)("of %s is read as the service means it: %j", (name, given, outcome) => {
    expect(formats[name].outcome?.(given)).toEqual(outcome as never);
  });

  test("of a service never breaks the reader", () => {
    for (const name of formatNames)
      for (const body of ["", "null", "[]", "{", '{"error":null}', '{"parameters":3,"ok":false}', "\0"])
        expect([name, body, formats[name].outcome?.(answer(500, body))?.ok ?? false]).toEqual([
          name,
          body,
          false,
        ]);
  });
});
