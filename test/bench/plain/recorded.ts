/** A static server: the responses of a site that were recorded before, by their URL. */
interface Recorded {
  status: number;
  headers: Record<string, string>;
  /** In base64. */
  body: string;
}

const recorded: Record<string, Recorded> = await Bun.file(process.argv[2] as string).json();
const responses = new Map(
  Object.entries(recorded).map(([path, one]) => [path, { ...one, body: Buffer.from(one.body, "base64") }]),
);
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch({ url }) {
    const { pathname, search } = new URL(url);
    const found = responses.get(pathname + search);
    return found ? new Response(found.body, found) : new Response(null, { status: 404 });
  },
});
process.stdout.write(`${server.url.origin}\n`);
