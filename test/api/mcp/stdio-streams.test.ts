/** How lines come in and go out on standard input and output, in this process. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { serveMcpLines } from "../../../src/api/mcp/stdio/stdio.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { message, type ToolAnswer } from "../../support/agents/mcp-clients.ts";
import { event, must, openApp, type TestApp } from "../../support/harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite");
  await app.ctx.data.append(Array.from({ length: 20 }, () => event({ summary: "x".repeat(500) })));
});
afterAll(() => app.close());

interface Response {
  id: number | null;
  result?: ToolAnswer;
  error?: { code: number; message: string };
}

const lineOf = (id: number, method: string, params: Record<string, unknown>) =>
  `${JSON.stringify({ ...message("older", method, params), id })}\n`;
const call = (id: number, name: string, args = {}) => lineOf(id, "tools/call", { name, arguments: args });
const listTools = (id: number) => lineOf(id, "tools/list", {});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const idsOf = (responses: Response[]) => responses.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
const oneTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** @param write is given what is written together. @returns the responses, in order */
async function serve(
  input: AsyncIterable<Uint8Array>,
  write: (lines: string) => Promise<void> = async () => {},
): Promise<Response[]> {
  const written: string[] = [];
  await serveMcpLines(Promise.resolve(app.ctx), () => adminCaller, {
    input,
    write(lines) {
      written.push(...lines.split("\n"));
      return write(lines);
    },
  });
  return written.map((line) => JSON.parse(line) as Response);
}

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

describe("lines that come in", () => {
  test.each([1, 2, 3, 7, 100_000])("may be cut anywhere, here after every %d bytes", async (size) => {
    const intent = "Größe: 😀 漢字";
    const input = bytesOf(
      call(1, "svc_get_info") +
        call(2, "svc_recall", { q: intent, project: intent }) +
        call(3, "svc_get_feed", { limit: 1 }) +
        listTools(4) +
        call(5, "svc_get_feed", { limit: 1 }).trimEnd(),
    );
    const responses = await serve(chunksOf(input, size));
    expect(idsOf(responses)).toEqual(oneTo(5));
    const [refused] = responses.filter(({ id }) => id === 2);
    expect(refused?.result?.isError).toBe(true);
    const [third, fifth] = [3, 5].map((wanted) => responses.find(({ id }) => id === wanted)?.result);
    expect(third?.structuredContent).toMatchObject({ count: 1 });
    expect(fifth).toEqual(must(third));
  });

  test("are each answered, whatever is between them", async () => {
    const input = [
      call(1, "svc_get_info"),
      "no JSON\n",
      call(2, "svc_get_info"),
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}\n',
      call(4, "svc_nope"),
      "[]\n",
      lineOf(5, "nope", {}),
      '{"jsonrpc":"2.0","method":"notifications/nope"}\n',
      call(6, "svc_get_info", { unknown: "argument" }),
      call(7, "svc_get_feed", { limit: 0 }),
    ].join("");
    const responses = await serve(chunksOf(bytesOf(input), 100_000));
    const outcomeOf = ({ error, result }: Response) => error?.code ?? (result?.isError ? "refused" : "ok");
    const outcomes = responses.map((response) => [response.id, outcomeOf(response)]);
    expect(new Map(outcomes.filter(([id]) => id !== null) as [number, unknown][])).toEqual(
      new Map<number, unknown>([
        [1, "ok"],
        [2, "ok"],
        [3, -32602],
        [4, -32602],
        [5, -32601],
        [6, "ok"],
        [7, "refused"],
      ]),
    );
    expect(outcomes.filter(([id]) => id === null)).toEqual([
      [null, -32700],
      [null, -32600],
    ]);
  });
});

describe("lines that go out", () => {
  test("are written together for calls that came together, but not without bound", async () => {
    const batches: number[] = [];
    const input = oneTo(40).map((id) => call(id, id <= 20 ? "svc_get_info" : "svc_get_feed"));
    await serve(chunksOf(bytesOf(input.join("")), 100_000), async (lines) => {
      batches.push(lines.length);
    });
    expect(batches.length).toBeLessThan(15);
    expect(Math.max(...batches)).toBeLessThan(2 ** 17);
  });

  test("to a client that does not read them stop svc from reading its calls, and none is lost", async () => {
    const [count, backlogMax] = [1_000, 16 * 2 ** 20];
    let [sent, backlog] = [0, 0];
    async function* input() {
      while (sent < count) yield bytesOf(call(++sent, "svc_get_feed"));
    }
    const [isFull, isRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const served = serve(input(), (lines) => {
      backlog += lines.length;
      if (backlog > backlogMax) isFull.resolve();
      return isRead.promise;
    });
    await isFull.promise;
    const before = sent;
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(sent - before).toBeLessThan(10);
    isRead.resolve();
    expect(idsOf(await served)).toEqual(oneTo(count));
  });

  test("are all written before it ends, however slowly the client reads them", async () => {
    let written = 0;
    const responses = await serve(
      chunksOf(
        bytesOf(
          oneTo(200)
            .map((id) => call(id, "svc_get_feed"))
            .join(""),
        ),
        5_000,
      ),
      async (lines) => {
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
        written += lines.split("\n").length;
      },
    );
    expect([responses.length, written]).toEqual([200, 200]);
  });
});
