/** JSON bodies are checked before they are read. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bodyBytesMax, readBytes } from "../../../src/core/lib/http/request-body.ts";
import { event, openApp, type TestApp } from "../../support/harness.ts";
import { base, big } from "../../support/http/input.ts";

describe("a body", () => {
  let app: TestApp;
  let ask: TestApp["ask"];
  let token: string;
  beforeAll(async () => {
    app = await openApp("sqlite");
    ask = app.ask;
    token = await app.mint(["feed:write"]);
  });
  afterAll(() => app.close());

  const good = JSON.stringify({ events: [event()] });
  const post = (
    body: BodyInit | null,
    type: string | null = "application/json",
    more: Record<string, string> = {},
  ) =>
    ask(`${base}/events`, {
      token,
      method: "POST",
      body,
      headers: { ...(type !== null && { "content-type": type }), ...more },
    });

  test("is JSON and says so, else 415", async () => {
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonx",
      "json",
      "*/*",
    ];
    for (const type of [...types, "application/ld+json", "text/json", "application/json/x"])
      expect([type, (await post(good, type)).status]).toEqual([type, 415]);
    expect((await post(new TextEncoder().encode(good), null)).status).toBe(415);
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      "application/json ;x=y",
    ])
      expect([type, (await post(good, type)).status]).toEqual([type, 200]);
  });

  test("is not compressed, else 415", async () => {
    const compressed = await post(Bun.gzipSync(good), undefined, { "content-encoding": "gzip" });
    expect([compressed.status, compressed.headers.get("accept-encoding")]).toEqual([415, "identity"]);
    expect((await post(good, undefined, { "content-encoding": "Identity" })).status).toBe(200);
  });

  const notJson = [
    "",
    " ",
    "{",
    "nonsense",
    `${good}${good}`,
    `${good}x`,
    "{'events':[]}",
    "{events:[]}",
    '{"events":[NaN]}',
    "\u0000",
  ];
  test.each(notJson)("of %j is not JSON: 400", async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  test.each([
    "null",
    "5",
    '"x"',
    "[]",
    "{}",
    '{"events":null}',
    '{"events":{}}',
    '{"events":[null]}',
    '{"events":["x"]}',
    '{"events":[[]]}',
  ])("of %s does not match the schema: 400", async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  test("is UTF-8: anything else is a 400, and nothing becomes a replacement character", async () => {
    const broken = [
      [0xff],
      [0xc3, 0x28],
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0xc0, 0xaf],
    ];
    const [head, tail] = good.split("Run") as [string, string];
    for (const bytes of broken) {
      const body = Buffer.concat([Buffer.from(`${head}Run`), Buffer.from(bytes), Buffer.from(tail)]);
      expect([bytes, (await post(body)).status]).toEqual([bytes, 400]);
    }
    expect((await post(Buffer.from(good, "utf16le"))).status).toBe(400);
  });

  test("is at most 32 levels deep", async () => {
    const nested = (levels: number) =>
      `${good.slice(0, -3)},"x":${"[".repeat(levels)}${"]".repeat(levels)}}]}`;
    expect((await post(nested(29))).status).toBe(200); // the object, the list and the event are three levels
    expect((await post(nested(30))).status).toBe(400);
    const objects = (levels: number) =>
      `${good.slice(0, -3)},"x":${'{"x":'.repeat(levels)}1${"}".repeat(levels)}}]}`;
    expect([(await post(objects(29))).status, (await post(objects(30))).status]).toEqual([200, 400]);
    expect((await post(nested(1_000_000))).status).toBe(400);
  });

  test("of one very long text is a 400", async () => {
    expect((await post(JSON.stringify({ events: [event({ summary: big(2_000_000) })] }))).status).toBe(400);
  });

  const limit = 4 * 2 ** 20;
  const sized = (bytes: number) => good.slice(0, -1) + " ".repeat(bytes - good.length) + good.slice(-1);

  test("of events over 4 MiB is a 413, with a right, a missing, or a wrong content-length", async () => {
    expect((await post(sized(limit))).status).toBe(200);
    expect((await post(sized(limit + 1))).status).toBe(413);
    expect((await post(sized(limit + 1), "application/json", { "content-length": "10" })).status).toBe(413);
    expect((await post(good, "application/json", { "content-length": String(limit + 1) })).status).toBe(413);
  });

  test("without Content-Length is cut off at the limit by the real server too", async () => {
    const origin = app.listen();
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${origin}${base}/events`, { method: "POST", headers, body: endless });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      413,
      "application/problem+json",
    ]);
    expect(sent).toBeLessThan(10 * limit);
  });

  test("of any other operation can have 1 MiB", async () => {
    const request = (bytes: number) =>
      new Request("http://svc.test", { method: "POST", body: new Uint8Array(bytes) });
    expect((await readBytes(request(2 ** 20), bodyBytesMax, null)).length).toBe(2 ** 20);
    expect(await readBytes(request(2 ** 20 + 1), bodyBytesMax, null).catch((problem) => problem.status)).toBe(
      413,
    );
  });
});
