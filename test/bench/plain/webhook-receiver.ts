/**
 * Receives webhooks: `/live` answers, `/fail` answers 500, `/hang` never does. `/times` returns the
 * milliseconds from append to receipt of every event since it was asked last.
 */
let times: number[] = [];

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/times") {
      const taken = times;
      times = [];
      return Response.json(taken);
    }
    if (pathname === "/hang") return new Promise<Response>(() => {});
    const { timestamp } = (await request.json()) as { timestamp: string };
    if (pathname === "/fail") return new Response("no", { status: 500 });
    times.push(Date.now() - Date.parse(timestamp));
    return new Response("ok");
  },
});
process.stdout.write(`${server.url.origin}\n`);
