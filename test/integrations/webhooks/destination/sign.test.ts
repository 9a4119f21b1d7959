/** Signatures of webhooks, verified by the reference library of Standard Webhooks. */
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { generateSecret, signedHeaders } from "../../../../src/integrations/webhooks/destination/sign.ts";

const body = '{"type":"run.failed","data":{"summary":"Übung ✓"}}';
const now = () => Date.now() * 1000;

describe("signatures of webhooks", () => {
  test("are accepted by standardwebhooks, of text and of bytes", () => {
    const secret = generateSecret();
    for (const sent of [body, Buffer.from(body)])
      expect(new Webhook(secret).verify(body, signedHeaders([secret], "evt_4711", now(), sent))).toEqual(
        JSON.parse(body),
      );
  });

  test("carry the id and the second of the attempt", () => {
    const headers = signedHeaders([generateSecret()], "evt_4711", 1_700_000_000_999_999, body);
    expect(headers).toMatchObject({ "webhook-id": "evt_4711", "webhook-timestamp": "1700000000" });
  });

  test("during a rotation, are accepted with the new secret and with the old one", () => {
    const [secret, previous, other] = [generateSecret(), generateSecret(), generateSecret()];
    const headers = signedHeaders([secret, previous], "evt_1", now(), body);
    for (const accepted of [secret, previous])
      expect(() => new Webhook(accepted).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(other).verify(body, headers)).toThrow();
  });

  test("are refused for another body, another id, and after five minutes", () => {
    const secret = generateSecret();
    const headers = signedHeaders([secret], "evt_1", now(), body);
    const verify = (text: string, changes: object = {}) =>
      new Webhook(secret).verify(text, { ...headers, ...changes });
    expect(() => verify(`${body} `)).toThrow();
    expect(() => verify(body, { "webhook-id": "evt_2" })).toThrow();
    expect(() => verify(body, signedHeaders([secret], "evt_1", now() - 301e6, body))).toThrow();
  });

  test("use secrets of 32 random bytes", () => {
    const secrets = Array.from({ length: 50 }, generateSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    }
  });
});
