/** Requests of webhooks go to a public or allowed address alone, and answers are bounded. */
import { describe, expect, test } from "bun:test";
import { type AllowList, parseAllowList } from "../../../../src/core/lib/http/allow-list.ts";
import {
  checkDestination,
  DestinationRefused,
  type Resolver,
} from "../../../../src/integrations/webhooks/destination/destination.ts";
import { post } from "../../../../src/integrations/webhooks/destination/post.ts";
import { must, until } from "../../../support/conditions.ts";
import { answerOk, rawReceiver, writeForever } from "../../../support/webhooks/webhook-receiver.ts";

const listOf = (text: string): AllowList => must(parseAllowList(text));
const nothing = listOf("");
const loopback = listOf("127.0.0.0/8,::1");
const send = (
  url: string,
  { allow = loopback, timeoutMs = 10_000, ...options }: Partial<Parameters<typeof post>[1]> = {},
) => post({ url, headers: { "x-a": "b" }, body: "hello" }, { allow, timeoutMs, ...options });
/** Why a request was not sent, or failed. */
const failureOf = async (sent: Promise<unknown>): Promise<Error> =>
  sent.then(
    () => new Error("it was answered"),
    (error) => error,
  );
const refusalOf = async (url: string, options?: Partial<Parameters<typeof post>[1]>): Promise<string> => {
  const error = await failureOf(send(url, { allow: nothing, ...options }));
  return error instanceof DestinationRefused ? error.message : `not refused: ${error.message}`;
};
const secretPath = "/services/T00/B00/secret";

describe("a webhook is not sent", () => {
  const notPublic = /(is not a public address|does not resolve to public addresses)\..+ask an admin/i;

  test("to this machine, however its address is written", async () => {
    await using receiver = await rawReceiver(answerOk);
    const hosts = ["127.0.0.1", "2130706433", "0177.0.0.1", "0x7f.1", "0x7f000001", "127.1", "127.0.0.1."];
    hosts.push("①②⑦.0.0.1", "127%2e0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "0");
    for (const scheme of ["http", "https"])
      for (const host of [...hosts, "localhost", "localhost.", "LOCALHOST"])
        expect(await refusalOf(`${scheme}://${host}:${receiver.port}/`)).toMatch(notPublic);
    expect(receiver.requests).toEqual([]);
  });

  test("to a name with a private address, even beside public ones", async () => {
    const answers = [["10.0.0.1"], ["8.8.8.8", "169.254.169.254"], ["2606:4700::1", "fd00:ec2::254"]];
    for (const addresses of answers)
      expect(await refusalOf("https://example.com/", { resolve: async () => addresses })).toMatch(notPublic);
  });

  test("by http, unless the host is listed", async () => {
    const resolve = async () => ["8.8.8.8"];
    expect(await refusalOf("http://example.com/", { resolve })).toMatch(/^Use an https URL/);
    const noAddress = async () => [];
    const check = (allow: string) =>
      checkDestination("http://nowhere.example/", listOf(allow), noAddress).then(
        ({ href }) => href,
        ({ message }: Error) => message,
      );
    for (const allow of ["", "10.0.0.0/8"]) expect(await check(allow)).toMatch(/^Use an https URL/);
    expect(await check("nowhere.example")).toBe("http://nowhere.example/");
    expect(await refusalOf("ftp://example.com/", { resolve })).toBe("Use an https URL.");
    expect(await refusalOf("file:///etc/passwd", { resolve })).toBe("Use an https URL.");
  });

  test("to a URL with credentials, a fragment, port 0, or nonsense", async () => {
    expect(await refusalOf("https://user:word@example.com/")).toMatch(/user name or a password/);
    expect(await refusalOf("https://token@example.com/")).toMatch(/user name or a password/);
    expect(await refusalOf("https://example.com/#")).toMatch(/fragment/);
    expect(await refusalOf("https://example.com:0/")).toMatch(/port 0/);
    for (const url of ["", "example.com", "https://", "https://a b/", "https://[fe80::1%25eth0]/"])
      expect(await refusalOf(url)).toMatch(/^The URL is not valid/);
  });
});

describe("a webhook is sent", () => {
  test("to the address that was checked, although DNS changes right after", async () => {
    await using checked = await rawReceiver(answerOk, "127.0.0.2");
    await using changed = await rawReceiver(answerOk, "127.0.0.1", checked.port);
    let lookups = 0;
    const rebinding: Resolver = async () => [lookups++ === 0 ? "127.0.0.2" : "127.0.0.1"];
    const allow = listOf("127.0.0.2");
    const url = `http://rebind.test:${checked.port}/`;
    expect((await send(url, { allow, resolve: rebinding })).status).toBe(200);
    expect([lookups, checked.requests.length, changed.requests.length]).toEqual([1, 1, 0]);
    expect(await refusalOf(url, { allow, resolve: rebinding })).toMatch(/does not resolve/);
    expect([lookups, checked.requests.length, changed.requests.length]).toEqual([2, 1, 0]);
  });

  test("as one POST with the name in Host, its headers and its body", async () => {
    await using receiver = await rawReceiver(answerOk);
    const url = `http://Hooks.test.:${receiver.port}/in?a=b%20c`;
    await send(url, { resolve: async (name) => (name === "hooks.test" ? ["127.0.0.1"] : []) });
    const [head = "", body] = must(receiver.requests[0]).split("\r\n\r\n");
    const [line, ...headers] = head.split("\r\n");
    expect([line, body]).toEqual(["POST /in?a=b%20c HTTP/1.1", "hello"]);
    expect(headers.filter((header) => /^host:/i.test(header))).toEqual([
      `Host: hooks.test.:${receiver.port}`,
    ]);
    expect(headers).toContainEqual(expect.stringMatching(/^x-a: b$/i));
    expect(headers).toContainEqual(expect.stringMatching(/^user-agent: svc\/\d/i));
  });

  test("to the next address if one refuses the connection, IPv4 first", async () => {
    await using receiver = await rawReceiver(answerOk, "127.0.0.3");
    const resolve = async () => ["::1", "127.0.0.2", "127.0.0.3"];
    expect((await send(`http://hooks.test:${receiver.port}/`, { resolve })).status).toBe(200);
  });

  test("without following a redirect", async () => {
    await using target = await rawReceiver(answerOk);
    await using receiver = await rawReceiver((socket) =>
      socket.end(
        `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${target.port}/\r\ncontent-length: 0\r\n\r\n`,
      ),
    );
    expect(await send(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 302, body: "" });
    expect(target.requests).toEqual([]);
  });
});

describe("of an answer", () => {
  const answerTo = async (text: string) => {
    await using receiver = await rawReceiver((socket) => socket.end(text));
    return await send(`http://127.0.0.1:${receiver.port}/`);
  };

  test("the status, Retry-After, and text without NUL are kept", async () => {
    const answer = (header: string) =>
      `HTTP/1.1 429 Slow Down\r\n${header}content-length: 5\r\n\r\na\0b\xff\n`;
    expect(await answerTo(answer("retry-after: 7\r\n"))).toMatchObject({ status: 429, retryAfterMs: 7_000 });
    expect(await answerTo(answer("retry-after: soon\r\n"))).toMatchObject({ retryAfterMs: null });
    expect((await answerTo(answer(""))).body).toMatch(/^a\ufffdb/);
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { retryAfterMs } = await answerTo(answer(`retry-after: ${date}\r\n`));
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  test("2 KiB are kept, and the connection of an endless one is closed", async () => {
    const heads = ["\r\n", "transfer-encoding: chunked\r\n\r\n"];
    for (const head of heads) {
      const part = "é".repeat(500);
      const chunk = head === "\r\n" ? part : `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;
      await using receiver = await rawReceiver((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}${head === "\r\n" ? "x" : "1\r\nx\r\n"}`);
        writeForever(socket, chunk);
      });
      const { body } = await send(`http://127.0.0.1:${receiver.port}/`);
      expect(body).toBe(`x${"é".repeat(1023)}`); // the next one would be cut in two
      await until(() => receiver.open() === 0, "the connection is closed");
    }
  });

  test("compressed bytes are not unpacked", async () => {
    const bomb = Bun.gzipSync(Buffer.alloc(10_000_000));
    await using receiver = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
      socket.end(bomb);
    });
    const { body } = await send(`http://127.0.0.1:${receiver.port}/`);
    expect(body).toStartWith("\x1f");
  });

  test("endless headers end it, and its connection", async () => {
    const heads = ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\na: ", ""];
    for (const head of heads) {
      await using receiver = await rawReceiver((socket) => {
        socket.write(head);
        writeForever(socket, head.endsWith("\n") ? `a: ${"x".repeat(60_000)}\r\n` : "x".repeat(60_000));
      });
      const error = await failureOf(send(`http://127.0.0.1:${receiver.port}/`));
      expect(error.message).toBe("The receiver's answer is not valid HTTP.");
      await until(() => receiver.open() === 0, "the connection is closed");
    }
  });
});

describe("a webhook's request ends", () => {
  test("at the timeout, whether nothing comes or a byte at a time", async () => {
    const slowly = (head: string, text: string) =>
      rawReceiver((socket) => {
        socket.write(head);
        const timer = setInterval(() => socket.write(text), 20);
        socket.on("close", () => clearInterval(timer));
      });
    const receivers = [rawReceiver(() => {}), slowly("HTTP/1.1 200 OK\r\n", "a: b\r\n")];
    receivers.push(slowly("HTTP/1.1 200 OK\r\n\r\n", "a"), slowly("", "HTTP/1.1 103 Early Hints\r\n\r\n"));
    const ended = receivers.map(async (opening) => {
      await using receiver = await opening;
      const error = await failureOf(send(`http://127.0.0.1:${receiver.port}/`, { timeoutMs: 300 }));
      expect(error.message).toBe("The receiver did not answer within 0.3 s.");
      await until(() => receiver.open() === 0, "the connection is closed");
    });
    await Promise.all(ended);
  });

  test("at the timeout if the name server is silent", async () => {
    const resolve = () => new Promise<never>(() => {});
    const error = await failureOf(send("https://hooks.test/", { timeoutMs: 100, resolve }));
    expect(error.message).toBe("The receiver did not answer within 0.1 s.");
  });

  test("when it is aborted", async () => {
    const controller = new AbortController();
    await using receiver = await rawReceiver(() => controller.abort());
    const error = await failureOf(send(`http://127.0.0.1:${receiver.port}/`, { signal: controller.signal }));
    expect(error.message).toMatch(/^The delivery was stopped/);
    const before = failureOf(send(`http://127.0.0.1:${receiver.port}/`, { signal: controller.signal }));
    expect((await before).message).toMatch(/^The delivery was stopped/);
  });

  test("with a reason that does not hold its URL", async () => {
    await using reset = await rawReceiver((socket) => socket.destroy());
    const unused = await rawReceiver(answerOk);
    await unused[Symbol.asyncDispose]();
    const reasons: [url: string, reason: RegExp, options?: object][] = [
      [`http://127.0.0.1:${unused.port}${secretPath}`, /^The receiver refused the connection/],
      [`http://127.0.0.1:${reset.port}${secretPath}`, /^The receiver closed the connection/],
      [`https://127.0.0.1:${reset.port}${secretPath}`, /TLS|closed the connection/],
      [`https://gone.test${secretPath}`, /^gone\.test does not resolve/, { resolve: async () => [] }],
    ];
    for (const [url, reason, options] of reasons) {
      const error = await failureOf(send(url, options));
      expect(error).not.toBeInstanceOf(DestinationRefused);
      expect(error.message).toMatch(reason);
      expect(error.message).not.toContain("secret");
    }
  });
});
