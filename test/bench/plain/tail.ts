/**
 * What a plain program does for a live tail: a row, safe from a loss of power, then its text to each client that
 * listens.
 */
import { Database } from "bun:sqlite";

const database = new Database(process.argv[2] as string, { create: true });
database.exec(
  "pragma journal_mode = wal; pragma synchronous = full; create table events (id integer primary key, wire text)",
);
const insert = database.prepare<{ id: number }, [string]>(
  "insert into events (wire) values (?) returning id",
);
const readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
const encoder = new TextEncoder();

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "POST") {
      const { events } = (await request.json()) as { events: unknown[] };
      const wire = JSON.stringify(events[0]);
      const frame = encoder.encode(`id: ${insert.get(wire)?.id}\ndata: ${wire}\n\n`);
      for (const reader of readers) reader.enqueue(frame);
      return Response.json({ added: 1 }, { status: 201 });
    }
    let own: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        readers.add(controller);
        controller.enqueue(encoder.encode("retry: 1000\n\n"));
      },
      cancel() {
        if (own) readers.delete(own);
      },
    });
    return new Response(stream, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  },
});
process.stdout.write(`${server.url.origin}\n`);
