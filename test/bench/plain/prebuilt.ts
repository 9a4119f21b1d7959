/** The least that a server does for a page of the feed: bytes that were made beforehand. */
const body = await Bun.file(process.argv[2] as string).bytes();
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () => new Response(body, { headers: { "content-type": "application/json" } }),
});
process.stdout.write(`${server.url.origin}\n`);
