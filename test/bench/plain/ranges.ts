/**
 * What a plain program does for a range of a file: reads it from an open file, and answers with the headers of
 * svc. It checks no signature, knows one file, and would go on serving it if it were deleted.
 */
import { openSync, readSync } from "node:fs";

const path = process.argv[2] as string;
const headers: Record<string, string> = JSON.parse(process.argv[3] as string);
const file = openSync(path, "r");
const { size } = Bun.file(path);
const memory = Buffer.allocUnsafeSlow(2 ** 20);

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch(request) {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    const length = readSync(file, memory, 0, Number(last) + 1 - Number(first), Number(first));
    return new Response(memory.subarray(0, length), {
      status: 206,
      headers: { ...headers, "content-range": `bytes ${first}-${last}/${size}` },
    });
  },
});
process.stdout.write(`${server.url.origin}\n`);
