/** The server that knows nothing. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () => new Response("{}"),
});
process.stdout.write(`${server.url}\n`);
