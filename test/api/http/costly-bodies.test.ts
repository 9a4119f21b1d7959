/** Bodies that are small to send and made to be costly to read. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonValuesMax } from "../../../src/core/lib/http/request-body.ts";
import { decodeUrlEncoded } from "../../../src/core/lib/http/url-encoding.ts";
import { measureJson } from "../../../src/core/lib/json-extent.ts";
import { normalizeUnicode } from "../../../src/core/lib/strings/nfc.ts";
import { isHexHmac } from "../../../src/integrations/incoming-webhooks/signatures.ts";
import { openApp, type TestApp } from "../../support/harness.ts";

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await openApp("sqlite", {
    SVC_GITEA_WEBHOOK_SECRET: "a secret",
    SVC_GITLAB_WEBHOOK_SECRET: "a secret",
  });
  token = await app.mint(["feed:write"]);
});
afterAll(() => app.close());

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const post = (path: string, body: BodyInit, headers: Record<string, string>) =>
  app.ask(path, { method: "POST", headers, body });

describe("a JSON body of more than 100,000 values is a 413", () => {
  const listOf = (count: number) => `[${"{},".repeat(count - 2)}{}]`;
  const signed = { ...json, "x-gitlab-token": "a secret", "x-gitlab-event": "Push Hook" };
  test.each([
    [
      "of the API",
      "/api/v1/events",
      () => ({ ...json, authorization: `Bearer ${token}` }),
      '{"events":',
      "}",
    ],
    ["of MCP without a token", "/mcp", () => json, "", ""],
    ["of a webhook", "/api/hooks/gitlab", () => signed, '{"object_kind":', "}"],
  ])("%s", async (_, path, headers, before, after) => {
    const body = (count: number) => before + listOf(count) + after;
    const more = before === "" ? 0 : 1;
    expect((await post(path, body(jsonValuesMax - more), headers())).status).toBeLessThan(413);
    expect((await post(path, body(jsonValuesMax - more + 1), headers())).status).toBe(413);
  });

  test.each([
    ["{}", 1, 0, 1],
    ["[ ]", 1, 0, 1],
    ["[1]", 2, 0, 1],
    ['{"a":[{},[]],"b":"x"}', 5, 2, 3],
    ['["},{[\\":]", "\\\\", null]', 4, 0, 1],
    [" 1 ", 1, 0, 0],
  ])("%s has %i values and %i names", (text, values, names, depth) => {
    expect(measureJson(Buffer.from(text), jsonValuesMax)).toEqual({ values, names, depth });
  });
});

describe("text with any number of combining marks is read in linear time", () => {
  // Sorted by insertion, these took a minute; every other request waited.
  const marks = `a${"\u0301".repeat(30_000)}${"\u0316".repeat(30_000)}`;
  test.each([
    ["in a message of MCP without a token", "/mcp", json, JSON.stringify({ jsonrpc: marks })],
    ["in the sign-in form", "/sign-in", form, `token=${marks.slice(0, 16_000)}${marks.slice(-16_000)}`],
  ])("%s", async (_, path, headers, body) => {
    const started = performance.now();
    expect((await post(path, body, headers)).status).toBeLessThan(500);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test("and 30 of them stay as they are", () => {
    const few = `e${"\u0301".repeat(15)}${"\u0316".repeat(15)}`;
    expect(normalizeUnicode(few)).toBe(few.normalize("NFC"));
    const normal = normalizeUnicode(marks);
    expect(normalizeUnicode(normal)).toBe(normal);
  });
});

test("a webhook as a form of a million fields is a 400 before its signature is checked", async () => {
  const headers = { ...form, "x-gitea-event": "push", "x-gitea-delivery": "1", "x-gitea-signature": "00" };
  const started = performance.now();
  const response = await post("/api/hooks/gitea", `payload={}${"&a=1".repeat(6_000_000)}`, headers);
  expect(response.status).toBe(400);
  expect(performance.now() - started).toBeLessThan(1_000);
});

describe("the signature of a webhook of any size", () => {
  test("is checked in slices, and others have a turn between two", async () => {
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const before: number[] = [];
    function* slowPieces() {
      for (let at = 0; at < 3; at++) {
        before.push(turns);
        // A slice lasts 10 ms.
        for (const until = performance.now() + 15; performance.now() < until; );
        yield Buffer.from("piece");
      }
    }
    expect(await isHexHmac("0".repeat(64), slowPieces(), "a secret")).toBe(false);
    clearImmediate(next);
    expect(new Set(before).size).toBe(3);
  });

  test.each([null, "", "00", `sha256=${"0".repeat(64)}`])(
    "reads no body for the signature %p",
    async (given) => {
      const unread = {
        [Symbol.iterator]: () => {
          throw new Error("read");
        },
      };
      expect(await isHexHmac(given, unread, "a secret")).toBe(false);
    },
  );

  test("in a form is that of its payload, decoded in pieces of 64 KiB", () => {
    for (const text of [
      "",
      "%",
      "a%2",
      "%zz+%%41",
      "+%7B%22".repeat(40_000),
      `x${"%C3%A9".repeat(40_000)}%`,
    ]) {
      const pieces = Array.from(decodeUrlEncoded(Buffer.from(text)), (piece) => piece.slice());
      for (const { length } of pieces) expect(length).toBeLessThanOrEqual(64 * 1024);
      const expected = new URLSearchParams(`a=${text}`).get("a") ?? "";
      expect(Buffer.concat(pieces).toString()).toBe(expected);
    }
  });
});
