/** A receiver of webhooks: an HTTP server that notes what it gets, and answers as a test says. */
import type { Event } from "../../../src/feed/schema.ts";
import { type Closable, closable } from "../resources.ts";

export interface ReceivedMessage {
  /** The last part of the URL. */
  path: string;
  id: string;
  type: string;
  event: Event;
  headers: Headers;
  text: string;
}

export interface EventReceiver extends Closable {
  received: ReceivedMessage[];
  /** Where a webhook of this name sends to. */
  urlOf(name: string): string;
  /** The ids of the events that this name accepted, in the order of their receipts. */
  accepted(name: string): number[];
  /** Answers 200 unless this is set. */
  answer: ((message: ReceivedMessage) => Response | Promise<Response>) | null;
  reset(): void;
}

export function startReceiver(): EventReceiver {
  const accepted: { path: string; event: number }[] = [];
  const receiver: Omit<EventReceiver, keyof Closable> = {
    received: [],
    answer: null,
    urlOf: (name) => `${server.url.origin}/hooks/${name}`,
    accepted: (name) => accepted.filter(({ path }) => path === name).map(({ event }) => event),
    reset() {
      receiver.received.length = 0;
      accepted.length = 0;
      receiver.answer = null;
    },
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 60,
    async fetch(request) {
      const text = await request.text();
      const { type, data: event } = JSON.parse(text);
      const path = new URL(request.url).pathname.split("/").at(-1) as string;
      const id = request.headers.get("webhook-id") ?? "";
      const message = { path, id, type, event, headers: request.headers, text };
      receiver.received.push(message);
      const response = (await receiver.answer?.(message)) ?? new Response("ok");
      if (response.ok) accepted.push({ path, event: event.id });
      return response;
    },
  });
  return Object.assign(
    receiver,
    closable(() => server.stop(true)),
  );
}
