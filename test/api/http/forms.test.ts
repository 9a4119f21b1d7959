/** Multipart forms and request bodies on the wire: any chunking, malformed, too large, too slow, cut off. */
import { describe, expect, test } from "bun:test";
import { readParts } from "../../../src/api/http/operations/multipart.ts";
import { bodyChunks, uploadChunks } from "../../../src/core/lib/http/request-body.ts";
import { boundary, closing, field, formWith, opening, type, withProgress } from "../../support/http/forms.ts";
import { bytesOf } from "../../support/stores/store-sources.ts";

/** A stream that is split at these offsets. */
function inPieces(bytes: Uint8Array, ends: Iterable<number>): ReadableStream<Uint8Array> {
  function* pieces() {
    let at = 0;
    for (const end of [...ends, bytes.length]) {
      if (end > at) yield bytes.slice(at, end);
      at = Math.max(at, end);
    }
  }
  const coming = pieces();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = coming.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
const everyByte = (bytes: Uint8Array) => inPieces(bytes, bytes.keys());

const requestOf = (body: BodyInit, contentType = type): Request =>
  new Request("http://svc.test/", { method: "POST", headers: { "content-type": contentType }, body });

interface Read {
  name: string;
  filename: string | null;
  content: string;
}

async function partsOf(request: Request): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const { name, filename, body } of readParts(request)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(Uint8Array.from(chunk));
    parts.push({ name, filename, content: Buffer.concat(chunks).toString("latin1") });
  }
  return parts;
}

describe("a form", () => {
  const forms: [string, string, Read[], string?][] = [
    ["of nothing", `--${boundary}--`, []],
    ["of a field", `${field("a", "1")}--${boundary}--`, [{ name: "a", filename: null, content: "1" }]],
    [
      "of a field with an empty name",
      `${field("", "1")}--${boundary}--`,
      [{ name: "", filename: null, content: "1" }],
    ],
    [
      "of an empty field and an empty file",
      `${field("a", "")}${opening()}${closing}`,
      [
        { name: "a", filename: null, content: "" },
        { name: "file", filename: "a.bin", content: "" },
      ],
    ],
    [
      "of a file that looks like its boundary",
      `${opening()}\r\n--${boundary.slice(0, -1)}\r\n--\r\r\n\r\n-${closing}`,
      [{ name: "file", filename: "a.bin", content: `\r\n--${boundary.slice(0, -1)}\r\n--\r\r\n\r\n-` }],
    ],
    [
      "of a file whose exact name is encoded beside a plain one, or alone",
      `${[
        `filename="100_.txt"; filename*=UTF-8''100%25.txt`,
        `filename*=utf-8'en'%e2%82%ac%22.txt`,
        `filename="a.txt"; filename*=x''%ff`,
      ]
        .map(
          (fields) => `--${boundary}\r\nContent-Disposition: form-data; name="file"; ${fields}\r\n\r\n1\r\n`,
        )
        .join("")}--${boundary}--`,
      ["100%.txt", '€".txt', "a.txt"].map((filename) => ({ name: "file", filename, content: "1" })),
    ],
    [
      "with text behind its end",
      `${field("a", "1")}--${boundary}--\r\nan epilogue\r\n--${boundary}\r\n`,
      [{ name: "a", filename: null, content: "1" }],
    ],
    [
      "with names in other dress",
      `--${boundary}\r\ncontent-type: text/plain\r\nCONTENT-DISPOSITION:form-data;name=a ; filename="q\\"u%22o\\\\te%0D%0A.txt"\r\nX: y\r\n\r\n1${closing}`,
      [{ name: "a", filename: 'q"u"o\\te\r\n.txt', content: "1" }],
    ],
    [
      "with a quoted boundary",
      `--a b:(c)\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--a b:(c)--\r\n`,
      [{ name: "a", filename: null, content: "1" }],
      'multipart/form-data; charset=utf-8; boundary="a b:(c)"; x=y',
    ],
  ];
  test.each(forms)(
    "%s is read the same in one piece, byte by byte, and cut anywhere",
    async (...[, text, parts, contentType]) => {
      const bytes = Buffer.from(text, "latin1");
      expect(await partsOf(requestOf(bytes, contentType))).toEqual(parts);
      expect(await partsOf(requestOf(everyByte(bytes), contentType))).toEqual(parts);
      for (const cut of bytes.keys())
        expect([cut, await partsOf(requestOf(inPieces(bytes, [cut]), contentType))]).toEqual([cut, parts]);
    },
  );

  test("of any bytes, in any chunks, yields those bytes", async () => {
    for (let round = 0; round < 60; round++) {
      const random = bytesOf(200 + round * 97, round + 1);
      const pieces = [
        `\r\n--${boundary.slice(0, round % 10)}`,
        "\r",
        "\r\n",
        "\r\n--",
        `--${boundary}`,
        `\r\n-${boundary}`,
      ];
      const content = Buffer.concat([
        random,
        Buffer.from(pieces[round % pieces.length] ?? ""),
        random.subarray(0, round),
      ]);
      const bytes = formWith(content);
      const cuts = Array.from(
        { length: round % 17 },
        (_, index) => (bytes.length * (index + 1) * 31 * (round + 1)) % bytes.length,
      ).sort((a, b) => a - b);
      expect((await partsOf(requestOf(inPieces(bytes, cuts))))[1]?.content).toBe(content.toString("latin1"));
    }
  });

  test("may be abandoned in the middle of a part", async () => {
    for await (const part of readParts(requestOf(everyByte(formWith("x".repeat(500)))))) {
      if (part.name !== "file") continue;
      for await (const _ of part.body) break;
      break;
    }
    const names: string[] = [];
    for await (const { name } of readParts(requestOf(everyByte(formWith("x".repeat(500)))))) names.push(name);
    expect(names).toEqual(["project", "file"]);
  });

  const broken: [string, string | Uint8Array, number?, string?][] = [
    ["that is empty", ""],
    ["that does not begin with its boundary", `text before\r\n${formWith("x")}`],
    ["of another boundary", formWith("x").toString().replaceAll(boundary, "another")],
    ["without an end", formWith("x").subarray(0, -closing.length)],
    ["that ends in the middle of its end", formWith("x").subarray(0, -4)],
    ["that ends in the head of a part", `--${boundary}\r\nContent-Disposition: form-da`],
    ["that ends behind a boundary", `--${boundary}\r\n`],
    ["of lines without CR", formWith("x").toString().replaceAll("\r\n", "\n")],
    ["with something behind a boundary", `--${boundary}xx\r\n\r\n`],
    ["of a part without a name", `--${boundary}\r\nContent-Disposition: form-data\r\n\r\nx${closing}`],
    ["of a part without a disposition", `--${boundary}\r\nContent-Type: text/plain\r\n\r\nx${closing}`],
    [
      "of a part that is no form data",
      `--${boundary}\r\nContent-Disposition: attachment; name="a"\r\n\r\nx${closing}`,
    ],
    [
      "of a head of 64 KiB",
      `--${boundary}\r\nContent-Disposition: form-data; name="a"; x="${"y".repeat(65_536)}"\r\n\r\nx${closing}`,
    ],
    ["of 65 parts", `${field("a", "1").repeat(65)}--${boundary}--`],
    ["of 20000 parts", `${field("a", "1").repeat(20_000)}--${boundary}--`],
    ["without a boundary", formWith("x"), 415, "multipart/form-data"],
    ["with an empty boundary", formWith("x"), 415, "multipart/form-data; boundary="],
    [
      "with a boundary of 71 characters",
      formWith("x"),
      415,
      `multipart/form-data; boundary=${"b".repeat(71)}`,
    ],
  ];
  test.each(broken)(
    "%s is refused, in one piece and byte by byte",
    async (...[, form, status = 400, contentType]) => {
      const bytes = Buffer.from(form as string);
      const refused = expect.objectContaining({ status });
      expect(partsOf(requestOf(bytes, contentType))).rejects.toEqual(refused);
      if (bytes.length < 100_000)
        await expect(partsOf(requestOf(everyByte(bytes), contentType))).rejects.toEqual(refused);
    },
  );
});

describe("a body", () => {
  const slow = (chunks: number, bytes: number, ms: number) =>
    requestOf(
      new ReadableStream({
        async start(controller) {
          for (let chunk = 0; chunk < chunks; chunk++) {
            controller.enqueue(new Uint8Array(bytes));
            await Bun.sleep(ms);
          }
          controller.close();
        },
      }),
    );
  const read = async (request: Request) =>
    (await Array.fromAsync(bodyChunks(request))).reduce((sum, chunk) => sum + chunk.length, 0);

  test("may be slow as long as it makes progress", async () => {
    await withProgress({ bytes: 100, ms: 400 }, async () => expect(await read(slow(40, 50, 20))).toBe(2000));
  });

  test("that drips is a 400, however often a byte comes, and closes its connection", async () => {
    await withProgress({ bytes: 100, ms: 200 }, async () => {
      await expect(read(slow(1000, 1, 10))).rejects.toMatchObject({
        status: 400,
        headers: { connection: "close" },
      });
    });
  });

  test("that stops is a 400", async () => {
    await withProgress({ bytes: 100, ms: 100 }, async () => {
      await expect(
        read(requestOf(new ReadableStream({ pull: () => new Promise(() => {}) }))),
      ).rejects.toMatchObject({ status: 400 });
    });
  });

  test("of a small upload comes as one chunk, as slow as a stream may be; one that stops is a 400", async () => {
    const small = (request: Request, length: number): Request => {
      request.headers.set("content-length", String(length));
      return request;
    };
    await withProgress({ bytes: 100, ms: 100 }, async () => {
      const chunks = await Array.fromAsync(uploadChunks(small(slow(5, 100, 40), 500)));
      expect(chunks.map(({ length }) => length)).toEqual([500]);
      const stopped = requestOf(new ReadableStream({ pull: () => new Promise(() => {}) }));
      await expect(Array.fromAsync(uploadChunks(small(stopped, 200)))).rejects.toMatchObject({ status: 400 });
    });
  });

  test("may be empty", async () => {
    expect(await read(new Request("http://svc.test/"))).toBe(0);
  });
});
